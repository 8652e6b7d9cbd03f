/** What a workflow's history says of the subagents that it started: of a run's, and of a subagent's with some of its own. */
import type { HistoryFact } from '../../contract/history-fact.ts';
import { readOutcome, readStopped } from './read-payload.ts';
import { changeSubagent, type RunView } from './run-state.ts';
import { outcomeInFailure, withOutcome, withStart } from './subagent-fold.ts';

export type ChildFact = Extract<HistoryFact, { readonly childId: string }>;

export function foldChildFact(view: RunView, fact: ChildFact): RunView {
  switch (fact.kind) {
    case 'child-started':
      return changeSubagent(view, fact.childId, (subagent) => withStart(subagent, fact.input, fact.at));
    case 'child-completed':
      return changeSubagent(view, fact.childId, (subagent) => {
        const outcome = readOutcome(fact.result);
        return outcome
          ? withOutcome(subagent, outcome, fact.at)
          : { ...subagent, closedByRun: { how: 'failed', at: fact.at, message: 'it handed back no outcome' } };
      });
    case 'child-failed':
      return changeSubagent(view, fact.childId, (subagent) => {
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

/** What subagents used that handed back nothing, by their own word or by their histories. */
export function foldStopped(view: RunView, stopped: readonly unknown[]): RunView {
  return stopped.reduce<RunView>((state, each) => {
    const usage = readStopped(each);
    return usage ? changeSubagent(state, usage.id, (subagent) => ({ ...subagent, stopped: usage })) : state;
  }, view);
}
