/** What subagents that are tried again may use: out of what the run has left, behind what those need that have not started. */
import type { Amounts } from '../contract/budget.ts';
import { TributaryError } from '../contract/failure.ts';
import { leastAmounts, mostAmounts, subtractAmounts } from '../domain/amounts.ts';
import { remainingOf } from '../domain/budget-ledger.ts';
import type { MinAllotment } from '../domain/fan-out.ts';
import { formatCount } from '../domain/text.ts';
import { promiseFor } from '../domain/top-up.ts';
import type { RunState } from './run-state.ts';

export class RetryFunds {
  private readonly run: RunState;
  private readonly share: Amounts;
  private readonly min: Amounts;
  /** What people gave them; `null` = they did not say. */
  private readonly given = new Map<string, number | null>();

  /** `share`: what each of the others got. */
  constructor(run: RunState, share: Amounts, min: MinAllotment) {
    this.run = run;
    this.share = share;
    this.min = { ...min, toolCalls: 1 };
  }

  add(id: string, tokens: number | undefined): void {
    this.given.set(id, tokens ?? null);
  }

  has(id: string): boolean {
    return this.given.has(id);
  }

  /** `undefined` for one that is started for the first time; `others` have not started either. */
  wantedOf(id: string, others: number): Amounts | undefined {
    const given = this.given.get(id);
    if (given === undefined) return undefined;
    const wanted = mostAmounts(this.min, leastAmounts(this.share, this.free(others)));
    return given === null ? wanted : { ...wanted, tokens: given };
  }

  /** Throws where what is left does not pay for it. */
  requireFunds(id: string, given: number | undefined, others: number): void {
    const { min, run } = this;
    const { runId } = run.request;
    if (given !== undefined && given < min.tokens) {
      const problem = `wanted at least ${formatCount(min.tokens)} tokens, which pay for a turn and the hand-back, came ${formatCount(given)}`;
      throw new TributaryError('INVALID_REQUEST', `retry-subagent: budget.tokens: ${problem}`);
    }
    const free = this.free(others);
    const tokens = given ?? min.tokens;
    const more = [
      ...(tokens > free.tokens ? [`--tokens ${tokens - free.tokens}`] : []),
      ...(min.microUsd > free.microUsd ? [`--usd ${Math.ceil((min.microUsd - free.microUsd) / 10_000) / 100}`] : []),
      ...(min.toolCalls > free.toolCalls ? ['--calls 1'] : []),
    ];
    if (more.length === 0) return;
    throw new TributaryError(
      'BUDGET_EXHAUSTED',
      `${id} needs ${formatCount(tokens)} tokens to be started again; ${formatCount(free.tokens)} of ${formatCount(run.ledger.total.tokens)} are not spent, held or kept for others. Raise the budget first:  tributary budget add ${runId} ${more.join(' ')}`,
    );
  }

  private free(others: number): Amounts {
    return subtractAmounts(remainingOf(this.run.ledger), promiseFor(others, this.share));
  }
}
