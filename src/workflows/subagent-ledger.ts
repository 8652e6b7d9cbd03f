/** A subagent's own ledger: its allotment, the reserve for the hand-back turn inside it, and what each call cost. */
import type { Amounts, Usage } from '../contract/budget.ts';
import { openLedger, release, remainingOf, reserve, settle, type Ledger } from '../domain/budget-ledger.ts';
import { chargeCall } from '../domain/charge.ts';
import { addUsage, noUsage } from '../domain/usage.ts';

const account = { work: 'work', handBack: 'hand-back' } as const;
const tokensOnly = (tokens: number): Amounts => ({ tokens, toolCalls: 0 });

export class SubagentLedger {
  usage: Usage = noUsage;
  private ledger: Ledger;
  private handBackTokens: number;

  constructor(allotment: Amounts, handBackReserveTokens: number) {
    this.ledger = openLedger(allotment);
    // A small allotment keeps half of itself: a hand-back without any work before it would be pointless.
    this.handBackTokens = Math.min(handBackReserveTokens, Math.floor(allotment.tokens / 2));
    this.take(account.handBack, tokensOnly(this.handBackTokens));
  }

  /** Tokens that the next model call may reserve. The hand-back turn may use its reserve as well. */
  openTokens(isHandBack: boolean): number {
    return remainingOf(this.ledger).tokens + (isHandBack ? this.handBackTokens : 0);
  }

  openToolCalls(): number {
    return remainingOf(this.ledger).toolCalls;
  }

  /** Reserves for a model call; at most `openTokens(isHandBack)`. */
  reserveTokens(tokens: number, isHandBack: boolean): void {
    if (isHandBack && this.handBackTokens > 0) {
      this.ledger = release(this.ledger, account.handBack, tokensOnly(this.handBackTokens));
      this.handBackTokens = 0;
    }
    this.take(account.work, tokensOnly(tokens));
  }

  /** Books what a call cost. `details` that are no usage of ours: the whole reservation is charged, as an estimate. */
  settleTokens(reservedTokens: number, details: unknown): void {
    const charged = chargeCall(details, reservedTokens);
    this.ledger = settle(this.ledger, account.work, tokensOnly(reservedTokens), tokensOnly(charged.tokens));
    this.usage = addUsage(this.usage, charged);
  }

  reserveToolCalls(toolCalls: number): void {
    this.take(account.work, { tokens: 0, toolCalls });
  }

  settleToolCalls(reserved: number, executed: number): void {
    this.ledger = settle(
      this.ledger,
      account.work,
      { tokens: 0, toolCalls: reserved },
      { tokens: 0, toolCalls: executed },
    );
    this.usage = addUsage(this.usage, { ...noUsage, toolCalls: executed });
  }

  private take(name: string, amounts: Amounts): void {
    const granted = reserve(this.ledger, name, amounts);
    if (granted.status === 'denied') throw new Error(granted.message); // callers ask for no more than is open
    this.ledger = granted.ledger;
  }
}
