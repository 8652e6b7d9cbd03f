/**
 * The model that needs no key and is no language model: it plans from an outline, searches and reads by tools, and
 * puts quoted sentences together. It sees the request alone, so budgets, joins and transcripts hold for it as for any.
 */
import type { ModelReply } from '../../contract/model.ts';
import type { Model, ModelRequest } from '../model.ts';
import { countRequestTokens, countTextTokens } from './count-tokens.ts';
import { planSubtasks } from './plan-subtasks.ts';
import { decideResearchTurn } from './research-turn.ts';
import { writeReport } from './write-report.ts';

/** As many goals as fit, at least the first. */
function renderPlan(goals: readonly string[], maxOutputTokens: number): string {
  for (let kept = goals.length; ; kept--) {
    const text = JSON.stringify({ subtasks: goals.slice(0, kept).map((goal) => ({ goal })) });
    if (kept <= 1 || countTextTokens(text) <= maxOutputTokens) return text;
  }
}

function decideReply(request: ModelRequest): Pick<ModelReply, 'text' | 'toolCalls'> {
  const { task, maxOutputTokens } = request;
  switch (task.kind) {
    case 'plan':
      return { text: renderPlan(planSubtasks(task), maxOutputTokens), toolCalls: [] };
    case 'research':
      return decideResearchTurn(task, request);
    case 'synthesize':
      return { text: writeReport(task, maxOutputTokens), toolCalls: [] };
    default:
      throw new Error(`unknown task ${JSON.stringify(task satisfies never)}`);
  }
}

/** Deterministic: equal requests get equal replies. Usage is ⌈UTF-8 bytes / 4⌉ each way and costs nothing. */
export function createExtractiveModel(): Model {
  return {
    name: 'extractive',
    countTokens: async (request, { signal }) => {
      signal.throwIfAborted();
      return countRequestTokens(request);
    },
    call: async (request, { signal, onRequest }) => {
      signal.throwIfAborted();
      onRequest();
      const { text, toolCalls } = decideReply(request);
      const output = toolCalls.length > 0 ? `${text}${JSON.stringify(toolCalls)}` : text;
      return {
        text,
        toolCalls,
        finish: toolCalls.length > 0 ? 'tool-calls' : 'stop',
        usage: { inputTokens: countRequestTokens(request), outputTokens: countTextTokens(output) },
      };
    },
  };
}
