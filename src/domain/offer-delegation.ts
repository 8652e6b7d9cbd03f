/** Which subagents may fan out themselves, and what they are offered for it. */
import type { Delegation, delegateToolName as delegateToolNameOfContract, ToolTraits } from '../contract/tool.ts';
import { depthOf } from './subagent-tree.ts';

/** The domain imports no values of the contract; its type keeps the two names equal. */
const delegateToolName: typeof delegateToolNameOfContract = 'delegate';
const delegateTraits: ToolTraits = { name: delegateToolName, effect: 'read', session: false, idempotent: true };

/**
 * The tools of the subagent `id`, where `tools` are those of its run: with `delegate` while there is a level below it, and
 * then with the bounds of its fan-outs. A run that has a tool of that name keeps its own.
 */
export function offerDelegation(
  id: string,
  tools: readonly ToolTraits[],
  bounds: Delegation,
): { readonly tools: ToolTraits[]; readonly delegation?: Delegation } {
  const isTaken = tools.some(({ name }) => name === delegateToolName);
  if (isTaken || depthOf(id) >= bounds.maxDepth) return { tools: [...tools] };
  return { tools: [...tools, delegateTraits], delegation: bounds };
}

/** The tools of the run, of a subagent that was offered `delegate` beside them. */
export function withoutDelegate(tools: readonly ToolTraits[]): ToolTraits[] {
  return tools.filter(({ name }) => name !== delegateToolName);
}
