/** What an exported run says to people, whatever it is written as: words for the run's state, rows, and the report as a tree. */
import type { Usage } from '../contract/budget.ts';
import { terminalRunStatuses, type RunResult, type SourceView } from '../contract/result.ts';
import type { Finding, RunExport } from '../contract/run-export.ts';
import type { RunStatus } from '../contract/run-view.ts';
import { formatDuration } from '../domain/format.ts';
import { bodyOfReport } from '../domain/report.ts';
import { toDisplayLine } from './display-text.ts';
import { readReport } from './read-report.ts';
import type { Block } from './report-node.ts';
import { type BudgetRow, type SubagentRow, toBudgetRows, toSubagentRows } from './run-tables.ts';
import { toWebUrl } from './to-web-url.ts';

export type SourceRow = {
  readonly title: string;
  /** Where it is, as the tool said it. */
  readonly place: string;
  /** The same where it can be a link. */
  readonly url: string | null;
  readonly by: string;
};
export type CitedRow = SourceRow & { readonly number: number; readonly quote: string; readonly verified: boolean };
export type GapRow = { readonly subagentId: string; readonly goal: string; readonly status: string };
export type FindingRow = {
  /** `quote` is `''` where it says the same as the text. */
  readonly id: string;
  readonly text: string;
  readonly quote: string;
  readonly source: SourceRow;
};

/** Every text is fit to be shown, and none is escaped. */
export type RunDocument = {
  readonly title: string;
  /** `null` where the title says it all. */
  readonly question: string | null;
  readonly runId: string;
  readonly status: RunStatus;
  /** How it stands, in a sentence. */
  readonly headline: string;
  /** Why, where it did not complete; one a line. */
  readonly reasons: readonly string[];
  /** Names and values, below the title. */
  readonly facts: readonly (readonly [string, string])[];
  /** `null` where there is none. */
  readonly report: readonly Block[] | null;
  /** Stands over a report that is a draft, or in place of one. */
  readonly reportNote: string | null;
  /** What was found, where no report tells it. */
  readonly findings: readonly FindingRow[];
  readonly gaps: readonly GapRow[];
  readonly notes: readonly string[];
  readonly cited: readonly CitedRow[];
  readonly uncited: readonly SourceRow[];
  /** Documents: one may be cited several times. */
  readonly sourceCount: number;
  readonly subagents: readonly SubagentRow[];
  readonly budget: readonly BudgetRow[];
};

const endedStatuses: readonly RunStatus[] = terminalRunStatuses;

export function toRunDocument(run: RunExport): RunDocument {
  const { result } = run;
  const question = toDisplayLine(result?.question ?? run.run?.request?.question ?? '');
  const title = toDisplayLine(run.run?.title ?? '') || question || run.runId;
  const status = result?.status ?? run.run?.status ?? 'running';
  const citations = result?.citations ?? [];
  const citedIds = new Set(citations.map(({ sourceId }) => sourceId));
  const report = result === null ? null : toReport(result);
  return {
    title,
    question: question === '' || question === title ? null : question,
    runId: run.runId,
    status,
    headline: toHeadline(run, status),
    reasons: toReasons(run, status),
    facts: toFacts(run),
    report,
    reportNote: toReportNote(run, report !== null),
    findings: report === null ? run.findings.map((finding) => toFindingRow(finding, run.sources)) : [],
    gaps: (result?.gaps ?? []).map(({ subagentId, goal, status: how, reason }) => ({
      subagentId,
      goal: toDisplayLine(goal),
      status: reason ? `${how}: ${reason}` : how,
    })),
    notes: (result?.notes ?? run.run?.notes ?? []).map(toDisplayLine),
    cited: citations.map(({ sourceId, quote, verified }, index) => ({
      ...toSourceRow(sourceId, run.sources),
      number: index + 1,
      quote: toDisplayLine(quote),
      verified,
    })),
    uncited: run.sources.filter(({ id }) => !citedIds.has(id)).map(({ id }) => toSourceRow(id, run.sources)),
    sourceCount: run.sources.length,
    subagents: toSubagentRows(run),
    budget: toBudgetRows(run.budget, usageOf(run)),
  };
}

function toReport(result: RunResult): readonly Block[] | null {
  if (result.report === null) return null;
  return readReport(bodyOfReport(result.report, result), result.citations.length);
}

function usageOf({ run, result }: RunExport): Usage | null {
  return result?.usage ?? run?.usage ?? null;
}

function toHeadline(run: RunExport, status: RunStatus): string {
  const time = formatDuration(usageOf(run)?.wallClockMs ?? 0);
  const gaps = run.result?.gaps.length ?? 0;
  const subtasks = run.result?.subagents.length ?? 0;
  switch (status) {
    case 'completed':
      return `Completed in ${time}`;
    case 'partial':
      return `Partial: ${gaps} of ${subtasks} subtasks not answered, or only in part (${time})`;
    case 'failed':
      return `Failed after ${time}`;
    case 'cancelled':
      return `Cancelled after ${time}`;
    case 'terminated':
      return `Terminated after ${time}`;
    case 'timed-out':
      return `Timed out after ${time}`;
    case 'queued':
    case 'planning':
    case 'running':
    case 'synthesizing':
    case 'cancelling':
    case 'awaiting-plan':
    case 'awaiting-approval':
    case 'paused-budget':
      return `Not finished: the run is still ${status}. This is what there was at ${toTime(run.run?.lastEventAt ?? '')}`;
    default:
      return status satisfies never;
  }
}

function toReasons({ run, result }: RunExport, status: RunStatus): string[] {
  const failure = result?.failure ?? run?.failure;
  return [
    ...(failure ? [`${toDisplayLine(failure.message)} (${toDisplayLine(failure.code)})`] : []),
    ...(run?.cancelReason && !failure ? [`cancel asked for: ${toDisplayLine(run.cancelReason)}`] : []),
    ...(status === 'terminated' && !failure ? ['stopped without a clean-up and without a report'] : []),
  ];
}

function toReportNote({ result }: RunExport, hasReport: boolean): string | null {
  if (result === null) return 'There is no report yet.';
  if (!hasReport) return 'This run has no report.';
  const draft = result.status === 'completed' || result.status === 'partial' ? undefined : result.drafts?.at(-1);
  return draft
    ? `The run ended before its report. This is draft ${draft.number}, over ${draft.subagents.join(', ')}.`
    : null;
}

function toFacts({ run, runId }: RunExport): (readonly [string, string])[] {
  const { planner, subagent, synthesis } = run?.request?.models ?? {};
  const models = [...new Set([planner, subagent, synthesis])].filter((name) => name !== undefined);
  return [
    ['Run', runId],
    ...(run ? [['Started', toTime(run.startedAt)] as const] : []),
    ...(run?.closedAt !== undefined && endedStatuses.includes(run.status)
      ? [['Ended', toTime(run.closedAt)] as const]
      : []),
    ...(models.length > 0 ? [['Model', models.map(toModelName).join(', ')] as const] : []),
    ...(run?.request?.corpus !== undefined ? [['Corpus', baseName(run.request.corpus)] as const] : []),
    ...(run && run.tags.length > 0 ? [['Tags', run.tags.map(toDisplayLine).join(', ')] as const] : []),
  ];
}

/** A scripted model is named by the path of its script. */
function toModelName(name: string): string {
  const script = /^scripted:(.+)$/s.exec(name)?.[1];
  return script === undefined ? toDisplayLine(name) : `scripted:${baseName(script)}`;
}

/** Without the folders above it: an export is handed on, and they are nobody else's business. */
function baseName(path: string): string {
  return toDisplayLine(path.split(/[\\/]/).findLast((part) => part !== '') ?? path);
}

/** `2026-11-30 12:03 UTC` */
function toTime(iso: string): string {
  const parts = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)[\d:.]*Z$/.exec(iso);
  return parts ? `${parts[1]} ${parts[2]} UTC` : toDisplayLine(iso);
}

function toSourceRow(id: string, sources: readonly SourceView[]): SourceRow {
  const source = sources.find((each) => each.id === id);
  const place = toDisplayLine(source?.url ?? id);
  return {
    title: toDisplayLine(source?.title ?? '') || place,
    place,
    url: toWebUrl(source?.url ?? ''),
    by: source?.by ?? '',
  };
}

function toFindingRow({ id, text, quote, sourceId }: Finding, sources: readonly SourceView[]): FindingRow {
  const words = { text: toDisplayLine(text), quote: toDisplayLine(quote) };
  return {
    id,
    ...words,
    ...(words.quote === words.text && { quote: '' }),
    source: { ...toSourceRow(sourceId, sources), by: '' },
  };
}
