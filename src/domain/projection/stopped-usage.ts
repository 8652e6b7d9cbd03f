/** What a subagent used that closed without saying so, from its own history. */
import type { HistoryFact } from '../../contract/history-fact.ts';
import type { StoppedUsage } from '../../contract/stopped-usage.ts';
import { foldSubagentFact } from './subagent-fold.ts';
import { openSubagent, type SubagentFold, usageWithFlight } from './subagent-state.ts';
import { elapsedMs } from './epoch-ms.ts';
import { addUsage } from '../usage.ts';

/**
 * `facts` are those of one subagent, in the order of their events. What was in flight at its end is charged at its
 * reservation and marked `estimated`. What those used that it started (`below`) was used by it. An empty history gives
 * zeros.
 */
export function usageOfStopped(
  id: string,
  facts: readonly HistoryFact[],
  below: readonly StoppedUsage[] = [],
): StoppedUsage {
  const subagent = facts.reduce<SubagentFold>(foldSubagentFact, openSubagent(id, ''));
  const wallClockMs = elapsedMs(facts[0]?.at, facts.at(-1)?.at);
  const withBelow = () => below.reduce((sum, { usage }) => addUsage(sum, usage), usageWithFlight(subagent));
  return {
    id,
    usage: { ...(subagent.outcome?.usage ?? withBelow()), wallClockMs },
    turns: subagent.outcome?.turns ?? subagent.turns,
    toolCalls: subagent.outcome?.toolCalls ?? subagent.toolCalls,
    toolCallMessages: subagent.outcome?.toolCallMessages ?? subagent.toolCallMessages,
    transcript: subagent.outcome?.transcript ?? subagent.head,
  };
}
