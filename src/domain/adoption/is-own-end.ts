import type { OutcomeReason, SubagentOutcome } from '../../contract/outcome.ts';

const ownEnds: readonly OutcomeReason[] = ['refusal', 'content-filter', 'context-exceeded', 'loop', 'truncated'];

/** Whether the end lies in what the model said: going on from there would lead there again. */
export function isOwnEnd({ status, reason }: Pick<SubagentOutcome, 'status' | 'reason'>): boolean {
  return status !== 'cancelled' && reason !== undefined && ownEnds.includes(reason);
}
