/** The table of `list`. Pure. */
import type { RunSummary } from '../../contract/run-view.ts';
import { markWidth, renderMark, signsOf } from '../output/marks.ts';
import { toPlainLine } from '../output/plain-text.ts';
import { paintText, type Style } from '../output/style.ts';
import { fitToWidth, widthOf } from './fit-text.ts';
import { ageOf, formatDuration, formatShort, formatUsd } from './format.ts';

const gap = 2;
const minTitle = 12;

/** `columns: null` (a pipe) cuts nothing. */
export function renderList(
  runs: readonly RunSummary[],
  options: { readonly columns: number | null; readonly nowMs: number; readonly style: Style },
): string[] {
  const { style, columns } = options;
  const rows = runs.map((run) => ({
    run,
    status: run.status,
    title: `${run.origin ? `${run.origin.kind}: ` : ''}${toPlainLine(run.title)}`,
    subagents: renderSubagentCount(run),
    spend: renderSpend(run, style),
    started: `${formatDuration(ageOf(run.startedAt, options.nowMs))} ago`,
  }));
  const header = {
    run: 'RUN',
    status: 'STATUS',
    title: 'QUESTION',
    subagents: 'SUBAGENTS',
    spend: 'SPEND',
    started: 'STARTED',
  };
  const widest = (cells: readonly string[]) => Math.max(...cells.map(widthOf));
  const widths = {
    run: widest([header.run, ...rows.map(({ run }) => run.runId)]),
    status: widest([header.status, ...rows.map((row) => row.status)]) + markWidth(style) + 1,
    title: widest([header.title, ...rows.map((row) => row.title)]),
    subagents: widest([header.subagents, ...rows.map((row) => row.subagents)]),
    spend: widest([header.spend, ...rows.map((row) => row.spend)]),
  };
  const startedWidth = widest([header.started, ...rows.map((row) => row.started)]);
  const others = widths.run + widths.status + widths.subagents + widths.spend + startedWidth + 5 * gap;
  const title = columns === null ? widths.title : Math.min(widths.title, Math.max(minTitle, columns - others));
  const line = (cells: {
    run: string;
    status: string;
    title: string;
    subagents: string;
    spend: string;
    started: string;
  }) =>
    [
      fitToWidth(cells.run, widths.run, style),
      cells.status + ' '.repeat(Math.max(0, widths.status - widthOf(cells.status))),
      fitToWidth(cells.title, title, style),
      fitToWidth(cells.subagents, widths.subagents, style),
      fitToWidth(cells.spend, widths.spend, style),
      cells.started,
    ].join(' '.repeat(gap));
  return [
    paintText(style, 'dim', line(header)),
    ...rows.map((row) =>
      line({ ...row, run: row.run.runId, status: `${renderMark(row.status, style)} ${row.status}` }),
    ),
  ];
}

/** Money where there is a limit on it or something was paid, else tokens. */
function renderSpend(run: RunSummary, style: Style): string {
  const { spentUsd, limitUsd, spentTokens, limitTokens } = run;
  const mark = run.estimated ? signsOf(style).atLeast : '';
  const spent = spentUsd === null ? (style.unicode ? '–' : '-') : `${mark}${formatUsd(spentUsd)}`;
  if (limitUsd !== null) return `${spent}/${formatUsd(limitUsd).slice(1)}`;
  if (spentUsd) return spent;
  return `${mark}${formatShort(spentTokens)}/${formatShort(limitTokens)} tok`;
}

/** `5/10`: ended, of all that are known. */
function renderSubagentCount(run: RunSummary): string {
  const open = ['queued', 'running', 'retrying', 'awaiting-approval', 'paused-budget', 'cancelling'];
  const counts = Object.entries(run.subagents);
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  const ended = counts.reduce((sum, [status, count]) => sum + (open.includes(status) ? 0 : count), 0);
  return all === 0 ? '-' : `${ended}/${all}`;
}
