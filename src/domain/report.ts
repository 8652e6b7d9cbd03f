/** The reports of subagents, read and cut to size, and the report of a run as Markdown. */
import type { Claim, SubagentReport } from '../contract/outcome.ts';
import type { Citation, Gap, SourceView } from '../contract/result.ts';
import { jsonInText } from './json-in-text.ts';
import { cleanText, formatCount, previewText, sliceText } from './text.ts';
import { estimateTokens } from './token-bound.ts';

/** Of the room of a report that does not fit, so that a long summary does not push out every claim. */
const summaryShare = 0.5;
const maxShown = { entry: 300, goal: 200, title: 200, quote: 400 };

type Shrink = {
  readonly sizeOf: (report: SubagentReport) => number;
  readonly cut: (report: SubagentReport, size: number) => SubagentReport;
};

/** In this order, each only when the one before it was not enough. */
const shrinks: readonly Shrink[] = [
  { sizeOf: (report) => report.claims.length, cut: dropClaims },
  {
    sizeOf: (report) => report.tried.length,
    cut: (report, size) => ({ ...report, tried: report.tried.slice(0, size) }),
  },
  {
    // The last entry may be the note on the claims; it stays until the summary is gone.
    sizeOf: (report) => report.failed.length - 1,
    cut: (report, size) => ({ ...report, failed: report.failed.slice(-size - 1) }),
  },
  {
    sizeOf: (report) => report.summary.length,
    cut: (report, size) => ({ ...report, summary: shorten(report.summary, size) }),
  },
  { sizeOf: () => 0, cut: (report) => ({ ...report, failed: [] }) },
];

/**
 * `report` with at most `maxTokens` (a quarter of the UTF-8 bytes of its JSON). One that does not fit first loses the
 * length of its texts: a summary longer than half of the room, long entries of `tried` and `failed`. Then claims go from
 * the end, with a `failed` entry that says how many, then what was tried, then what failed, then more of the summary.
 * The smallest report there is, an empty one, has 13 tokens.
 */
export function compactReport(report: SubagentReport, maxTokens: number): SubagentReport {
  const fits = (candidate: SubagentReport) => estimateTokens(JSON.stringify(candidate)) <= maxTokens;
  const whole = cleanReport(report);
  if (fits(whole)) return whole;

  const { summary } = whole;
  const isShort = (chars: number) =>
    estimateTokens(JSON.stringify(shorten(summary, chars))) <= maxTokens * summaryShare;
  let compact: SubagentReport = {
    summary: shorten(summary, findLargest(summary.length, isShort)),
    claims: whole.claims,
    tried: whole.tried.map((entry) => shorten(entry, maxShown.entry)),
    failed: whole.failed.map((entry) => shorten(entry, maxShown.entry)),
  };
  for (const { sizeOf, cut } of shrinks) {
    if (fits(compact)) break;
    const before = compact;
    compact = cut(
      before,
      findLargest(sizeOf(before), (size) => fits(cut(before, size))),
    );
  }
  return compact;
}

/**
 * A model's last message as a report: JSON of its shape (bare, fenced, or in prose; unknown keys are ignored, what is
 * missing is empty, claims without text, source or quote are dropped), else the text itself as the summary. `null` where
 * nothing was handed back.
 */
export function readReport(text: string): SubagentReport | null {
  for (const value of jsonInText(text)) {
    const report = toReport(value);
    if (report) return isEmpty(report) ? null : report;
  }
  const summary = cleanText(text).trim();
  return /^(?:|null|""|\{\s*\}|\[\s*\])$/.test(summary) ? null : { summary, claims: [], tried: [], failed: [] };
}

export type ReportParts = {
  readonly question: string;
  /** Markdown with numbered markers. */
  readonly body: string;
  readonly citations: readonly Citation[];
  readonly sources: readonly SourceView[];
  readonly gaps: readonly Gap[];
  readonly notes: readonly string[];
};

/** What stands over the list of gaps. */
export const gapsMeaning =
  'These subtasks were not answered, or only in part. What is missing here was not looked into to the end, which does not mean that there is nothing to find.';

/** The report of a run as Markdown. Gaps come from run state: "could not look" is never told as "found nothing". */
export function renderReport(parts: ReportParts): string {
  const sections = [`# ${toLine(parts.question)}`, cleanText(parts.body).trim()];
  if (parts.gaps.length > 0) {
    sections.push('## Gaps', gapsMeaning, parts.gaps.map(renderGap).join('\n'));
  }
  if (parts.notes.length > 0) {
    sections.push('## Notes', parts.notes.map(renderNote).join('\n'));
  }
  if (parts.citations.length > 0) {
    sections.push('## Sources', ...parts.citations.map((citation) => renderCitation(citation, parts.sources)));
  }
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function renderGap({ subagentId, goal, status, reason }: Gap): string {
  return `- ${subagentId} ${toLine(goal, maxShown.goal)}: ${status}${reason ? ` (${reason})` : ''}`;
}

function renderNote(note: string): string {
  return `- ${toLine(note)}`;
}

function renderCitation({ marker, sourceId, quote, verified }: Citation, sources: readonly SourceView[]): string {
  const source = sources.find(({ id }) => id === sourceId);
  const where = source
    ? [toLine(source.title, maxShown.title), toLine(source.url)].filter((part) => part !== '')
    : [toLine(sourceId)];
  const tail = verified ? '' : ' (unverified: the source does not hold this quote)';
  return `${marker} ${[...where, `“${toLine(quote, maxShown.quote)}”`].join(' — ')}${tail}`;
}

/**
 * The body of such a report without the question above it, and without the lists below it as far as every line of them is
 * told by `parts` too: for whoever shows those in another way.
 */
export function bodyOfReport(report: string, parts: Omit<ReportParts, 'body'>): string {
  const citations = parts.citations.map((citation) => renderCitation(citation, parts.sources));
  const withoutSources = cutSection(report.trimEnd(), 'Sources', citations);
  const withoutNotes = cutSection(withoutSources, 'Notes', parts.notes.map(renderNote));
  const body = cutSection(withoutNotes, 'Gaps', [gapsMeaning, ...parts.gaps.map(renderGap)]);
  const [head, ...rest] = body.split('\n');
  return (head === `# ${toLine(parts.question)}` ? rest.join('\n') : body).trim();
}

function cutSection(report: string, heading: string, lines: readonly string[]): string {
  const mark = `\n\n## ${heading}\n\n`;
  const start = report.lastIndexOf(mark);
  if (start < 0) return report;
  const known = new Set(['', ...lines]);
  const isKnown = report
    .slice(start + mark.length)
    .split('\n')
    .every((line) => known.has(line));
  return isKnown ? report.slice(0, start) : report;
}

/** One line of a Markdown text, in which words that came from elsewhere cannot open a tag. */
function toLine(text: string, maxChars = Number.MAX_SAFE_INTEGER): string {
  return previewText(text, maxChars).replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function dropClaims(report: SubagentReport, kept: number): SubagentReport {
  const left = report.claims.length - kept;
  if (left === 0) return report;
  const note = `${formatCount(left)} ${left === 1 ? 'claim was' : 'claims were'} left out to fit the size of a report`;
  return { ...report, claims: report.claims.slice(0, kept), failed: [...report.failed, note] };
}

/** The largest size up to `max` that fits, or 0. Sizes below one that fits fit too. */
function findLargest(max: number, fits: (size: number) => boolean): number {
  if (max <= 0 || fits(max)) return Math.max(0, max);
  let fitting = 0;
  let tooLarge = max;
  while (tooLarge - fitting > 1) {
    const middle = Math.floor((fitting + tooLarge) / 2);
    if (fits(middle)) fitting = middle;
    else tooLarge = middle;
  }
  return fitting;
}

function shorten(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return maxChars <= 0 ? '' : `${sliceText(text, maxChars - 1)}…`;
}

function cleanReport({ summary, claims, tried, failed }: SubagentReport): SubagentReport {
  return {
    summary: cleanText(summary),
    claims: claims.map(toClaim).filter((claim) => claim !== null),
    tried: tried.map(cleanText),
    failed: failed.map(cleanText),
  };
}

function toReport(value: unknown): SubagentReport | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { summary, claims, tried, failed } = value as Record<string, unknown>;
  if (typeof summary !== 'string' && ![claims, tried, failed].some(Array.isArray)) return null;
  return {
    summary: typeof summary === 'string' ? cleanText(summary).trim() : '',
    claims: Array.isArray(claims) ? claims.map(toClaim).filter((claim) => claim !== null) : [],
    tried: toTexts(tried),
    failed: toTexts(failed),
  };
}

function toClaim(value: unknown): Claim | null {
  if (typeof value !== 'object' || value === null) return null;
  const { text, sourceId, quote } = value as Record<string, unknown>;
  if (typeof text !== 'string' || typeof sourceId !== 'string' || typeof quote !== 'string') return null;
  const claim = { text: cleanText(text), sourceId: cleanText(sourceId), quote: cleanText(quote) };
  return Object.values(claim).every((part) => part.trim() !== '') ? claim : null;
}

/** A list of texts; a single text is a list of one. */
function toTexts(value: unknown): string[] {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  return entries
    .filter((entry) => typeof entry === 'string')
    .map((entry) => cleanText(entry).trim())
    .filter((entry) => entry !== '');
}

function isEmpty({ summary, claims, tried, failed }: SubagentReport): boolean {
  return summary === '' && claims.length + tried.length + failed.length === 0;
}
