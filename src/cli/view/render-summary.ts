/** The end of a run in a few lines, for stderr; the report itself is on stdout. Pure. */
import type { Gap, RunResult } from '../../contract/result.ts';
import { formatCount } from '../../domain/text.ts';
import { renderMark, signsOf } from '../output/marks.ts';
import { renderNext } from '../output/output.ts';
import { toPlainLine } from '../output/plain-text.ts';
import type { ToCommand } from '../output/problem.ts';
import { paintText, type Style } from '../output/style.ts';
import { formatDuration, formatPlural, formatCost, formatUsd } from './format.ts';
import { renderMayStillRun, renderRunCancel } from './render-cancel.ts';
import { renderReasons, renderTakenOver } from './render-lineage.ts';
import { toRetryStep } from './retry-step.ts';

const words: Record<RunResult['status'], string> = {
  completed: 'Completed in',
  partial: 'Partial in',
  failed: 'Failed after',
  cancelled: 'Cancelled after',
  terminated: 'Terminated after',
  'timed-out': 'Timed out after',
};

const maxGaps = 12;
const maxNotes = 8;

export function renderSummary(
  result: RunResult,
  options: { readonly style: Style; readonly toCommand: ToCommand },
): string[] {
  const { style, toCommand } = options;
  const { dot } = signsOf(style);
  const usable = result.subagents.filter((each) => ['done', 'reused', 'partial'].includes(each.status)).length;
  const cited = new Set(result.citations.map((citation) => citation.sourceId)).size;
  const facts = [
    `${words[result.status]} ${formatDuration(result.usage.wallClockMs)}`,
    ...(result.subagents.length > 0 ? [`${usable} of ${formatPlural(result.subagents.length, 'subagent')}`] : []),
    `${formatCount(result.usage.tokens)} of ${formatCount(result.budget.tokens.limit)} tokens${result.usage.estimated ? ' (estimated)' : ''}`,
    ...renderCost(result, style),
    ...(result.toolCallsPerMessage === null ? [] : [`${result.toolCallsPerMessage.toFixed(2)} tool calls per message`]),
    ...(result.sources.length > 0 ? [`${formatPlural(result.sources.length, 'source')}, ${cited} cited`] : []),
  ];
  const next: [string, string][] =
    result.report === null
      ? [['see what happened', toCommand('show', result.runId)]]
      : [
          ['the report again', toCommand('result', result.runId)],
          ['details', toCommand('show', result.runId)],
        ];
  const isShort = result.failure?.code === 'BUDGET_EXHAUSTED' || result.gaps.some(({ reason }) => reason === 'budget');
  return [
    `${renderMark(result.status, style)} ${paintText(style, 'bold', facts[0]!)}${facts
      .slice(1)
      .map((fact) => ` ${dot} ${fact}`)
      .join('')}`,
    ...[...renderTakenOver(result, style), ...(result.origin ? renderReasons(result.subagents) : [])].map(
      (line) => `  ${toPlainLine(line)}`,
    ),
    ...(result.failure ? [`  ${toPlainLine(result.failure.message)} (${result.failure.code})`] : []),
    ...(result.cancel
      ? [renderRunCancel(result.cancel), ...renderMayStillRun(result.cancel)].map((line) => `  ${line}`)
      : []),
    ...result.gaps.slice(0, maxGaps).map((gap, index) => `  ${index === 0 ? 'gaps: ' : '      '}${renderGap(gap)}`),
    ...(result.gaps.length > maxGaps ? [`        and ${result.gaps.length - maxGaps} more`] : []),
    ...result.notes.slice(0, maxNotes).map((note) => `  note: ${toPlainLine(note)}`),
    ...renderNext([...next, ...toRetryStep({ ...result, isShort }, toCommand)]),
  ];
}

/** `≥$4.37 of $5.00`; nothing where nothing was to be paid. */
function renderCost({ usage, budget }: RunResult, style: Style): string[] {
  const cost = formatCost(usage, signsOf(style).atLeast);
  if (cost === null) return [];
  return [budget.usd && usage.usd !== null ? `${cost} of ${formatUsd(budget.usd.limit)}` : cost];
}

/** `s4 Policy (failed: rate-limit)` */
export function renderGap(gap: Gap): string {
  const reason = gap.reason === undefined ? '' : `: ${gap.reason}`;
  return `${gap.subagentId} ${toPlainLine(gap.goal)} (${gap.status}${reason})`;
}
