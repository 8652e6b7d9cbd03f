/** What a run needs a person for, and the commands that answer it. Pure. */
import { blockedStatuses, type RunDescription, type RunStatus } from '../../contract/run-view.ts';
import { formatCount } from '../../domain/text.ts';
import { toPlainLine } from '../output/plain-text.ts';
import type { ToCommand } from '../output/problem.ts';
import { formatPlural, formatUsd } from './format.ts';

export type Need = {
  /** One line. */
  readonly what: string;
  /** Command lines, each with what it is for. */
  readonly next: readonly (readonly [string, string])[];
};

export function isBlocked(status: RunStatus): boolean {
  return (blockedStatuses as readonly RunStatus[]).includes(status);
}

/** Nothing where nobody is needed. */
export function toNeeds(run: RunDescription, toCommand: ToCommand): readonly Need[] {
  const needs: Need[] = run.approvals
    .filter(({ outcome }) => !outcome)
    .map(({ id, subagentId, tool, input }) => ({
      what: `${subagentId} wants ${toPlainLine(tool)} ${toPlainLine(input)} (${id})`,
      next: [
        ['let it run', toCommand('approve', run.runId, id)],
        ['refuse it', toCommand('deny', run.runId, id, '--reason', 'why')],
      ],
    }));
  if (run.status === 'awaiting-plan') {
    needs.unshift({
      what: `the plan of ${formatPlural(run.tree.length, 'subtask')} waits for approval`,
      next: [
        ['see it', toCommand('plan', 'show', run.runId)],
        ['begin', toCommand('plan', 'approve', run.runId)],
      ],
    });
  }
  const isPaused = run.status === 'paused-budget' || run.tree.some(({ status }) => status === 'paused-budget');
  if (isPaused && !run.closedAt) needs.push(toBudgetNeed(run, toCommand));
  return needs;
}

function toBudgetNeed(run: RunDescription, toCommand: ToCommand): Need {
  const { usd, tokens } = run.budget;
  const waiting = run.tree.filter(({ status }) => status === 'paused-budget').map(({ id }) => id);
  const isShortOfMoney = usd !== undefined && usd.remaining / usd.limit < tokens.remaining / tokens.limit;
  const state = isShortOfMoney
    ? `${formatUsd(usd.spent)} of ${formatUsd(usd.limit)} spent`
    : `${formatCount(tokens.spent)} of ${formatCount(tokens.limit)} tokens spent`;
  const more = isShortOfMoney
    ? ['--usd', String(Math.max(1, Math.ceil(usd.limit / 2)))]
    : ['--tokens', String(Math.max(1_000, Math.ceil(tokens.limit / 2)))];
  return {
    what: `paused: ${waiting.length > 0 ? `${waiting.join(', ')} needs` : 'the next subagent needs'} more budget (${state})`,
    next: [
      ['go on', toCommand('budget', 'add', run.runId, ...more)],
      ['finish now', toCommand('finalize', run.runId)],
    ],
  };
}
