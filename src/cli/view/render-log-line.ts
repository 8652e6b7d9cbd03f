/** The line log for pipes and files: one line per change of state, and a heartbeat. Pure. */
import type { Usage } from '../../contract/budget.ts';
import type { RunDescription, RunEvent, SubagentView } from '../../contract/run-view.ts';
import { formatCount } from '../../domain/text.ts';
import { hasSubagentEnded } from '../follow/fold-run-event.ts';
import { signsOf } from '../output/marks.ts';
import { toPlainLine } from '../output/plain-text.ts';
import type { Style } from '../output/style.ts';
import { renderAgain } from './render-subagent.ts';
import { ageOf, formatClock, formatDuration, formatPlural, formatCost, formatUsd } from './format.ts';

/** Lines that an event is worth; most are worth none. `run` is the state after the event. */
export function renderLogLines(run: RunDescription, event: RunEvent, style: Style): string[] {
  const clock = formatClock(event.at);
  switch (event.type) {
    case 'snapshot':
      return [`${clock} ${run.runId} ${run.status}  ${renderFacts(run, style)}`];
    case 'run-status':
      return [`${clock} run ${event.status}${event.reason ? `  ${toPlainLine(event.reason)}` : ''}`];
    case 'plan-approved':
      return [`${clock} run planned  ${formatPlural(event.subtasks.length, 'subtask')}`];
    case 'subagent-status': {
      // The plan was a line already.
      if (event.status === 'queued' && event.attempt === 1) return [];
      const view = run.tree.find((each) => each.id === event.subagentId);
      return view
        ? [`${clock} ${view.id} ${event.status.padEnd(9)} ${renderChange(view, event, style)}`.trimEnd()]
        : [];
    }
    case 'plan-proposed':
      return [`${clock} run plan waits for approval  ${formatPlural(event.subtasks.length, 'subtask')}`];
    case 'budget-raised':
      return [`${clock} run budget raised  by ${toPlainLine(event.by)}  ${renderFacts(run, style)}`];
    case 'draft-written':
      return [`${clock} run draft ${event.number} written  rests on ${event.subagents.join(', ')}`];
    case 'finalize-requested':
      return [`${clock} run finalize  asked for by ${toPlainLine(event.by)}`];
    case 'approval-requested': {
      const { id, subagentId, tool, input } = event.approval;
      return [`${clock} ${subagentId} asks for approval ${id}  ${toPlainLine(tool)} ${toPlainLine(input)}`];
    }
    case 'approval-resolved':
      return [`${clock} approval ${event.outcome.id} ${event.outcome.decision}  by ${toPlainLine(event.outcome.by)}`];
    case 'resync':
      return [`${clock} reading the run again from its beginning: ${toPlainLine(event.reason)}`];
    case 'result':
    case 'tool-call-started':
    case 'tool-call-finished':
    case 'source-found':
    case 'finding-added':
    case 'budget-updated':
    case 'subagent-live':
      return [];
    default:
      return event satisfies never;
  }
}

function renderChange(view: SubagentView, event: Extract<RunEvent, { type: 'subagent-status' }>, style: Style): string {
  const attempt = event.attempt > 1 ? `attempt ${event.attempt}  ` : '';
  if (!hasSubagentEnded(event.status)) {
    const again = event.status === 'running' && view.again !== undefined ? [renderAgain(view.again)] : [];
    return `${attempt}${[toPlainLine(view.goal), ...again].join('  ')}`;
  }
  return [
    ...(view.reusedFrom === undefined ? [] : [`from ${view.reusedFrom}`]),
    ...(event.reason === undefined ? [] : [toPlainLine(event.reason)]),
    ...(view.findings > 0 ? [formatPlural(view.findings, 'finding')] : []),
    ...(view.toolCalls > 0 ? [formatPlural(view.toolCalls, 'tool')] : []),
    ...(view.usage.tokens > 0 ? [`${markOf(view.usage, style)}${formatCount(view.usage.tokens)} tokens`] : []),
    ...(view.usage.usd ? [formatCost(view.usage, signsOf(style).atLeast)!] : []),
  ].join('  ');
}

/** `12:08:00 still running 12m04s  5/10 done  41,203/1,000,000 tokens  last event 4s ago` */
export function renderHeartbeat(run: RunDescription, nowMs: number, style: Style): string {
  const now = new Date(nowMs).toISOString();
  const quiet = formatDuration(ageOf(run.lastEventAt, nowMs));
  return `${formatClock(now)} still ${run.status} ${formatDuration(ageOf(run.startedAt, nowMs))}  ${renderFacts(run, style)}  last event ${quiet} ago`;
}

function renderFacts(run: RunDescription, style: Style): string {
  const { usage, tree } = run;
  const { usd } = run.budget;
  const mark = markOf({ estimated: usage.estimated || tree.some((view) => view.usage.estimated) }, style);
  const ended = run.tree.filter((view) => hasSubagentEnded(view.status)).length;
  return [
    ...(run.tree.length > 0 ? [`${ended}/${run.tree.length} done`] : []),
    `${mark}${formatCount(run.budget.tokens.spent)}/${formatCount(run.budget.tokens.limit)} tokens`,
    ...(usd ? [`${mark}${formatUsd(usd.spent)}/${formatUsd(usd.limit)}`] : []),
  ].join('  ');
}

/** `≥` in front of what is an estimate in part. */
function markOf({ estimated }: Pick<Usage, 'estimated'>, style: Style): string {
  return estimated ? signsOf(style).atLeast : '';
}
