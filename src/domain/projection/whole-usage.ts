/** What a subagent has used together with those below it: what they use is used by it. */
import type { Usage } from '../../contract/budget.ts';
import { addUsage } from '../usage.ts';
import type { RunView } from './run-state.ts';
import { type SubagentFold, usageOf } from './subagent-state.ts';

/** The parts of a run's fold that hold the tree. */
export type SubagentTree = Pick<RunView, 'subagents' | 'positions' | 'below'>;

/** Its own word for all of it, once it has ended; else its own calls so far and what those below it have used. */
export function wholeUsageOf(tree: SubagentTree, subagent: SubagentFold): Usage {
  const own = usageOf(subagent);
  if (subagent.recorded || subagent.outcome || subagent.stopped) return own;
  return (tree.below[subagent.id] ?? []).reduce(
    (sum, id) => addUsage(sum, wholeUsageOf(tree, tree.subagents[tree.positions[id]!]!)),
    own,
  );
}
