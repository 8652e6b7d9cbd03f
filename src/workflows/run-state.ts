/** What a run remembers while it goes on: its ledger, what was used, and the outcomes so far. */
import { setCurrentDetails, upsertMemo } from '@temporalio/workflow';
import type { Amounts, BudgetCeiling, BudgetState, Usage } from '../contract/budget.ts';
import type { BudgetRaise, FinalizeInput } from '../contract/control.ts';
import { defaults } from '../contract/defaults.ts';
import type { Adoption, AdoptResult } from '../contract/adopt.ts';
import type { SubagentOutcome } from '../contract/outcome.ts';
import type { Subtask } from '../contract/plan.ts';
import type { ResearchRequest } from '../contract/request.ts';
import type { Draft } from '../contract/result.ts';
import type { Rates } from '../contract/price.ts';
import type { ModelChoice } from '../contract/model-choice.ts';
import type { RunMemo } from '../contract/run-memo.ts';
import type { RunStatus } from '../contract/run-view.ts';
import { addAmounts, leastAmounts, noAmounts, subtractAmounts } from '../domain/amounts.ts';
import {
  meterOf,
  openLedger,
  raise,
  release,
  remainingOf,
  reserve,
  settle,
  type Ledger,
} from '../domain/budget-ledger.ts';
import { toCurrentDetails } from '../domain/workflow-details.ts';
import { chargeCall, type Reserved } from '../domain/charge.ts';
import { fromMicroUsd, tokensFor, toMicroUsd, toUsdMeter, unlimitedMicroUsd } from '../domain/money.ts';
import { sumAttempts, type Attempt } from '../domain/sum-attempts.ts';
import { addUsage, noUsage } from '../domain/usage.ts';
import type { ModelRoute } from './activity-stubs.ts';
import type { CallTerms } from './run-model-call.ts';
import { RunWaits } from './run-waits.ts';

/** A call at an unknown price has nothing set aside in money. */
const toAmounts = ({ tokens, microUsd }: Reserved): Amounts => ({ tokens, toolCalls: 0, microUsd: microUsd ?? 0 });

export class RunState {
  readonly request: ResearchRequest;
  readonly notes: string[] = [];
  readonly startedAt = Date.now();
  readonly outcomes = new Map<string, SubagentOutcome>();
  /** All attempts of each subagent that have been started and have ended. */
  private readonly attempts = new Map<string, readonly Attempt[]>();
  plan: readonly Subtask[] = [];
  /** What became of each subtask of a run that is taken over. */
  readonly adoptions = new Map<string, Adoption>();
  /** The most that a token costs, by model name; the worker knows it once the run is open. */
  rates: Readonly<Record<string, Rates>> = {};
  /** Task queues by model name; a model that is not here is on the run's own. */
  queues: Readonly<Record<string, string>> = {};
  ledger: Ledger;
  /** What each subagent that is up may use, top-ups included. */
  readonly allotments = new Map<string, Amounts>();
  /** Subagents that are up. */
  running = 0;
  readonly waits = new RunWaits(() => this.onWait());
  /** The most that anybody may let this run spend. */
  ceiling: BudgetCeiling = {};
  /** Who asked for the report now; then no new work is begun. */
  finalizing: FinalizeInput | null = null;
  /** Why the run fails for want of budget, where its request says that it should. */
  exhausted: string | null = null;
  /** From then on the result is being computed: nothing can be changed any more. */
  isClosing = false;
  private phase: RunStatus = 'queued';
  private wallClockMs: number;
  private usage: Usage = noUsage;
  /** What a run that is taken over had used; part of `usage`. */
  earlier: Usage = noUsage;
  private synthesisReserve: Amounts;
  /** What is left of the drafts' share. */
  private draftReserve: Amounts = noAmounts;
  /** In the order in which they were written. */
  readonly drafts: Draft[] = [];

  constructor(request: ResearchRequest) {
    this.request = request;
    this.wallClockMs = request.budget.wallClock;
    const { tokens, toolCalls, usd, synthesisReserve } = request.budget;
    const microUsd = usd === undefined ? unlimitedMicroUsd : toMicroUsd(usd);
    this.ledger = openLedger({ tokens, toolCalls, microUsd });
    const wanted = Math.max(defaults.synthesisReserveMinTokens, Math.floor(tokens * synthesisReserve));
    this.synthesisReserve = {
      tokens: Math.min(wanted, tokens),
      toolCalls: 0,
      microUsd: Math.floor(microUsd * synthesisReserve),
    };
    this.ledger = this.granted('synthesis', this.synthesisReserve);
  }

  /** The model of one role, with what the run says of it. */
  choiceOf(role: keyof ResearchRequest['models']): ModelChoice {
    return this.choose(this.request.models[role]);
  }

  choose(model: string): ModelChoice {
    const { baseUrl, prices } = this.request;
    const price = prices[model];
    const rates = this.rates[model];
    return { model, ...(baseUrl !== undefined && { baseUrl }), ...(price && { price }), ...(rates && { rates }) };
  }

  /** Where the calls of one role are put, and for whom. */
  routeOf(role: keyof ResearchRequest['models']): ModelRoute {
    return this.route(this.request.models[role]);
  }

  route(model: string): ModelRoute {
    const { tenant } = this.request;
    const modelQueue = this.queues[model];
    return { ...(modelQueue !== undefined && { modelQueue }), ...(tenant !== undefined && { tenant }) };
  }

  /** Takes over what another run has spent, and whatever of it stands. Before anything of this run is spent. */
  adopt({ spent, plan, subagents, drafts, notes }: AdoptResult): void {
    const { tokens, toolCalls, usd } = spent;
    this.ledger = release(this.ledger, 'synthesis', this.synthesisReserve);
    this.ledger = settle(this.ledger, 'earlier', noAmounts, { tokens, toolCalls, microUsd: toMicroUsd(usd) });
    this.synthesisReserve = leastAmounts(this.synthesisReserve, remainingOf(this.ledger));
    this.ledger = this.granted('synthesis', this.synthesisReserve);
    this.earlier = spent;
    this.usage = addUsage(this.usage, spent);
    this.plan = plan ?? [];
    this.drafts.push(...drafts);
    this.notes.push(...notes);
    for (const adoption of subagents) {
      this.adoptions.set(adoption.id, adoption);
      if (adoption.kind === 'reuse') this.outcomes.set(adoption.id, adoption.outcome);
    }
  }

  /** Milliseconds since the run began, without those in which nothing went on since people were waited for. */
  elapsedMs(): number {
    return Date.now() - this.startedAt - this.waits.stoodStillMs();
  }

  /** When work must end so that the report can be written in time: a tenth is kept for it, at most a minute. */
  finalizeAfterMs(): number {
    return this.wallClockMs - Math.min(60_000, Math.floor(this.wallClockMs / 10));
  }

  /** Raises the limits. What is not limited stays so. */
  raiseBudget({ tokens = 0, toolCalls = 0, usd = 0, wallClock = 0 }: BudgetRaise): Amounts {
    const added = { tokens, toolCalls, microUsd: this.request.budget.usd === undefined ? 0 : toMicroUsd(usd) };
    this.ledger = raise(this.ledger, added);
    this.wallClockMs += wallClock;
    return added;
  }

  /** Raises what a subagent that is up may use; at most what remains. */
  raiseAllotment(id: string, added: Amounts): void {
    const before = this.allotments.get(id);
    if (!before) throw new Error(`${id} has no allotment that could be raised`);
    this.ledger = this.granted(id, added);
    this.allotments.set(id, addAmounts(before, added));
  }

  /** Tokens that one model call of the run itself may reserve, and that there is money for. */
  openTokens({ maxOutputTokens, rates }: CallTerms): number {
    const { tokens, microUsd } = remainingOf(this.ledger);
    return Math.min(tokens, tokensFor(microUsd, maxOutputTokens, rates));
  }

  /** Whether the money that is left buys fewer tokens of this role's model than are left. */
  isShortOfMoney(role: keyof ResearchRequest['models']): boolean {
    const terms = { maxOutputTokens: this.request.maxOutputTokens, rates: this.choiceOf(role).rates };
    return this.openTokens(terms) < remainingOf(this.ledger).tokens;
  }

  /** Frees what was kept for the report: for its own call, or because there will be none. */
  openSynthesisReserve(): void {
    this.ledger = release(this.ledger, 'synthesis', this.synthesisReserve);
    this.synthesisReserve = { tokens: 0, toolCalls: 0, microUsd: 0 };
  }

  /** Sets funds aside for one model call of the run itself; at most `openTokens()`. */
  reserveCall(account: 'planner' | 'synthesis' | 'drafts', reserved: Reserved): void {
    if (account === 'drafts') {
      this.takeFromDraftShare(toAmounts(reserved));
      return;
    }
    this.ledger = this.granted(account, toAmounts(reserved));
  }

  /** Books a call of the run itself; what is no usage of ours is charged at the reservation, as an estimate. */
  settleCall(account: 'planner' | 'synthesis' | 'drafts', reserved: Reserved, details: unknown): void {
    const charged = chargeCall(details, reserved);
    const used = { tokens: charged.tokens, toolCalls: 0, microUsd: toMicroUsd(charged.usd) };
    this.ledger = settle(this.ledger, account, toAmounts(reserved), used);
    this.usage = addUsage(this.usage, charged);
    if (account === 'drafts') this.keepForDrafts(subtractAmounts(toAmounts(reserved), used));
  }

  /** Sets the drafts' share aside: what remains pays for subagents. */
  openDraftShare(): void {
    const { tokens, microUsd } = remainingOf(this.ledger);
    this.keepForDrafts({
      tokens: Math.floor(tokens * defaults.draftShare),
      toolCalls: 0,
      microUsd: Math.floor(microUsd * defaults.draftShare),
    });
  }

  /** No further draft is written: what is left of the share is free. */
  closeDraftShare(): void {
    this.ledger = release(this.ledger, 'drafts', this.draftReserve);
    this.draftReserve = noAmounts;
  }

  /** Tokens of the drafts' share that are left, and that there is money for. */
  openDraftTokens({ maxOutputTokens, rates }: CallTerms): number {
    const { tokens, microUsd } = this.draftReserve;
    return Math.min(tokens, tokensFor(microUsd, maxOutputTokens, rates));
  }

  private takeFromDraftShare(amounts: Amounts): void {
    this.ledger = release(this.ledger, 'drafts', amounts);
    this.draftReserve = subtractAmounts(this.draftReserve, amounts);
    this.ledger = this.granted('drafts', amounts);
  }

  /** Never more than remains: a draft that cost more than it reserved has eaten into the rest. */
  private keepForDrafts(amounts: Amounts): void {
    const remaining = remainingOf(this.ledger);
    const kept = leastAmounts(amounts, remaining);
    this.ledger = this.granted('drafts', kept);
    this.draftReserve = addAmounts(this.draftReserve, kept);
  }

  reserveAllotment(id: string, allotment: Amounts): void {
    this.ledger = this.granted(id, allotment);
    this.allotments.set(id, allotment);
    this.running += 1;
    this.waits.watchClock(this.running);
  }

  /** Books a subagent's outcome and frees what it did not use. Each attempt ends once. */
  settleOutcome(outcome: SubagentOutcome, isTakenUp = false): void {
    const allotment = this.allotments.get(outcome.id)!;
    this.allotments.delete(outcome.id);
    this.running -= 1;
    this.waits.watchClock(this.running);
    const { tokens, toolCalls, usd } = outcome.usage;
    const used = { tokens, toolCalls, microUsd: toMicroUsd(usd) };
    this.ledger = settle(this.ledger, outcome.id, allotment, used);
    const attempts = [...this.attemptsOf(outcome.id), { outcome, isTakenUp }];
    this.attempts.set(outcome.id, attempts);
    this.record(attempts.length === 1 ? outcome : sumAttempts(attempts), outcome.usage);
  }

  /** Those that have ended. */
  attemptsOf(id: string): readonly Attempt[] {
    return this.attempts.get(id) ?? [];
  }

  /** An outcome no longer counts: the subagent is tried again. What it cost stays spent. */
  withdraw(id: string): void {
    this.outcomes.delete(id);
  }

  /** An outcome that used nothing: a subagent that was never started. */
  record(outcome: SubagentOutcome, used = outcome.usage): void {
    this.outcomes.set(outcome.id, outcome);
    this.usage = addUsage(this.usage, used);
  }

  /** One that was not started. It stays what it was before, where it was to be tried again. */
  recordNotStarted(outcome: SubagentOutcome): SubagentOutcome {
    const attempts = this.attemptsOf(outcome.id);
    const kept = attempts.length === 0 ? outcome : sumAttempts(attempts);
    this.record(kept, outcome.usage);
    return kept;
  }

  /** Whether a subagent has learned that the key has no quota left: then no other one is started on it. */
  isQuotaUsedUp(): boolean {
    return [...this.outcomes.values()].some(({ reason }) => reason === 'quota');
  }

  /** Outcomes in plan order. */
  ordered(): readonly (SubagentOutcome & { readonly goal: string })[] {
    return this.plan.flatMap(({ id, goal }) => {
      const outcome = this.outcomes.get(id);
      return outcome ? [{ ...outcome, goal }] : [];
    });
  }

  /** Begins a part of the run. */
  enter(phase: RunStatus): void {
    this.phase = phase;
    this.publish();
  }

  /** Shown by lists. Written at changes of state, never per turn. */
  publish(): void {
    this.waits.watchClock(this.running);
    const settled: Record<string, number> = {};
    for (const { status: each } of this.outcomes.values()) settled[each] = (settled[each] ?? 0) + 1;
    const memo: Partial<RunMemo> = {
      status: (this.isClosing ? null : this.waits.status()) ?? this.phase,
      spentTokens: meterOf(this.ledger, 'tokens').spent,
      limitTokens: this.ledger.total.tokens,
      spentUsd: this.usage.usd,
      estimated: this.usage.estimated,
      ...(this.request.budget.usd !== undefined && { limitUsd: fromMicroUsd(this.ledger.total.microUsd) }),
      planned: this.plan.length,
      toolCalls: meterOf(this.ledger, 'toolCalls').spent,
      settled,
    };
    upsertMemo(memo);
    setCurrentDetails(toCurrentDetails(memo));
  }

  /** All that was used so far, the run's own calls and every subagent's. */
  totalUsage(): Usage {
    return { ...this.usage, wallClockMs: this.elapsedMs() };
  }

  /** The meters as they stand. */
  budget(): BudgetState {
    const limit = this.wallClockMs;
    const spent = Math.min(this.elapsedMs(), limit);
    return {
      tokens: meterOf(this.ledger, 'tokens'),
      toolCalls: meterOf(this.ledger, 'toolCalls'),
      wallClockMs: { spent, reserved: 0, remaining: limit - spent, limit },
      ...(this.request.budget.usd !== undefined && { usd: toUsdMeter(meterOf(this.ledger, 'microUsd')) }),
    };
  }

  private onWait(): void {
    this.waits.watchClock(this.running);
    if (!this.isClosing) this.publish();
  }

  private granted(account: string, amounts: Amounts): Ledger {
    const granted = reserve(this.ledger, account, amounts);
    if (granted.status === 'denied') throw new Error(granted.message); // callers ask for no more than remains
    return granted.ledger;
  }
}
