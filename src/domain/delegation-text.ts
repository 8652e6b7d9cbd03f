/** What a subagent reads of those that it started: what each handed back, cut to size, and what became of the others. */
import type { SubagentOutcome } from '../contract/outcome.ts';
import { compactReport } from './report.ts';
import { cutText, previewText } from './text.ts';

const bytesPerToken = 4;
const maxGoalChars = 200;
/** Of one part, besides the report: id, goal, status and message. */
const headTokens = 150;
const minReportTokens = 60;

/** A subtask with what became of it. */
export type DelegatedPart = { readonly goal: string; readonly outcome: SubagentOutcome };

/** `notes` say what was not even started. At most `maxChars` characters, shared equally; a report has `maxTokens` at most. */
export function toDelegationText(
  parts: readonly DelegatedPart[],
  notes: readonly string[],
  bounds: { readonly maxChars: number; readonly maxTokens: number },
): string {
  const share = Math.floor(bounds.maxChars / bytesPerToken / Math.max(1, parts.length));
  const room = Math.max(minReportTokens, Math.min(bounds.maxTokens, share - headTokens));
  const blocks = parts.map((part) => renderPart(part, room));
  return cutText([...blocks, ...notes].join('\n\n'), bounds.maxChars);
}

function renderPart({ goal, outcome }: DelegatedPart, maxTokens: number): string {
  const { id, status, reason, message, report } = outcome;
  const why = [reason, message === undefined ? undefined : previewText(message, maxGoalChars)].filter(
    (each) => each !== undefined,
  );
  const head = `${id} ${status}${why.length > 0 ? ` (${why.join(': ')})` : ''}: ${previewText(goal, maxGoalChars)}`;
  return report
    ? `${head}\n${JSON.stringify(compactReport(report, maxTokens))}`
    : `${head}\nIt handed nothing back: this was not looked into to the end.`;
}
