/** The attempts of a subagent: a run may start one again that has ended, under the same id. */
import { openSubagent, type SubagentFold } from './subagent-state.ts';

/** The subagent with one of its attempts changed. One that is new begins empty, and becomes the newest. */
export function changeAttempt(
  subagent: SubagentFold,
  attempt: number,
  change: (attempt: SubagentFold) => SubagentFold,
): SubagentFold {
  const { earlier } = subagent;
  const known = earlier[attempt - 1];
  if (attempt < subagent.attempt && known) {
    const changed = change(known);
    return changed === known ? subagent : { ...subagent, earlier: earlier.with(attempt - 1, changed) };
  }
  let newest = subagent;
  while (newest.attempt < attempt) newest = openNext(newest);
  return change(newest);
}

/** One of its attempts; `undefined` where that is not known of. */
export function attemptOf(subagent: SubagentFold | undefined, attempt: number): SubagentFold | undefined {
  return subagent?.attempt === attempt ? subagent : subagent?.earlier[attempt - 1];
}

/** All of them, oldest first. */
export function attemptsOf(subagent: SubagentFold): readonly SubagentFold[] {
  return [...subagent.earlier, subagent];
}

function openNext(before: SubagentFold): SubagentFold {
  const { id, goal, earlier, starts, requeuedAfter, again } = before;
  return {
    ...openSubagent(id, goal),
    ...(again !== undefined && { again }),
    attempt: before.attempt + 1,
    earlier: [...earlier, { ...before, earlier: [], requeuedAfter: null }],
    starts,
    requeuedAfter,
  };
}
