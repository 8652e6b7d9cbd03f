/** An event in one line. Pure words: whatever a model or a tool wrote stays text. */
import type { RunEvent } from '../../../contract/run-view.ts';
import { formatCount, previewText } from '../../../domain/text.ts';
import { formatDuration, formatPlural } from '../../../domain/format.ts';

const maxChars = 300;

export function toEventText(event: RunEvent): string {
  return previewText(toText(event), maxChars);
}

function toText(event: RunEvent): string {
  switch (event.type) {
    case 'snapshot':
      return `${event.run.status}, ${formatPlural(event.run.tree.length, 'subagent')}`;
    case 'run-status':
      return join(event.status, event.reason);
    case 'plan-proposed':
    case 'plan-approved':
      return `${formatPlural(event.subtasks.length, 'subtask')}: ${event.subtasks.map(({ id, goal }) => `${id} ${goal}`).join('; ')}`;
    case 'subagent-status':
      return join(event.status, event.reason, event.goal, event.reusedFrom && `from ${event.reusedFrom}`, event.again);
    case 'tool-call-started':
      return join(event.tool, event.input);
    case 'tool-call-finished':
      return join(
        event.tool,
        event.ok ? 'ok' : 'failed',
        event.durationMs < 1_000 ? `${event.durationMs}ms` : formatDuration(event.durationMs),
        event.error ?? event.output,
      );
    case 'source-found':
      return join(event.source.id, event.source.title, event.source.url);
    case 'finding-added':
      return join(event.findingId, event.text);
    case 'budget-updated':
      return `${formatCount(event.budget.tokens.spent)} of ${formatCount(event.budget.tokens.limit)} tokens`;
    case 'budget-raised':
      return join(`by ${event.by}`, `to ${formatCount(event.budget.tokens.limit)} tokens`, event.reason);
    case 'draft-written':
      return `draft ${event.number} over ${event.subagents.join(', ')}`;
    case 'finalize-requested':
      return join(`by ${event.by}`, event.reason);
    case 'approval-requested':
      return join(event.approval.id, event.approval.tool, event.approval.input);
    case 'approval-resolved':
      return join(event.outcome.id, event.outcome.decision, `by ${event.outcome.by}`, event.outcome.reason);
    case 'subagent-live':
      return event.live ?? 'at work again';
    case 'resync':
      return event.reason;
    case 'result':
      return join(event.status, event.result.failure?.message);
    default:
      return (event satisfies never as { type: string }).type;
  }
}

function join(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' · ');
}
