/** What a run has taken over from another one: its spending, its drafts, and what became of each subtask. */
import { readDrafts, readList, readOutcome, readText, readUsage } from './read-payload.ts';
import { changeSubagent, type RunView } from './run-state.ts';

/** `null` where the payload is none of ours; `plan: null` = a planner makes one. */
export function foldAdopted(
  view: RunView,
  result: unknown,
  at: string,
): { readonly view: RunView; readonly plan: RunView['plan'] } | null {
  const spent = readUsage(result, 'spent');
  if (!spent) return null;
  const plan = readList(result, 'plan').map((each) => ({ id: readText(each, 'id'), goal: readText(each, 'goal') }));
  const carried = { ...view, earlier: { ...spent, wallClockMs: 0 }, drafts: readDrafts(result, 'drafts') };
  const folded = readList(result, 'subagents').reduce<RunView>((state, each) => {
    const why = readText(each, 'why');
    const reusedFrom = readText(each, 'reusedFrom');
    const outcome = readOutcome((each as { outcome?: unknown }).outcome);
    return changeSubagent(state, readText(each, 'id'), (subagent) => ({
      ...subagent,
      ...(why !== '' && { again: why }),
      ...(outcome && { outcome, outcomeAt: at, ...(reusedFrom !== '' && { reusedFrom }) }),
    }));
  }, carried);
  return { view: folded, plan: plan.length === 0 ? null : plan };
}
