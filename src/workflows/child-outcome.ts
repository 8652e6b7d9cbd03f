/** Outcomes of subagents that did not return one: never started, stopped, terminated, or failed without a word. */
import {
  subagentOutcomeSchema,
  type OutcomeReason,
  type OutcomeStatus,
  type SubagentOutcome,
} from '../contract/outcome.ts';
import { noUsage } from '../domain/usage.ts';
import { fromTemporalFailure } from '../temporal/failure-codec.ts';
import type { FanOutStop } from './fan-out.ts';

/** How a child ended that did not return: its own outcome, or a status whose usage must be looked up. */
export function toChildEnd(
  error: unknown,
  stop: FanOutStop,
): SubagentOutcome | { status: OutcomeStatus; reason: OutcomeReason; message?: string } {
  const failure = fromTemporalFailure(error);
  switch (failure.kind) {
    case 'cancelled':
      if (stop === 'deadline')
        return { status: 'timed-out', reason: 'join', message: 'the deadline of the join passed' };
      return { status: 'cancelled', reason: stop === 'join' || stop === 'budget' ? stop : 'operator' };
    case 'terminated':
      return { status: 'failed', reason: 'terminated', message: 'terminated from outside' };
    case 'timed-out':
      return { status: 'timed-out', reason: 'wall-clock', message: 'its time ran out before it could hand back' };
    case 'failed': {
      const outcome = subagentOutcomeSchema.safeParse(failure.details[0]);
      return outcome.success
        ? outcome.data
        : { status: 'failed', reason: 'provider', message: failure.failure.message };
    }
    default:
      return failure satisfies never;
  }
}

/** Its turn never came: the join was over, or the run was cancelled. */
export function notStarted(id: string, stop: FanOutStop): SubagentOutcome {
  const reason = stop === null || stop === 'finalize' ? 'operator' : stop === 'budget' ? 'budget' : 'join';
  return { ...emptyOutcome(id), status: stop === null ? 'cancelled' : 'skipped', reason };
}

/** Nothing used and nothing found. */
export function emptyOutcome(id: string): Omit<SubagentOutcome, 'status'> {
  return {
    id,
    report: null,
    reportRef: null,
    usage: noUsage,
    turns: 0,
    toolCalls: 0,
    toolCallMessages: 0,
    transcript: null,
  };
}
