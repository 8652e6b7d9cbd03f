/** How the tool calls of one turn are executed. Every call ends up in exactly one place: a stage, or refused with a text. */
import type { ToolEffect, ToolOptions } from '../contract/tool.ts';
import { toolErrorText } from './tool-error-text.ts';

/** A call that may be executed: its tool is known and its arguments are valid. */
export type BatchCall = { readonly callId: string; readonly effect: ToolEffect; readonly session: boolean };

/** Calls that run together. Stages run one after the other; calls of a stage start in the order given. */
export type Stage = {
  readonly callIds: readonly string[];
  /** Calls in flight at once; `null` = all of them. */
  readonly maxConcurrency: number | null;
  /** After a failed call of this stage nothing else of the batch starts: the rest is answered as skipped. */
  readonly stopOnFailure: boolean;
};

export type Refusal = {
  readonly callId: string;
  readonly why: 'over-cap' | 'no-budget' | 'one-at-a-time';
  readonly text: string;
};

export type BatchPlan = { readonly stages: readonly Stage[]; readonly refused: readonly Refusal[] };

/**
 * The stages of a batch by the run's policy. A session call makes the whole batch sequential and stops it at the first
 * failure. With parallel calls switched off the first call runs and the others are refused (R1.7). More calls than `maxToolCallsPerTurn` run in groups, or are refused; calls beyond `remainingToolCalls` are
 * refused. Earlier calls win.
 */
export function planToolBatch(
  calls: readonly BatchCall[],
  options: ToolOptions,
  remainingToolCalls: number,
): BatchPlan {
  const cap = options.maxToolCallsPerTurn;
  const wanted = options.parallelToolCalls ? calls : calls.slice(0, 1);
  const allowed = options.overflow === 'reject' ? wanted.slice(0, cap) : wanted;
  const funded = allowed.slice(0, Math.max(0, remainingToolCalls));
  const refused = [
    ...allowed.slice(funded.length).map((call) => refuse(call, 'no-budget', toolErrorText.noBudget())),
    ...wanted.slice(allowed.length).map((call) => refuse(call, 'over-cap', toolErrorText.overCap(cap))),
    ...calls.slice(wanted.length).map((call) => refuse(call, 'one-at-a-time', toolErrorText.oneAtATime())),
  ];
  const hasSession = calls.some((call) => call.session);
  const stages = groupsOf(funded, cap).flatMap((group) =>
    hasSession ? planOneByOne(group, true) : planStages(group, options),
  );
  return { stages, refused };
}

function planStages(calls: readonly BatchCall[], options: ToolOptions): Stage[] {
  const maxConcurrency = options.maxConcurrency ?? null;
  switch (options.policy) {
    case 'parallel':
      return [toStage(calls, null)];
    case 'bounded':
      return [toStage(calls, maxConcurrency)];
    case 'sequential':
      return planOneByOne(calls, options.stopOnFailure);
    case 'serialize-writes':
      return splitAtWrites(calls).map((run) => toStage(run, run[0]!.effect === 'write' ? 1 : maxConcurrency));
    default:
      return options.policy satisfies never;
  }
}

function planOneByOne(calls: readonly BatchCall[], stopOnFailure: boolean): Stage[] {
  return calls.map((call) => toStage([call], 1, stopOnFailure));
}

/** Runs of consecutive reads, and each write by itself. */
function splitAtWrites(calls: readonly BatchCall[]): BatchCall[][] {
  const runs: BatchCall[][] = [];
  for (const call of calls) {
    const last = runs.at(-1);
    if (last && call.effect === 'read' && last[0]!.effect === 'read') last.push(call);
    else runs.push([call]);
  }
  return runs;
}

function groupsOf(calls: readonly BatchCall[], size: number): BatchCall[][] {
  const groups: BatchCall[][] = [];
  for (let start = 0; start < calls.length; start += size) groups.push(calls.slice(start, start + size));
  return groups;
}

function toStage(calls: readonly BatchCall[], maxConcurrency: number | null, stopOnFailure = false): Stage {
  return { callIds: calls.map((call) => call.callId), maxConcurrency, stopOnFailure };
}

function refuse(call: BatchCall, why: Refusal['why'], text: string): Refusal {
  return { callId: call.callId, why, text };
}
