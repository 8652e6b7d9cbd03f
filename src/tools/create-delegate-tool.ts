/** `delegate`: a subagent hands parts of its subtask to subagents of its own. The fan-out itself is its workflow's. */
import { z } from 'zod';
import { delegateToolName } from '../contract/tool.ts';
import { maxGoalChars } from '../contract/plan.ts';
import { readGoals } from '../domain/plan.ts';
import { defineTool, type Tool } from './tool.ts';

export function createDelegateTool(maxSubtasks: number): Tool {
  return defineTool({
    name: delegateToolName,
    description: [
      'Hands parts of your subtask to researchers of your own, who work on them at the same time and without seeing each other, and answers with what each of them found.',
      'Worth it only where your subtask falls into parts that do not overlap and each need reading of their own: together they get half of the budget that you have left.',
      'Each goal must be understandable by itself: say what to find out and what counts as an answer.',
      'Claims in the answer may be used in yours as they are, with their sourceId and quote.',
    ].join(' '),
    effect: 'read',
    idempotent: true,
    input: z.object({
      subtasks: z
        .array(z.object({ goal: z.string().min(1).max(maxGoalChars).describe('what to find out') }))
        .min(1)
        .max(maxSubtasks)
        .describe('one for each researcher'),
    }),
    async run({ subtasks }) {
      const delegated = readGoals(subtasks.map(({ goal }) => goal));
      if (delegated.length === 0) throw new Error('not one of the goals has a text');
      return { text: `${delegated.length} ${delegated.length === 1 ? 'subtask' : 'subtasks'} handed on`, delegated };
    },
  });
}
