/** An exported run as Markdown. Words from outside are escaped; headings of level 1 and 2 are ours alone. */
import { gapsMeaning } from '../domain/report.ts';
import { codeSpan, escapeLine, escapeMarkdown, markdownLink, reportToMarkdown } from './report-to-markdown.ts';
import type { CitedRow, FindingRow, RunDocument, SourceRow } from './run-document.ts';

export function renderMarkdown(run: RunDocument): string {
  const sections: (string | null)[] = [
    `# ${word(run.title)}`,
    run.question === null ? null : `**Question:** ${word(run.question)}`,
    [`**${word(run.headline)}**`, ...run.reasons.map(escapeLine)].join('\\\n'),
    run.facts.map(([name, value]) => `- ${name}: ${name === 'Run' ? codeSpan(value) : word(value)}`).join('\n'),
    ...section('Report', [
      run.reportNote === null ? null : `*${word(run.reportNote)}*`,
      run.report === null ? null : reportToMarkdown(run.report),
    ]),
    ...section('Findings', [list(run.findings.map(toFinding))]),
    ...(run.gaps.length === 0
      ? []
      : section('Gaps', [
          gapsMeaning,
          list(run.gaps.map(({ subagentId, goal, status }) => escapeLine(`${subagentId} ${goal}: ${status}`))),
        ])),
    ...section('Notes', [list(run.notes.map(escapeLine))]),
    ...section('Sources', [
      list(run.cited.map(toCited)),
      run.uncited.length === 0 ? null : '### Read, not cited',
      list(run.uncited.map(toSource)),
    ]),
    ...section('Subagents', [toSubagentTable(run)]),
    ...section('Budget', [
      toTable(
        ['', 'Used', 'Reserved', 'Limit'],
        run.budget.map(({ name, used, reserved, limit }) => [name, used, reserved, limit]),
      ),
    ]),
  ];
  return `${sections.filter((part) => part !== null && part !== '').join('\n\n')}\n`;
}

/** A part of a line that came from outside, or may hold something that did. */
const word = escapeMarkdown;

/** Nothing where there is nothing in it. */
function section(heading: string, parts: readonly (string | null)[]): (string | null)[] {
  return parts.every((part) => part === null || part === '') ? [] : [`## ${heading}`, ...parts];
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

function toSource({ title, place, url, by }: SourceRow): string {
  const where = url === null ? codeSpan(place) : markdownLink(url, '');
  return [
    title === place ? where : `${escapeLine(title)} — ${where}`,
    ...(by === '' ? [] : [`read by ${word(by)}`]),
  ].join(' — ');
}

function toCited(row: CitedRow): string {
  const check = row.verified ? 'quote verified' : '**unverified: the source does not hold this quote**';
  return `[${row.number}] ${toSource(row)}\\\n  “${word(row.quote)}” (${check})`;
}

function toFinding({ id, text, quote, source }: FindingRow): string {
  return `**${word(id)}** ${word(text)}\\\n  ${quote === '' ? '' : `“${word(quote)}” — `}${toSource(source)}`;
}

function toSubagentTable({ subagents }: RunDocument): string {
  if (subagents.length === 0) return '';
  return toTable(
    ['Subagent', 'Goal', 'Status', 'Findings', 'Turns', 'Tool calls', 'Tokens', 'Cost', 'Time'],
    subagents.map((row) => [
      row.id,
      row.goal,
      row.message === '' ? row.status : `${row.status} — ${row.message}`,
      ...[row.findings, row.turns, row.toolCalls, row.tokens, row.cost, row.time],
    ]),
  );
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map((row) => line(row.map(word)))].join('\n');
}
