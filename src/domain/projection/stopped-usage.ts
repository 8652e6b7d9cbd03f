/** What a subagent used that closed without saying so, from its own history. */
import type { HistoryFact } from '../../contract/history-fact.ts';
import type { StoppedUsage } from '../../contract/stopped-usage.ts';
import { foldSubagentFact } from './subagent-fold.ts';
import { openSubagent, type SubagentFold, usageWithFlight } from './subagent-state.ts';
import { elapsedMs } from './epoch-ms.ts';

/**
 * `facts` are those of one subagent, in the order of their events. What was in flight at its end is charged at its
 * reservation and marked `estimated`. An empty history gives zeros.
 */
export function usageOfStopped(id: string, facts: readonly HistoryFact[]): StoppedUsage {
  const subagent = facts.reduce<SubagentFold>(foldSubagentFact, openSubagent(id, ''));
  const wallClockMs = elapsedMs(facts[0]?.at, facts.at(-1)?.at);
  return {
    id,
    usage: { ...(subagent.outcome?.usage ?? usageWithFlight(subagent)), wallClockMs },
    turns: subagent.outcome?.turns ?? subagent.turns,
    toolCalls: subagent.outcome?.toolCalls ?? subagent.toolCalls,
    toolCallMessages: subagent.outcome?.toolCallMessages ?? subagent.toolCallMessages,
    transcript: subagent.outcome?.transcript ?? subagent.head,
  };
}
