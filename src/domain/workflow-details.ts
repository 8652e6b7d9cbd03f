/** What Temporal's own page says of a run, as Markdown: what it was asked to do, and how far it is. */
import type { ResearchRequest } from '../contract/request.ts';
import type { RunMemo } from '../contract/run-memo.ts';
import { formatCount, previewText } from './text.ts';

const maxQuestionChars = 2_000;

/** Written once, at the start. */
export function toStaticDetails(request: ResearchRequest): string {
  const { runId, question, models, budget, origin } = request;
  const money = budget.usd === undefined ? '' : `, $${budget.usd}`;
  return [
    toQuote(previewText(question, maxQuestionChars)),
    '',
    `- models: ${toCode([...new Set(Object.values(models))].join(', '))}`,
    `- budget: ${formatCount(budget.tokens)} tokens${money}, ${formatCount(budget.toolCalls)} tool calls`,
    ...(origin ? [`- ${origin.kind} of ${toCode(origin.runId)}`] : []),
    `- follow it: ${toCode(`tributary watch ${runId}`)}`,
    `- stop it: ${toCode(`tributary cancel ${runId}`)}; cancelling it here does the same`,
  ].join('\n');
}

/** Kept by the workflow as it goes on. */
export function toCurrentDetails({ status, planned, settled, spentTokens, limitTokens }: Partial<RunMemo>): string {
  const ended = Object.entries(settled ?? {}).map(([name, count]) => `${count} ${name}`);
  return [
    `**${status ?? 'queued'}**`,
    ...(planned ? [`subagents: ${planned} planned${ended.length > 0 ? `, ${ended.join(', ')}` : ''}`] : []),
    `tokens: ${formatCount(spentTokens ?? 0)} of ${formatCount(limitTokens ?? 0)}`,
  ].join(' · ');
}

/** People's words stay words: nothing in them is a heading, a link or markup. */
function toQuote(text: string): string {
  return `> ${text.replace(/[\\`*_{}[\]()<>#+!|~-]/g, '\\$&').replace(/\s*\n\s*/g, ' ')}`;
}

function toCode(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``;
}
