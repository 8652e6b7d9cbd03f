/** Whether a subagent that has used up its allotment gets more out of the run's pool. */
import type { Amounts } from '../contract/budget.ts';

export type TopUpState = {
  readonly wanted: Amounts;
  /** What the run's ledger can still give. */
  readonly remaining: Amounts;
  /** What subtasks that have not started will need: it is not given away. */
  readonly promised: Amounts;
  /** `false`: the caller set the size of an allotment, and nobody has raised the budget since. */
  readonly isPoolOpen: boolean;
  readonly onExhausted: 'pause' | 'finalize' | 'fail';
  /** The run takes on no new work any more, or nobody raised the budget in time. */
  readonly isClosing: boolean;
};

export type TopUpDecision = 'grant' | 'wait' | 'deny' | 'fail';

const dimensions = ['tokens', 'toolCalls', 'microUsd'] as const;

/** All of it or nothing. What does not fit waits for a person where the run pauses, and is denied or fails it otherwise. */
export function decideTopUp({
  wanted,
  remaining,
  promised,
  isPoolOpen,
  onExhausted,
  isClosing,
}: TopUpState): TopUpDecision {
  if (isClosing) return 'deny';
  const fits = dimensions.every(
    (dimension) => wanted[dimension] === 0 || wanted[dimension] <= remaining[dimension] - promised[dimension],
  );
  if (isPoolOpen && fits) return 'grant';
  switch (onExhausted) {
    case 'pause':
      return 'wait';
    case 'finalize':
      return 'deny';
    case 'fail':
      return 'fail';
    default:
      return onExhausted satisfies never;
  }
}

/** `share` for each of `count` subtasks. */
export function promiseFor(count: number, share: Amounts): Amounts {
  return {
    tokens: count * share.tokens,
    toolCalls: count * share.toolCalls,
    microUsd: count * share.microUsd,
  };
}
