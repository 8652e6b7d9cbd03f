/** A subagent's own ledger: its allotment, the reserve for the hand-back turn inside it, and what each call cost. */
import type { Amounts, Usage } from '../contract/budget.ts';
import { openLedger, release, remainingOf, reserve, settle, type Ledger } from '../domain/budget-ledger.ts';
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

  constructor(allotment: Amounts, handBackReserveTokens: number, terms: CallTerms) {
    this.terms = terms;
    this.ledger = openLedger(allotment);
    // A small allotment keeps half of itself: a hand-back without any work before it would be pointless.
    const tokens = Math.min(handBackReserveTokens, Math.floor(allotment.tokens / 2));
    const price = boundMicroUsd(tokens, terms.maxOutputTokens, terms.rates);
    this.handBack = { tokens, toolCalls: 0, microUsd: Math.min(price, Math.floor(allotment.microUsd / 2)) };
    this.take(account.handBack, this.handBack);
  }

  /** Tokens that the next model call may reserve. The hand-back turn may use its reserve as well. */
  openTokens(isHandBack: boolean): number {
    const { tokens, microUsd } = remainingOf(this.ledger);
    const more = isHandBack ? this.handBack : none;
    const { maxOutputTokens, rates } = this.terms;
    return Math.min(tokens + more.tokens, tokensFor(microUsd + more.microUsd, maxOutputTokens, rates));
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

  reserveToolCalls(toolCalls: number): void {
    this.take(account.work, { ...none, toolCalls });
  }

  settleToolCalls(reserved: number, executed: number): void {
    this.ledger = settle(this.ledger, account.work, { ...none, toolCalls: reserved }, { ...none, toolCalls: executed });
    this.usage = addUsage(this.usage, { ...noUsage, toolCalls: executed });
  }

  private take(name: string, amounts: Amounts): void {
    const granted = reserve(this.ledger, name, amounts);
    if (granted.status === 'denied') throw new Error(granted.message); // callers ask for no more than is open
    this.ledger = granted.ledger;
  }
}
