/** One subagent as one line: mark, id, goal, what it does or why it ended, what it spent. Pure. */
import type { SubagentView } from '../../contract/run-view.ts';
import { depthOf } from '../../domain/subagent-tree.ts';
import { hasSubagentEnded } from '../follow/fold-run-event.ts';
import { markWidth, paintOf, renderMark, signsOf } from '../output/marks.ts';
import { toPlainLine } from '../output/plain-text.ts';
import { paintText, type Style } from '../output/style.ts';
import { cutToWidth, fitToWidth, widthOf } from './fit-text.ts';
import { ageOf, formatDuration, formatPlural, formatShort, formatCost } from './format.ts';

/** What it is doing now, or how it ended. Plain text. */
export function renderActivity(view: SubagentView, nowMs: number): string {
  const attempt = view.attempt === undefined ? '' : `attempt ${view.attempt}, `;
  return `${attempt}${toActivity(view, nowMs)}`;
}

function toActivity(view: SubagentView, nowMs: number): string {
  if (hasSubagentEnded(view.status)) return renderEnd(view);
  if (view.live !== undefined) return toPlainLine(view.live);
  const call = view.lastCall;
  const openSince = view.modelCallSince ?? call?.finishedAt;
  if (view.status === 'cancelling') return 'stopping';
  if (view.status === 'queued') return view.again === undefined ? 'queued' : renderAgain(view.again);
  if (view.status === 'awaiting-approval') return 'waits for your approval';
  if (view.status === 'paused-budget') return 'waits for budget';
  if (call && call.finishedAt === undefined) {
    const input = toPlainLine(call.input);
    return `${call.tool} ${formatDuration(ageOf(call.startedAt, nowMs))}${input === '' ? '' : `  ${input}`}`;
  }
  const since = openSince ?? view.startedAt;
  const again = view.again === undefined ? '' : `, ${renderAgain(view.again)}`;
  return `${since === undefined ? 'starting' : `thinking ${formatDuration(ageOf(since, nowMs))}`}${again}`;
}

/** Why a run that takes over another one does it again, or goes on with it. */
export function renderAgain(why: string): string {
  return `again: ${toPlainLine(why)}`;
}

function renderEnd(view: SubagentView): string {
  const { reusedFrom } = view;
  if (view.status === 'reused' && reusedFrom !== undefined) return `reused from ${reusedFrom}`;
  const message = view.message === undefined ? '' : toPlainLine(view.message);
  const why = message !== '' && message !== view.reason ? message : '';
  if (view.status === 'done' || view.status === 'reused') {
    return view.findings > 0 ? formatPlural(view.findings, 'finding') : view.status;
  }
  // What did not go well is taken over too where the report alone is written again.
  const whose = reusedFrom === undefined ? '' : ` in ${reusedFrom}`;
  const status = `${view.status}${view.reason === undefined ? '' : ` (${view.reason})`}${whose}`;
  return why === '' ? status : `${status}: ${why}`;
}

/** `3.2k/150k $0.27`, with `≥` where part is an estimate; without a known limit, and without a price, only what was spent. */
function renderSpend({ usage, limitTokens }: SubagentView, style: Style): string {
  const { atLeast } = signsOf(style);
  const spent = `${usage.estimated ? atLeast : ''}${formatShort(usage.tokens)}`;
  const tokens = limitTokens > 0 ? `${spent}/${formatShort(limitTokens)}` : spent;
  return usage.usd ? `${tokens} ${formatCost(usage, atLeast)}` : tokens;
}

type Cells = { id: string; goal: string; activity: string; spend: string; tools: string };

function toCells(view: SubagentView, nowMs: number, style: Style): Cells {
  return {
    id: `${'  '.repeat(depthOf(view.id) - 1)}${view.id}`,
    goal: toPlainLine(view.goal),
    activity: renderActivity(view, nowMs),
    // What was taken over cost this run nothing.
    spend: view.reusedFrom === undefined ? renderSpend(view, style) : '',
    tools: view.reusedFrom === undefined ? formatPlural(view.toolCalls, 'tool') : '',
  };
}

/** Aligned lines of at most `columns` columns. Narrow terminals lose the tools first, then the spend, then the activity. */
export function renderSubagents(
  views: readonly SubagentView[],
  options: { readonly columns: number; readonly nowMs: number; readonly style: Style },
): string[] {
  const { columns, style, nowMs } = options;
  const rows = views.map((view) => ({ view, cells: toCells(view, nowMs, style) }));
  const widest = (cell: keyof Cells) => Math.max(0, ...rows.map(({ cells }) => widthOf(cells[cell])));
  const idWidth = widest('id');
  const indent = 2 + markWidth(style) + 1 + idWidth + 2;
  const toolsWidth = columns >= 76 ? widest('tools') + 2 : 0;
  const spendWidth = columns >= 60 ? widest('spend') + 2 : 0;
  const room = Math.max(0, columns - indent - toolsWidth - spendWidth);
  // What the goals leave is free to be used.
  const maxActivity = Math.max(14, Math.floor(room * 0.45), room - widest('goal') - 2);
  const activityWidth = room >= 30 ? Math.min(widest('activity'), maxActivity) + 2 : 0;
  const goalWidth = Math.min(widest('goal'), room - activityWidth);
  return rows.map(({ view, cells }) => {
    const goal = fitToWidth(cells.goal, goalWidth, style);
    const activity = activityWidth === 0 ? '' : `  ${fitToWidth(cells.activity, activityWidth - 2, style)}`;
    const gap = ' '.repeat(Math.max(0, room - goalWidth - activityWidth));
    const spend = spendWidth === 0 ? '' : cells.spend.padStart(spendWidth);
    const tools = toolsWidth === 0 ? '' : cells.tools.padStart(toolsWidth);
    const tone = hasSubagentEnded(view.status) && view.status !== 'done' ? paintOf(view.status) : 'dim';
    const line =
      `  ${renderMark(view.status, style)} ${cells.id.padEnd(idWidth)}  ${goal}` +
      paintText(style, tone, activity) +
      gap +
      paintText(style, 'dim', spend + tools);
    return widthOf(line) > columns ? cutToWidth(`  ${view.id} ${cells.goal}`, columns, style) : line.trimEnd();
  });
}

/** `✓ 5 done`, `· 3 queued`: a whole group in one line. */
export function renderFolded(views: readonly SubagentView[], columns: number, style: Style): string {
  const counts = new Map<SubagentView['status'], number>();
  for (const { status } of views) counts.set(status, (counts.get(status) ?? 0) + 1);
  const [first] = counts.keys();
  const sources = [...new Set(views.flatMap(({ reusedFrom }) => reusedFrom ?? []))];
  const whose = sources.length === 1 ? ` from ${sources[0]}` : '';
  const tell = ([status, count]: [string, number]) => `${count} ${status}${status === 'reused' ? whose : ''}`;
  const text = [...counts].map(tell).join(` ${signsOf(style).dot} `);
  return `  ${renderMark(first ?? 'queued', style)} ${cutToWidth(text, Math.max(0, columns - 4 - markWidth(style)), style)}`;
}
