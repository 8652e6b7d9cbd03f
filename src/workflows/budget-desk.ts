/** Who gets more: answers people who raise a run's budget, and subagents that ask for more out of what is left. */
import { CancellationScope, condition, isCancellation, setHandler, sleep } from '@temporalio/workflow';
import type { Amounts, BudgetState } from '../contract/budget.ts';
import type { AddBudgetInput, TopUpAsk } from '../contract/control.ts';
import { addBudgetInputSchema, topUpAskSchema } from '../contract/control.ts';
import { TributaryError } from '../contract/failure.ts';
import { parseInput } from '../contract/invalid-input.ts';
import { leastAmounts, noAmounts } from '../domain/amounts.ts';
import { findAboveCeiling } from '../domain/budget-ceiling.ts';
import { remainingOf } from '../domain/budget-ledger.ts';
import { toMicroUsd } from '../domain/money.ts';
import { formatCount } from '../domain/text.ts';
import { decideTopUp, promiseFor } from '../domain/top-up.ts';
import { addBudgetUpdate, allotmentRaisedSignal, topUpAnsweredSignal, topUpAskedSignal } from '../temporal/names.ts';
import type { RunState } from './run-state.ts';
import type { SubagentLinks } from './subagent-links.ts';
import { onSound } from './on-sound.ts';
import { toValidator } from './to-validator.ts';

export class BudgetDesk {
  private readonly run: RunState;
  private readonly links: SubagentLinks;
  private asks: TopUpAsk[] = [];
  /** Subtasks that have not started, and what each will need. */
  private promised: { count: number; share: Amounts } = { count: 0, share: noAmounts };
  private patience: CancellationScope | null = null;
  /** How often people raised the budget. */
  private raises = 0;
  /** A person raised the limit of the whole run, and not of one subagent. */
  private isPoolRaised = false;
  /** Nobody raised the budget in time: from then on nothing waits for it any more. */
  private gaveUp = false;

  constructor(run: RunState, links: SubagentLinks) {
    this.run = run;
    this.links = links;
    setHandler(addBudgetUpdate, (input) => this.addBudget(addBudgetInputSchema.parse(input)), {
      validator: toValidator(
        (input) => parseInput(addBudgetInputSchema, input, 'budget'),
        (input) => this.check(input),
      ),
    });
    setHandler(topUpAskedSignal, (ask) => onSound(topUpAskSchema, ask, (sound) => this.ask(sound)));
  }

  /** Whether what does not fit waits for a person. */
  isPatient(): boolean {
    return this.run.request.budget.onExhausted === 'pause' && !this.gaveUp && this.run.finalizing === null;
  }

  /** Waits in the name of `key`, while a person may raise the budget. Rejects with a cancellation. */
  async waitForBudget(key: string, whose: string | null, until: () => Promise<void>): Promise<void> {
    const wait = { kind: 'budget', key, whose } as const;
    this.run.waits.begin(wait);
    this.beginPatience();
    try {
      await until();
    } finally {
      this.run.waits.end(wait);
      this.endPatience();
    }
  }

  /** Waits for a person to raise the budget, where the run is patient. `false`: nobody will. */
  async isRaisedForRun(key: string): Promise<boolean> {
    if (!this.isPatient()) return false;
    const before = this.raises;
    await this.waitForBudget(key, null, () => condition(() => this.raises !== before || !this.isPatient()));
    return this.raises !== before;
  }

  /** Keeps back what subtasks need that have not started. */
  promise(count: number, share: Amounts): void {
    this.promised = { count, share };
  }

  /** A subagent has ended: what it asked for needs no answer any more, and what it gave back may do for others. */
  close(id: string): void {
    this.asks = this.asks.filter((ask) => ask.subagentId !== id);
    this.run.waits.end({ kind: 'budget', key: id, whose: id });
    this.settleAsks();
  }

  /** Answers whoever can be answered now, in the order in which they asked. */
  settleAsks(): void {
    const kept: TopUpAsk[] = [];
    for (const ask of this.asks) {
      const { subagentId: id, wanted } = ask;
      const decision = decideTopUp({
        wanted,
        remaining: remainingOf(this.run.ledger),
        promised: promiseFor(this.promised.count, this.promised.share),
        isPoolOpen: this.run.request.subagentTokens === undefined || this.isPoolRaised,
        onExhausted: this.run.request.budget.onExhausted,
        isClosing: this.gaveUp || this.run.finalizing !== null || !this.run.allotments.has(id),
      });
      if (decision === 'wait') {
        kept.push(ask);
        this.run.waits.begin({ kind: 'budget', key: id, whose: id });
        continue;
      }
      this.run.waits.end({ kind: 'budget', key: id, whose: id });
      if (decision === 'grant') this.run.raiseAllotment(id, wanted);
      if (decision === 'fail') {
        this.run.exhausted ??= `${id} needs ${formatCount(wanted.tokens)} more tokens than its allotment and the rest of the budget hold`;
      }
      const answer = { ordinal: ask.ordinal, granted: decision === 'grant' ? wanted : null };
      this.links.send(id, (handle) => handle.signal(topUpAnsweredSignal, answer));
    }
    this.asks = kept;
    if (kept.length > 0) this.beginPatience();
    else this.endPatience();
  }

  private ask(ask: TopUpAsk): void {
    this.asks.push(ask);
    this.settleAsks();
  }

  private addBudget({ add, subagentId, by }: AddBudgetInput): BudgetState {
    const added = this.run.raiseBudget(add);
    this.raises += 1;
    this.isPoolRaised ||= subagentId === undefined;
    if (subagentId !== undefined) {
      // Of a run that has been overdrawn the raise first makes up for that: nobody is given what is not there.
      const granted = leastAmounts(added, remainingOf(this.run.ledger));
      this.run.raiseAllotment(subagentId, granted);
      this.tellRaise(subagentId, granted, by);
    }
    this.gaveUp = false;
    this.settleAsks();
    this.run.publish();
    return this.run.budget();
  }

  /** One signal, since two may overtake each other: what it waits for is answered by the raise. */
  private tellRaise(id: string, added: Amounts, by: string): void {
    const ask = this.asks.find(({ subagentId }) => subagentId === id);
    if (!ask) {
      this.links.send(id, (handle) => handle.signal(allotmentRaisedSignal, { added, by }));
      return;
    }
    this.asks = this.asks.filter((each) => each !== ask);
    this.run.waits.end({ kind: 'budget', key: id, whose: id });
    this.links.send(id, (handle) => handle.signal(topUpAnsweredSignal, { ordinal: ask.ordinal, granted: added }));
  }

  /** Refuses before anything is recorded. */
  private check({ add, subagentId }: AddBudgetInput): void {
    const { run } = this;
    if (run.isClosing)
      throw new TributaryError(
        'RUN_ENDED',
        `the run ${run.request.runId} is ending: its budget cannot be raised any more`,
      );
    if (subagentId !== undefined && !run.allotments.has(subagentId)) {
      const up = [...run.allotments.keys()].join(', ') || 'none';
      throw new TributaryError(
        'SUBAGENT_NOT_FOUND',
        `the subagent ${subagentId} is not up, so its budget cannot be raised; up are: ${up}`,
      );
    }
    if (subagentId !== undefined && add.wallClock !== undefined)
      throw new TributaryError(
        'INVALID_REQUEST',
        'budget: add.wallClock: time is given to the run, not to one subagent',
      );
    if (add.usd !== undefined && run.request.budget.usd === undefined)
      throw new TributaryError(
        'INVALID_REQUEST',
        'budget: add.usd: this run has no limit on money that could be raised',
      );
    const limits = run.budget();
    const wanted = {
      tokens: limits.tokens.limit + (add.tokens ?? 0),
      usd: (limits.usd?.limit ?? 0) + (add.usd ?? 0),
      toolCalls: limits.toolCalls.limit + (add.toolCalls ?? 0),
      wallClockMs: limits.wallClockMs.limit + (add.wallClock ?? 0),
    };
    const above = findAboveCeiling(wanted, run.ceiling);
    if (above !== null) throw new TributaryError('BUDGET_CEILING', above);
    if (!Number.isSafeInteger(wanted.tokens + toMicroUsd(wanted.usd)))
      throw new TributaryError('INVALID_REQUEST', 'budget: add: the limits would be larger than can be counted');
  }

  /** One clock for all who wait: it starts with the first of them. */
  private beginPatience(): void {
    if (this.patience || this.gaveUp) return;
    const scope = new CancellationScope({ cancellable: true });
    this.patience = scope;
    scope
      .run(() => sleep(this.run.request.personTimeout))
      .then(
        () => this.giveUp(),
        (error: unknown) => {
          if (!isCancellation(error)) throw error;
        },
      );
  }

  private endPatience(): void {
    if (this.run.waits.isFor('budget')) return;
    this.patience?.cancel();
    this.patience = null;
  }

  private giveUp(): void {
    this.patience = null;
    this.gaveUp = true;
    this.run.notes.push('nobody raised the budget in time, so the run went on with what it had');
    this.settleAsks();
  }
}
