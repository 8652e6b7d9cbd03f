/** The fold of the run's own workflow, and the subagents below it. Plain data; each step replaces what it changes. */
import type { Usage } from '../../contract/budget.ts';
import type { HistoryFact } from '../../contract/history-fact.ts';
import type { ResearchRequest } from '../../contract/request.ts';
import type { RecordedResult, TerminalRunStatus } from '../../contract/result.ts';
import type { RunStatus } from '../../contract/run-view.ts';
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
import { addShare, noShare, type Share, shareOf } from './share.ts';
import {
  chargeOf,
  foldSubagentFact,
  openSubagent,
  toOpenActivity,
  type OpenActivity,
  type SubagentFold,
  outcomeInFailure,
  usageInFailure,
  withOutcome,
  withStart,
} from './subagent-fold.ts';
import { addUsage, noUsage } from '../usage.ts';

/** All that the facts so far say of a run. `describe-run` turns it into what people see. */
export type RunView = {
  readonly runId: string;
  readonly firstRunId: string;
  readonly request: ResearchRequest | null;
  readonly startedAt: string;
  readonly closedAt?: string;
  readonly lastEventAt: string;
  /** How far the work has come; a cancel and the end are kept apart from it. */
  readonly phase: Extract<RunStatus, 'queued' | 'planning' | 'running' | 'synthesizing'>;
  readonly cancelRequested?: { readonly at: string; readonly reason: string };
  readonly end: TerminalRunStatus | null;
  readonly failure?: { readonly code: string; readonly message: string };
  readonly planner: Usage;
  readonly synthesis: Usage;
  /** From then on the report's reserve is no longer held. */
  readonly hasSynthesisBegun: boolean;
  readonly synthesisReserveMinTokens: number;
  readonly open: Readonly<Record<number, OpenActivity>>;
  readonly notes: readonly string[];
  /** Ids and goals in plan order, once there is a plan. */
  readonly plan: readonly { readonly id: string; readonly goal: string }[] | null;
  /** In plan order, then in the order of their start. */
  readonly subagents: readonly SubagentFold[];
  readonly positions: Readonly<Record<string, number>>;
  /** The sum of the shares of all subagents. */
  readonly shares: Share;
  readonly recorded: RecordedResult | null;
};

/** A run of which nothing is known yet. `synthesisReserveMinTokens` is the floor of what is kept for the report. */
export function openRunView(runId: string, options: { readonly synthesisReserveMinTokens: number }): RunView {
  return {
    runId,
    firstRunId: '',
    request: null,
    startedAt: '',
    lastEventAt: '',
    phase: 'queued',
    end: null,
    planner: noUsage,
    synthesis: noUsage,
    hasSynthesisBegun: false,
    synthesisReserveMinTokens: options.synthesisReserveMinTokens,
    open: {},
    notes: [],
    plan: null,
    subagents: [],
    positions: {},
    shares: noShare,
    recorded: null,
  };
}

export function subagentOf(view: RunView, id: string): SubagentFold | undefined {
  return Object.hasOwn(view.positions, id) ? view.subagents[view.positions[id]!] : undefined;
}

export function runStatusOf(view: RunView): RunStatus {
  return view.end ?? (view.cancelRequested ? 'cancelling' : view.phase);
}

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
  const started = { ...view, firstRunId: fact.firstRunId, startedAt: fact.at, request };
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
      const charged = { ...view, planner: addUsage(view.planner, chargeOf(usage, activity)) };
      const subtasks = readList(result.plan, 'subtasks').map((subtask) => ({
        id: readText(subtask, 'id'),
        goal: readText(subtask, 'goal'),
      }));
      return subtasks.length === 0 ? charged : withPlan(withNotes(charged, readTexts(result.plan, 'notes')), subtasks);
    }
    case 'synthesizeActivity':
      return withNotes(
        { ...view, synthesis: addUsage(view.synthesis, chargeOf(usage, activity)) },
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

function changeSubagent(view: RunView, id: string, change: (subagent: SubagentFold) => SubagentFold): RunView {
  const known = subagentOf(view, id);
  const after = change(known ?? openSubagent(id, ''));
  if (after === known) return view;
  const shares = addShare(addShare(view.shares, shareOf(known), -1), shareOf(after), 1);
  if (known) return { ...view, shares, subagents: view.subagents.with(view.positions[id]!, after) };
  return {
    ...view,
    shares,
    positions: { ...view.positions, [id]: view.subagents.length },
    subagents: [...view.subagents, after],
  };
}
