/** Decides what a retry or a rerun takes over from an ended run, subtask by subtask, and says why the rest is done again. */
import type { Specification } from '../../contract/adopt.ts';
import type { Origin } from '../../contract/origin.ts';
import type { SubagentOutcome } from '../../contract/outcome.ts';
import type { Subtask } from '../../contract/plan.ts';
import type { Resume } from '../../contract/resume.ts';
import type { RunRecord, SubagentRecord } from '../../contract/run-record.ts';
import { toSubtasks } from '../to-subtasks.ts';
import { isOwnEnd } from './is-own-end.ts';
import { diffSpecification, toSpecification } from './specification.ts';

export type AdoptionDecision =
  | { readonly kind: 'reuse'; readonly id: string; readonly reusedFrom: string; readonly outcome: SubagentOutcome }
  | { readonly kind: 'continue'; readonly id: string; readonly why: string; readonly resume: Resume }
  | { readonly kind: 'anew'; readonly id: string; readonly why: string };

/**
 * `goals`: those that the new run's caller named. `plan: null` = a new plan is needed, and nothing is taken over. A rerun
 * from a later point takes over whatever else has finished, also where the request is another one.
 */
export function decideAdoption(
  record: RunRecord,
  wanted: { readonly origin: Origin; readonly specification: Specification; readonly goals?: readonly string[] },
): { readonly plan: readonly Subtask[] | null; readonly subagents: readonly AdoptionDecision[] } {
  const { origin, specification } = wanted;
  const plan = origin.from === 'plan' ? null : choosePlan(record, specification, wanted.goals);
  if (!plan) return { plan: null, subagents: [] };
  const before = record.request && toSpecification(record.request, record);
  const changes = before ? diffSpecification(before, specification) : ['it is not known what it was asked'];
  const known = new Map(record.subagents.map((subagent) => [subagent.id, subagent]));
  const decide = ({ id, goal }: Subtask): AdoptionDecision => {
    const earlier = known.get(id);
    if (!earlier || earlier.goal !== goal) return { kind: 'anew', id, why: 'the subtask is new' };
    return decideOne(earlier, origin, changes, record.runId);
  };
  const subagents = plan.map(decide);
  return {
    plan: plan.map(({ id, goal }) => ({ id, goal: origin.edits?.[id]?.goal ?? goal })),
    subagents,
  };
}

/** The caller's own subtasks where they are others than before, else the plan as it was carried out. */
function choosePlan(
  record: RunRecord,
  specification: Specification,
  goals: readonly string[] | undefined,
): readonly Subtask[] | null {
  const { request } = record;
  const before = request?.subtasks?.map(({ goal }) => goal);
  if (goals && goals.join('\n') !== before?.join('\n')) return toSubtasks(goals);
  if (!goals && request?.question !== specification.question) return null;
  const plan = record.subagents.map(({ id, goal }) => ({ id, goal }));
  return plan.length === 0 ? null : plan;
}

function decideOne(
  { id, outcome, resume, reusedFrom }: SubagentRecord,
  { kind, from, reuse }: Origin,
  changes: readonly string[],
  runId: string,
): AdoptionDecision {
  const isFinished = outcome.status === 'done' || outcome.status === 'reused';
  const taken = { kind: 'reuse', id, reusedFrom: reusedFrom ?? runId } as const;
  // The report alone is written anew: whatever became of the others stays as it was.
  if (from === 'synthesis') return { ...taken, outcome: isFinished ? { ...outcome, status: 'reused' } : outcome };
  if (from === id) return { kind: 'anew', id, why: 'the rerun begins with it' };
  if (reuse === 'none') return { kind: 'anew', id, why: 'nothing was to be reused' };
  if (typeof reuse === 'object' && !reuse.includes(id))
    return { kind: 'anew', id, why: 'it is not among those to be reused' };
  if (kind === 'retry' && changes.length > 0) return { kind: 'anew', id, why: changes.join('; ') };
  if (isFinished) return { ...taken, outcome: { ...outcome, status: 'reused' } };
  const why = tellEnd(outcome);
  return resume && !isOwnEnd(outcome) ? { kind: 'continue', id, why, resume } : { kind: 'anew', id, why };
}

function tellEnd({ status, reason }: SubagentOutcome): string {
  const because = reason ? ` (${reason})` : '';
  switch (status) {
    case 'cancelled':
      return `it was cancelled${because}`;
    case 'skipped':
      return `it had not been started${because}`;
    case 'timed-out':
      return `its time was up${because}`;
    case 'partial':
      return `it was cut short${because}`;
    case 'failed':
      return `it failed${because}`;
    case 'done':
    case 'reused':
      return 'it was done';
    default:
      return status satisfies never;
  }
}
