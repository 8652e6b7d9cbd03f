/** What a subagent has used together with those below it: what they use is used by it. */
import type { Usage } from '../../contract/budget.ts';
import { addUsage } from '../usage.ts';
import { attemptsOf } from './attempts.ts';
import type { RunView } from './run-state.ts';
import { type SubagentFold, usageOf } from './subagent-state.ts';

/** The parts of a run's fold that hold the tree. */
export type SubagentTree = Pick<RunView, 'subagents' | 'positions' | 'below'>;

/** Over all of its attempts: what an earlier one has used stays spent. */
export function wholeUsageOf(tree: SubagentTree, subagent: SubagentFold): Usage {
  if (subagent.recorded) return subagent.recorded.usage;
  const attempts = attemptsOf(subagent);
  return attempts
    .map((attempt, index) => usageOfAttempt(tree, attempt, attempts[index + 1]))
    .reduce((sum, usage) => addUsage(sum, usage));
}

/** Its own word for all of it, once it has ended; else its own calls so far and what those below it have used. */
export function usageOfAttempt(tree: SubagentTree, attempt: SubagentFold, next?: SubagentFold): Usage {
  const own = usageOf(attempt);
  if (attempt.recorded || attempt.outcome || attempt.stopped) return own;
  const [from, to] = [attempt.delegatedBefore, next?.delegatedBefore ?? Infinity];
  const isItsOwn = (id: string) => {
    const ordinal = Number(id.slice(id.lastIndexOf('.') + 1));
    return ordinal > from && ordinal <= to;
  };
  return (tree.below[attempt.id] ?? [])
    .filter(isItsOwn)
    .reduce((sum, id) => addUsage(sum, wholeUsageOf(tree, tree.subagents[tree.positions[id]!]!)), own);
}
