/** The live view of a run: the state of this moment in at most as many lines as the terminal has. Pure. */
import type { RunDescription, SubagentView } from '../../contract/run-view.ts';
import { hasEnded, hasSubagentEnded } from '../follow/fold-run-event.ts';
import { markWidth, renderMark, signsOf } from '../output/marks.ts';
import { toPlainLine } from '../output/plain-text.ts';
import { paintText, type Style } from '../output/style.ts';
import { cutToWidth, padToWidth, widthOf } from './fit-text.ts';
import { ageOf, formatDuration, formatPlural } from './format.ts';
import { renderBudget } from './render-budget.ts';
import { renderEarlier, renderLineage } from './render-lineage.ts';
import { renderFolded, renderSubagents } from './render-subagent.ts';

export type ViewOptions = {
  readonly columns: number;
  /** Rows of the terminal; one stays free for the cursor. */
  readonly rows: number;
  readonly nowMs: number;
  readonly style: Style;
  /** What keys do, in the last line; absent where nobody can press one. */
  readonly hint?: string;
  /** What people are needed for, and the command that answers it first. */
  readonly needs?: readonly string[];
};

export function renderRunView(run: RunDescription, options: ViewOptions): string[] {
  const { columns, style } = options;
  const maxLines = Math.max(1, options.rows - 1);
  const title = renderTitle(run, options);
  const budget = renderBudget(run.budget, columns, style, isEstimated(run));
  const hint =
    options.hint === undefined
      ? []
      : ['', paintText(style, 'dim', `  ${cutToWidth(options.hint, columns - 2, style)}`)];
  // What is dropped first on a low terminal comes last in this list.
  const needs = (options.needs ?? []).map((line) =>
    paintText(style, 'yellow', cutToWidth(`  ! ${line}`, columns, style)),
  );
  const head =
    maxLines >= 6 + needs.length
      ? [title, ...budget, ...renderOrigin(run, options), ...needs, '']
      : [title, ...needs.slice(0, 1)];
  const wanted = run.tree.filter((view) => !hasSubagentEnded(view.status)).length + 3;
  const foot = maxLines >= head.length + wanted + hint.length ? hint : [];
  const room = maxLines - head.length - foot.length;
  const rows = run.tree.length === 0 ? renderWaiting(run, options) : renderTree(run.tree, room, options);
  return [...head, ...rows.slice(0, Math.max(0, room)), ...foot].slice(0, maxLines);
}

/** What is spent was not spent by this run alone. */
function renderOrigin({ origin, earlier }: RunDescription, { columns, style }: ViewOptions): string[] {
  if (!origin) return [];
  const line = `  ${renderLineage(origin)}${renderEarlier(earlier, style)}`;
  return [paintText(style, 'dim', cutToWidth(line, columns, style))];
}

function isEstimated(run: RunDescription): boolean {
  return run.usage.estimated || run.tree.some(({ usage }) => usage.estimated);
}

function renderTitle(run: RunDescription, { columns, nowMs, style }: ViewOptions): string {
  const { dot } = signsOf(style);
  const elapsed = formatDuration(
    run.closedAt === undefined ? ageOf(run.startedAt, nowMs) : ageOf(run.startedAt, Date.parse(run.closedAt)),
  );
  const ended = run.tree.filter((view) => view.closedAt !== undefined).length;
  const facts = [
    run.status,
    ...(run.tree.length > 0 ? [`${ended}/${run.tree.length}`] : []),
    ...(columns >= 90 ? [run.runId] : []),
    elapsed,
  ];
  const right = facts.join(` ${dot} `);
  const room = columns - markWidth(style) - 1 - widthOf(right) - 2;
  if (room < 10) return `${renderMark(run.status, style)} ${cutToWidth(right, columns - markWidth(style) - 1, style)}`;
  const title = padToWidth(cutToWidth(toPlainLine(run.title), room, style), room);
  return `${renderMark(run.status, style)} ${paintText(style, 'bold', title)}  ${paintText(style, 'dim', right)}`;
}

function renderWaiting(run: RunDescription, { style, columns, nowMs }: ViewOptions): string[] {
  if (hasEnded(run.status)) return [];
  const age = formatDuration(ageOf(run.lastEventAt, nowMs));
  const text =
    run.status === 'queued'
      ? `waiting for a worker, ${age}`
      : run.status === 'planning'
        ? `planning, ${age}`
        : run.status;
  return [`  ${paintText(style, 'dim', cutToWidth(text, columns - 2, style))}`];
}

/** Blocked and running first, then queued, then what ended badly, then what is done; in a group the order of the plan. */
function toGroups(tree: readonly SubagentView[]): {
  active: SubagentView[];
  queued: SubagentView[];
  lost: SubagentView[];
  done: SubagentView[];
} {
  const of = (...statuses: SubagentView['status'][]) => tree.filter((view) => statuses.includes(view.status));
  return {
    active: [...of('awaiting-approval', 'paused-budget'), ...of('retrying'), ...of('running', 'cancelling')],
    queued: of('queued'),
    lost: of('partial', 'failed', 'timed-out', 'cancelled', 'skipped'),
    done: of('done', 'reused'),
  };
}

function renderTree(tree: readonly SubagentView[], room: number, options: ViewOptions): string[] {
  const groups = toGroups(tree);
  const order = ['active', 'queued', 'lost', 'done'] as const;
  const folded = new Set<(typeof order)[number]>();
  const linesOf = (name: (typeof order)[number]) => (folded.has(name) ? 1 : groups[name].length);
  const total = () => order.reduce((sum, name) => sum + linesOf(name), 0);
  for (const name of ['done', 'queued', 'lost'] as const) {
    if (total() > room && groups[name].length > 1) folded.add(name);
  }
  const surplus = total() - room;
  // Even folded there are too many: the last of the active ones become a number.
  const cut = surplus > 0 ? Math.min(groups.active.length, surplus + 1) : 0;
  const shown = { ...groups, active: groups.active.slice(0, groups.active.length - cut) };
  const listed = order.flatMap((name) => (folded.has(name) ? [] : shown[name]));
  const lines = new Map(renderSubagents(listed, options).map((line, index) => [listed[index]!.id, line]));
  return order.flatMap((name) => [
    ...(folded.has(name)
      ? [renderFolded(groups[name], options.columns, options.style)]
      : shown[name].map((view) => lines.get(view.id)!)),
    ...(name === 'active' && cut > 0 ? [renderRest(cut, shown.active.length === 0, options)] : []),
  ]);
}

function renderRest(count: number, isAll: boolean, { columns, style }: ViewOptions): string {
  const text = `${signsOf(style).ellipsis} ${formatPlural(count, isAll ? 'subagent' : 'more subagent')} at work`;
  return paintText(style, 'dim', `  ${cutToWidth(text, Math.max(0, columns - 2), style)}`);
}
