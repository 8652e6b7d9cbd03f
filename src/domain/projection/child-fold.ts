/** What a workflow's history says of the subagents that it started: of a run's, and of a subagent's with some of its own. */
import type { HistoryFact } from '../../contract/history-fact.ts';
import { readOutcome, readStopped } from './read-payload.ts';
import { changeAttempt } from './attempts.ts';
import { changeSubagent, type RunView } from './run-state.ts';
import { outcomeInFailure, withOutcome, withStart } from './subagent-fold.ts';
import type { SubagentFold } from './subagent-state.ts';

export type ChildFact = Extract<HistoryFact, { readonly childId: string }>;

export function foldChildFact(view: RunView, fact: ChildFact): RunView {
  switch (fact.kind) {
    case 'child-started':
      return changeSubagent(view, fact.childId, (subagent) => {
        const starts = subagent.starts + 1;
        return changeAttempt({ ...subagent, starts }, starts, (attempt) => withStart(attempt, fact.input, fact.at));
      });
    case 'child-completed':
      return changeStarted(view, fact.childId, (subagent) => {
        const outcome = readOutcome(fact.result);
        return outcome
          ? withOutcome(subagent, outcome, fact.at)
          : { ...subagent, closedByRun: { how: 'failed', at: fact.at, message: 'it handed back no outcome' } };
      });
    case 'child-failed':
      return changeStarted(view, fact.childId, (subagent) => {
        const outcome = outcomeInFailure(fact.details);
        return outcome
          ? withOutcome(subagent, outcome, fact.at)
          : { ...subagent, closedByRun: { how: fact.how, at: fact.at, message: fact.message } };
      });
    default:
      fact satisfies never;
      return view;
  }
}

/** What the history of whoever started a subagent says of it is said of the attempt that it started last. */
export function changeStarted(view: RunView, id: string, change: (attempt: SubagentFold) => SubagentFold): RunView {
  return changeSubagent(view, id, (subagent) => changeAttempt(subagent, Math.max(1, subagent.starts), change));
}

/** What subagents used that handed back nothing, by their own word or by their histories. */
export function foldStopped(view: RunView, stopped: readonly unknown[]): RunView {
  return stopped.reduce<RunView>((state, each) => {
    const usage = readStopped(each);
    return usage ? changeStarted(state, usage.id, (subagent) => ({ ...subagent, stopped: usage })) : state;
  }, view);
}
