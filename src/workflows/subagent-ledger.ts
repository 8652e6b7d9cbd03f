/** A subagent's own ledger: its allotment, the reserve for the hand-back turn inside it, and what each call cost. */
import type { Amounts, Usage } from '../contract/budget.ts';
import type { Carry } from '../contract/carry.ts';
import { openLedger, raise, release, remainingOf, reserve, settle, type Ledger } from '../domain/budget-ledger.ts';
import { chargeCall, type Reserved } from '../domain/charge.ts';
import { boundMicroUsd, tokensFor, toMicroUsd } from '../domain/money.ts';
import { addUsage, noUsage } from '../domain/usage.ts';
import type { CallTerms } from './run-model-call.ts';

const account = { work: 'work', handBack: 'hand-back' } as const;
const none: Amounts = { tokens: 0, toolCalls: 0, microUsd: 0 };
/** A call at an unknown price has nothing set aside in money. */
const toAmounts = ({ tokens, microUsd }: Reserved): Amounts => ({ tokens, toolCalls: 0, microUsd: microUsd ?? 0 });

export class SubagentLedger {
  usage: Usage = noUsage;
  private ledger: Ledger;
  private handBack: Amounts;
  private readonly terms: CallTerms;
  private readonly limitsUsd: boolean;

  /** `carried`: as it stood in an earlier history of the same subagent. */
  constructor(
    allotment: Amounts,
    handBackReserveTokens: number,
    terms: CallTerms & { readonly limitsUsd?: boolean },
    carried?: Pick<Carry, 'ledger' | 'handBack' | 'usage'>,
  ) {
    this.terms = terms;
    this.limitsUsd = terms.limitsUsd ?? false;
    if (carried) {
      this.ledger = carried.ledger;
      this.handBack = carried.handBack;
      this.usage = carried.usage;
      return;
    }
    this.ledger = openLedger(allotment);
    // A small allotment keeps half of itself: a hand-back without any work before it would be pointless.
    const tokens = Math.min(handBackReserveTokens, Math.floor(allotment.tokens / 2));
    const price = boundMicroUsd(tokens, terms.maxOutputTokens, terms.rates);
    this.handBack = { tokens, toolCalls: 0, microUsd: Math.min(price, Math.floor(allotment.microUsd / 2)) };
    this.take(account.handBack, this.handBack);
  }

  /** For a new history. */
  carry(): Pick<Carry, 'ledger' | 'handBack' | 'usage'> {
    return { ledger: this.ledger, handBack: this.handBack, usage: this.usage };
  }

  /** Tokens that the next model call may reserve. The hand-back turn may use its reserve as well. */
  openTokens(isHandBack: boolean): number {
    const { tokens, microUsd } = this.openAmounts(isHandBack);
    const { maxOutputTokens, rates } = this.terms;
    return Math.min(tokens, tokensFor(microUsd, maxOutputTokens, rates));
  }

  /** What the allotment lacks for a call of `tokens` tokens. */
  shortOf(tokens: number, isHandBack: boolean): Amounts {
    const open = this.openAmounts(isHandBack);
    const price = boundMicroUsd(tokens, this.terms.maxOutputTokens, this.terms.rates);
    return {
      tokens: Math.max(0, tokens - open.tokens),
      toolCalls: 0,
      microUsd: this.limitsUsd ? Math.max(0, price - open.microUsd) : 0,
    };
  }

  /** More was granted: it may be reserved at once. */
  raise(added: Amounts): void {
    this.ledger = raise(this.ledger, added);
  }

  openToolCalls(): number {
    return remainingOf(this.ledger).toolCalls;
  }

  /** Reserves for a model call; at most `openTokens(isHandBack)`. */
  reserveCall(reserved: Reserved, isHandBack: boolean): void {
    if (isHandBack) {
      this.ledger = release(this.ledger, account.handBack, this.handBack);
      this.handBack = none;
    }
    this.take(account.work, toAmounts(reserved));
  }

  /** Books what a call cost. `details` that are no usage of ours: the whole reservation is charged, as an estimate. */
  settleCall(reserved: Reserved, details: unknown): void {
    const charged = chargeCall(details, reserved);
    const used = { tokens: charged.tokens, toolCalls: 0, microUsd: toMicroUsd(charged.usd) };
    this.ledger = settle(this.ledger, account.work, toAmounts(reserved), used);
    this.usage = addUsage(this.usage, charged);
  }

  /** What is left besides the reserve of the hand-back turn. */
  openForWork(): Amounts {
    return this.openAmounts(false);
  }

  /** Sets an allotment aside for a subagent below this one; at most `openForWork()`. */
  reserveChild(id: string, allotment: Amounts): void {
    this.take(id, allotment);
  }

  /** What a subagent below this one used is used by this one. */
  settleChild(id: string, allotment: Amounts, usage: Usage): void {
    const { tokens, toolCalls, usd } = usage;
    this.ledger = settle(this.ledger, id, allotment, { tokens, toolCalls, microUsd: toMicroUsd(usd) });
    this.usage = addUsage(this.usage, usage);
  }

  reserveToolCalls(toolCalls: number): void {
    this.take(account.work, { ...none, toolCalls });
  }

  settleToolCalls(reserved: number, executed: number): void {
    this.ledger = settle(this.ledger, account.work, { ...none, toolCalls: reserved }, { ...none, toolCalls: executed });
    this.usage = addUsage(this.usage, { ...noUsage, toolCalls: executed });
  }

  /** With its reserve for the hand-back turn; an overrun may have eaten into that. */
  private openAmounts(isHandBack: boolean): Amounts {
    return remainingOf(isHandBack ? release(this.ledger, account.handBack, this.handBack) : this.ledger);
  }

  private take(name: string, amounts: Amounts): void {
    const granted = reserve(this.ledger, name, amounts);
    if (granted.status === 'denied') throw new Error(granted.message); // callers ask for no more than is open
    this.ledger = granted.ledger;
  }
}
