/** `show`: a run, or one of its subagents, described once. Pure. */
import type { RunCancel, SubagentCancel } from '../../contract/cancel-proof.ts';
import type { RunDescription, SubagentView } from '../../contract/run-view.ts';
import { formatCount } from '../../domain/text.ts';
import { hasEnded } from '../follow/fold-run-event.ts';
import { renderMark, signsOf } from '../output/marks.ts';
import { toPlainLine, toPlainText } from '../output/plain-text.ts';
import { paintText, type Style } from '../output/style.ts';
import { ageOf, formatClock, formatDuration, formatPlural, formatCost } from './format.ts';
import { renderBar, renderMeter, renderUsdMeter } from './render-budget.ts';
import { renderMayStillRun, renderRunCancel, renderSubagentCancel } from './render-cancel.ts';
import { renderEarlier, renderLineage } from './render-lineage.ts';
import { renderActivity, renderAgain } from './render-subagent.ts';

type Options = { readonly nowMs: number; readonly style: Style };

export function renderDescription(run: RunDescription, { nowMs, style }: Options): string[] {
  const { dot } = signsOf(style);
  const request = run.request;
  const ended = hasEnded(run.status);
  const took = ended && run.closedAt ? ageOf(run.startedAt, Date.parse(run.closedAt)) : ageOf(run.startedAt, nowMs);
  const facts: [string, string][] = [
    ['run', run.runId],
    [
      'started',
      `${run.startedAt} (${formatDuration(ageOf(run.startedAt, nowMs))} ago)${ended ? ` ${dot} took ${formatDuration(took)}` : ''}`,
    ],
    ...toLineageFacts(run, style),
    ...(request && toPlainLine(request.question) !== toPlainLine(run.title)
      ? [['question', toPlainLine(request.question)] as [string, string]]
      : []),
    ...(request ? toRequestFacts(request, dot) : []),
    ...renderRunCost(run, style),
    [
      'tokens',
      `${renderBar(run.budget.tokens, 20, style)} ${renderMeter(run.budget.tokens)}${run.usage.estimated ? ' (estimated)' : ''}`,
    ],
    [
      'calls',
      `${renderBar(run.budget.toolCalls, 20, style)} ${renderMeter(run.budget.toolCalls)}${run.toolCallsPerMessage === null ? '' : ` ${dot} ${run.toolCallsPerMessage.toFixed(2)} per message`}`,
    ],
    ['time', `${formatDuration(run.budget.wallClockMs.spent)} of ${formatDuration(run.budget.wallClockMs.limit)}`],
    ...(run.tags.length > 0 ? [['tags', run.tags.map(toPlainLine).join(', ')] as [string, string]] : []),
    ...(run.cancelRequestedAt
      ? [
          [
            'cancel',
            `asked for at ${formatClock(run.cancelRequestedAt)}${run.cancelReason ? `: ${toPlainLine(run.cancelReason)}` : ''}`,
          ] as [string, string],
        ]
      : []),
    ...(run.cancel ? toCancelFacts(renderRunCancel(run.cancel), run.cancel) : []),
    ...(run.failure
      ? [['failure', `${run.failure.code}: ${toPlainLine(run.failure.message)}`] as [string, string]]
      : []),
    ...run.notes.map((note) => ['note', toPlainLine(note)] as [string, string]),
    ['temporal', `workflow ${run.temporal.workflowId}${run.temporal.url ? ` ${dot} ${run.temporal.url}` : ''}`],
  ];
  return [
    `${renderMark(run.status, style)} ${paintText(style, 'bold', toPlainLine(run.title))} ${dot} ${run.status}`,
    ...toTable(facts, style),
    ...(run.tree.length > 0 ? [''] : []),
    ...run.tree.flatMap((view) => renderNode(view, { nowMs, style })),
    '',
    `  last event ${formatDuration(ageOf(run.lastEventAt, nowMs))} ago`,
  ];
}

function toRequestFacts(request: NonNullable<RunDescription['request']>, dot: string): [string, string][] {
  const { planner, subagent, synthesis } = request.models;
  const models = [...new Set([planner, subagent, synthesis])].map(toPlainLine).join(', ');
  const join = `${request.join.kind}, at least ${request.join.minSuccess}${request.join.deadline ? `, deadline ${formatDuration(request.join.deadline)}` : ''}`;
  return [
    ['model', models],
    ...(request.corpus ? [['corpus', toPlainLine(request.corpus)] as [string, string]] : []),
    ['join', `${join} ${dot} tools ${request.tools.policy}`],
  ];
}

/** Below the line that says when it was asked for. */
function toCancelFacts(text: string, cancel: RunCancel | SubagentCancel): [string, string][] {
  return [text, ...renderMayStillRun(cancel)].map((line) => ['', line]);
}

function toTable(facts: readonly (readonly [string, string])[], style: Style): string[] {
  return facts.map(([name, value]) => `  ${paintText(style, 'dim', name.padEnd(9))} ${value}`);
}

/** Both ways: whose work it takes over, and who took over its own. */
function toLineageFacts({ origin, earlier, successors = [] }: RunDescription, style: Style): [string, string][] {
  return [
    ...(origin ? [['origin', `${renderLineage(origin)}${renderEarlier(earlier, style)}`] as [string, string]] : []),
    ...successors.map(({ runId, kind, from, status }): [string, string] => [
      'later',
      `taken over by ${runId} (${kind}${from === undefined ? '' : ` from ${from}`}, ${status})`,
    ]),
  ];
}

/** The meter where a limit was set, else what it cost so far. */
function renderRunCost({ budget, usage }: RunDescription, style: Style): [string, string][] {
  if (budget.usd) {
    return [['cost', `${renderBar(budget.usd, 20, style)} ${renderUsdMeter(budget.usd, usage.estimated, style)}`]];
  }
  const cost = formatCost(usage, signsOf(style).atLeast);
  return cost === null ? [] : [['cost', cost]];
}

/** What it is, how it goes, and how its cancel went. */
function renderNode(view: SubagentView, { nowMs, style }: Options): string[] {
  const { dot } = signsOf(style);
  const indent = '  '.repeat(1 + (view.id.match(/\./g) ?? []).length);
  const limit = view.limitTokens > 0 ? ` of ${formatCount(view.limitTokens)}` : '';
  // What was taken over has cost this run nothing.
  const isTaken = view.reusedFrom !== undefined;
  const taken = [renderActivity(view, nowMs), ...(view.findings > 0 ? [formatPlural(view.findings, 'finding')] : [])];
  const facts = isTaken
    ? taken
    : [
        renderActivity(view, nowMs),
        formatPlural(view.turns, 'turn'),
        formatPlural(view.toolCalls, 'tool call'),
        `${formatCount(view.usage.tokens)}${limit} tokens${view.usage.estimated ? ' (estimated)' : ''}`,
        ...(view.usage.usd ? [formatCost(view.usage, signsOf(style).atLeast)!] : []),
      ];
  return [
    `${indent}${renderMark(view.status, style)} ${view.id}  ${toPlainLine(view.goal)}`,
    `${indent}    ${paintText(style, 'dim', facts.join(` ${dot} `))}`,
    ...(view.again === undefined || view.status === 'queued'
      ? []
      : [`${indent}    ${paintText(style, 'dim', renderAgain(view.again))}`]),
    ...(view.cancel ? [`${indent}    ${paintText(style, 'dim', `cancel: ${renderSubagentCancel(view.cancel)}`)}`] : []),
  ];
}

export function renderSubagentDescription(view: SubagentView, { nowMs, style }: Options): string[] {
  const call = view.lastCall;
  const facts: [string, string][] = [
    ['status', `${view.status}${view.reason ? ` (${view.reason})` : ''}`],
    ...(view.message ? [['message', toPlainLine(view.message)] as [string, string]] : []),
    ...(view.reusedFrom === undefined ? [] : [['reused', `from ${view.reusedFrom}`] as [string, string]]),
    ...(view.again === undefined ? [] : [['again', toPlainLine(view.again)] as [string, string]]),
    ['goal', toPlainLine(view.goal)],
    ...(view.startedAt
      ? [['started', `${view.startedAt} (${formatDuration(ageOf(view.startedAt, nowMs))} ago)`] as [string, string]]
      : []),
    ...(view.closedAt ? [['closed', view.closedAt] as [string, string]] : []),
    ['turns', String(view.turns)],
    ['calls', String(view.toolCalls)],
    ['findings', String(view.findings)],
    [
      'tokens',
      `${formatCount(view.usage.inputTokens)} in + ${formatCount(view.usage.outputTokens)} out${view.limitTokens > 0 ? ` of ${formatCount(view.limitTokens)}` : ''}${view.usage.estimated ? ' (estimated)' : ''}`,
    ],
    ...(view.usage.usd ? [['cost', formatCost(view.usage, signsOf(style).atLeast)!] as [string, string]] : []),
    ...(view.cancel
      ? [
          ['cancel', `asked for at ${formatClock(view.cancel.requestedAt)}`] as [string, string],
          ...toCancelFacts(renderSubagentCancel(view.cancel), view.cancel),
        ]
      : []),
    ...(view.live ? [['now', toPlainLine(view.live)] as [string, string]] : []),
    ...(call
      ? [
          [
            'last call',
            `${call.tool} ${toPlainLine(call.input)} ${call.finishedAt === undefined ? `(open for ${formatDuration(ageOf(call.startedAt, nowMs))})` : call.ok === false ? '(failed)' : '(ok)'}`,
          ] as [string, string],
        ]
      : []),
  ];
  return [
    `${renderMark(view.status, style)} ${paintText(style, 'bold', view.id)}  ${toPlainLine(view.goal)}`,
    ...toTable(facts, style),
    ...(call?.preview
      ? [
          '',
          ...toPlainText(call.preview)
            .split('\n')
            .map((line) => `  ${line}`),
        ]
      : []),
  ];
}
