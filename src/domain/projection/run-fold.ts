/** The fold of the run's own workflow, and the way to those of its subagents. */
import type { HistoryFact } from '../../contract/history-fact.ts';
import type { RecordedResult, TerminalRunStatus } from '../../contract/result.ts';
import { chargeCall } from '../charge.ts';
import { addUsage } from '../usage.ts';
import { type OpenActivity, toOpenActivity, usageInFailure } from './open-activity.ts';
import {
  readList,
  readOutcome,
  readRecorded,
  readRequest,
  readStopped,
  readText,
  readTexts,
  toRecord,
} from './read-payload.ts';
import { changeSubagent, type RunView } from './run-state.ts';
import { foldSubagentFact, outcomeInFailure, withOutcome, withStart } from './subagent-fold.ts';

/** The state after one more fact, of whichever workflow it is. */
export function advance(before: RunView, fact: HistoryFact): RunView {
  const view = fact.at > before.lastEventAt ? { ...before, lastEventAt: fact.at } : before;
  return fact.subagentId === null
    ? foldRunFact(view, fact)
    : changeSubagent(view, fact.subagentId, (subagent) => foldSubagentFact(subagent, fact));
}

function foldRunFact(view: RunView, fact: HistoryFact): RunView {
  switch (fact.kind) {
    case 'workflow-started':
      return foldStarted(view, fact);
    case 'workflow-completed': {
      const recorded = readRecorded(fact.result);
      return close(view, fact.at, recorded?.status === 'partial' ? 'partial' : 'completed', { recorded });
    }
    case 'workflow-failed': {
      const failure = { code: fact.code, message: fact.message };
      const recorded = readRecorded(Array.isArray(fact.details) ? fact.details[0] : null);
      return close(view, fact.at, 'failed', { failure, recorded });
    }
    case 'workflow-cancelled':
      return close(view, fact.at, 'cancelled', {});
    case 'workflow-terminated':
      return close(view, fact.at, 'terminated', {
        failure: { code: 'TERMINATED', message: fact.reason === '' ? 'terminated' : `terminated: ${fact.reason}` },
      });
    case 'workflow-timed-out':
      return close(view, fact.at, 'timed-out', {
        failure: { code: 'TIMED_OUT', message: 'the run was stopped at its execution time-out' },
      });
    case 'workflow-cancel-requested':
      return view.cancelRequested ? view : { ...view, cancelRequested: { at: fact.at, reason: fact.reason } };
    case 'workflow-continued':
      return { ...view, open: {} };
    case 'activity-scheduled': {
      const open = { ...view.open, [fact.eventId]: toOpenActivity(fact) };
      const hasSynthesisBegun = view.hasSynthesisBegun || fact.activityType === 'synthesizeActivity';
      return { ...view, open, hasSynthesisBegun, phase: phaseAfter(view.phase, fact.activityType) };
    }
    case 'activity-completed':
    case 'activity-failed': {
      const activity = view.open[fact.scheduledEventId];
      if (!activity) return view;
      const open = { ...view.open };
      delete open[fact.scheduledEventId];
      return foldClosedActivity({ ...view, open }, activity, fact);
    }
    case 'child-started': {
      const phase = view.phase === 'synthesizing' ? view.phase : 'running';
      return changeSubagent({ ...view, phase }, fact.childId, (subagent) => withStart(subagent, fact.input, fact.at));
    }
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
    case 'signalled':
      return fact.signal === 'subagentStopped' ? foldStopped(view, [fact.input]) : view;
    case 'memo':
      return view;
    default:
      fact satisfies never;
      return view;
  }
}

function foldStarted(view: RunView, fact: Extract<HistoryFact, { kind: 'workflow-started' }>): RunView {
  // After a continue-as-new the workflow starts again; the run does not.
  if (view.startedAt !== '') return view;
  const request = readRequest(fact.input);
  const started = {
    ...view,
    firstRunId: fact.firstRunId,
    startedAt: fact.at,
    request,
    question: readText(fact.input, 'question'),
  };
  const goals = readList(fact.input, 'subtasks').map((subtask) => readText(subtask, 'goal'));
  return goals.length === 0
    ? started
    : withPlan(
        started,
        goals.map((goal, index) => ({ id: `s${index + 1}`, goal })),
      );
}

function phaseAfter(phase: RunView['phase'], activityType: string): RunView['phase'] {
  switch (activityType) {
    case 'openRunActivity':
    case 'planActivity':
      return phase === 'queued' ? 'planning' : phase;
    case 'synthesizeActivity':
      return 'synthesizing';
    default:
      return phase;
  }
}

function foldClosedActivity(
  view: RunView,
  activity: OpenActivity,
  fact: Extract<HistoryFact, { kind: 'activity-completed' | 'activity-failed' }>,
): RunView {
  const result = fact.kind === 'activity-completed' ? toRecord(fact.result) : {};
  const usage = fact.kind === 'activity-completed' ? result.usage : usageInFailure(fact);
  switch (activity.activityType) {
    case 'openRunActivity':
      return withNotes(view, readTexts(result, 'notes'));
    case 'planActivity': {
      const charged = { ...view, planner: addUsage(view.planner, chargeCall(usage, activity.held)) };
      const subtasks = readList(result.plan, 'subtasks').map((subtask) => ({
        id: readText(subtask, 'id'),
        goal: readText(subtask, 'goal'),
      }));
      return subtasks.length === 0 ? charged : withPlan(withNotes(charged, readTexts(result.plan, 'notes')), subtasks);
    }
    case 'synthesizeActivity':
      return withNotes(
        { ...view, synthesis: addUsage(view.synthesis, chargeCall(usage, activity.held)) },
        readTexts(result, 'notes'),
      );
    case 'settleStoppedActivity':
      return fact.kind === 'activity-completed' && Array.isArray(fact.result) ? foldStopped(view, fact.result) : view;
    default:
      return view;
  }
}

function foldStopped(view: RunView, stopped: readonly unknown[]): RunView {
  return stopped.reduce<RunView>((state, each) => {
    const usage = readStopped(each);
    return usage ? changeSubagent(state, usage.id, (subagent) => ({ ...subagent, stopped: usage })) : state;
  }, view);
}

function withPlan(view: RunView, plan: NonNullable<RunView['plan']>): RunView {
  return plan.reduce<RunView>((state, { id, goal }) => changeSubagent(state, id, (each) => ({ ...each, goal })), {
    ...view,
    plan,
  });
}

function withNotes(view: RunView, notes: readonly string[]): RunView {
  return notes.length === 0 ? view : { ...view, notes: [...view.notes, ...notes] };
}

function close(
  view: RunView,
  closedAt: string,
  end: TerminalRunStatus,
  last: { readonly failure?: RunView['failure']; readonly recorded?: RecordedResult | null },
): RunView {
  const recorded = last.recorded ?? null;
  const failure = recorded?.failure ?? last.failure;
  const closed: RunView = { ...view, closedAt, end, recorded, open: {}, ...(failure && { failure }) };
  if (!recorded) return closed;
  return recorded.subagents.reduce<RunView>(
    (state, summary) =>
      changeSubagent(state, summary.id, (subagent) => ({ ...subagent, goal: summary.goal, recorded: summary })),
    { ...closed, notes: recorded.notes },
  );
}
