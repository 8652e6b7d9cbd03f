/** The tables of an exported run: its subagents, and what was used of its budget. */
import type { BudgetState, Usage } from '../contract/budget.ts';
import type { RunExport } from '../contract/run-export.ts';
import { formatCost, formatDuration, formatUsd } from '../domain/format.ts';
import { depthOf } from '../domain/subagent-tree.ts';
import { formatCount } from '../domain/text.ts';
import { toDisplayLine } from './display-text.ts';

export type SubagentRow = {
  readonly id: string;
  /** 1 for those below the run itself. */
  readonly depth: number;
  readonly goal: string;
  readonly status: string;
  /** What went wrong or was cut short. */
  readonly message: string;
  readonly findings: string;
  readonly turns: string;
  readonly toolCalls: string;
  readonly tokens: string;
  readonly cost: string;
  readonly time: string;
};

export type BudgetRow = {
  readonly name: string;
  readonly used: string;
  readonly reserved: string;
  readonly limit: string;
};

const atLeast = '≥ ';
const unknown = '–';

/** The result has the last word on those that it lists; the tree has the others, and the order. */
export function toSubagentRows({ run, result, findings }: RunExport): SubagentRow[] {
  const ended = new Map((result?.subagents ?? []).map((summary) => [summary.id, summary]));
  const inTree = (run?.tree ?? []).map((view) => ({ ...view, ...ended.get(view.id) }));
  const rest = [...ended.values()].filter(({ id }) => !inTree.some((view) => view.id === id));
  return [...inTree, ...rest].map(({ id, goal, status, reason, message, usage, turns, toolCalls, ...more }) => ({
    id,
    depth: depthOf(id),
    goal: toDisplayLine(goal),
    status: toStatus(status, reason, 'notNeeded' in more && more.notNeeded === true),
    message: toDisplayLine([message ?? '', toTaken(more)].filter(Boolean).join('; ')),
    findings: String(findings.filter(({ subagentId }) => subagentId === id).length),
    turns: formatCount(turns),
    toolCalls: formatCount(toolCalls),
    tokens: `${usage.estimated ? atLeast : ''}${formatCount(usage.tokens)}`,
    cost: formatCost(usage, atLeast) ?? unknown,
    time: formatDuration(usage.wallClockMs),
  }));
}

/** Whose work it is in a run that takes over another one, or why it was done again. */
function toTaken({
  reusedFrom,
  again,
}: {
  readonly reusedFrom?: string | undefined;
  readonly again?: string | undefined;
}): string {
  if (reusedFrom !== undefined) return `reused from ${reusedFrom}`;
  return again === undefined ? '' : `done again: ${again}`;
}

function toStatus(status: string, reason: string | undefined, isNotNeeded: boolean): string {
  if (isNotNeeded) return `${status}: not needed`;
  return reason === undefined ? status : `${status}: ${reason}`;
}

/** Money is told even where nothing limits it. */
export function toBudgetRows(budget: BudgetState, usage: Usage | null): BudgetRow[] {
  const mark = usage?.estimated ? atLeast : '';
  const cost = usage && formatCost(usage, atLeast);
  const count = (name: string, meter: BudgetState['tokens'], sign = ''): BudgetRow => ({
    name,
    used: `${sign}${formatCount(meter.spent)}`,
    reserved: meter.reserved > 0 ? formatCount(meter.reserved) : unknown,
    limit: formatCount(meter.limit),
  });
  return [
    ...(budget.usd
      ? [
          {
            name: 'Cost',
            used: cost ?? formatUsd(budget.usd.spent),
            reserved: budget.usd.reserved > 0 ? formatUsd(budget.usd.reserved) : unknown,
            limit: formatUsd(budget.usd.limit),
          },
        ]
      : cost
        ? [{ name: 'Cost', used: cost, reserved: unknown, limit: 'none' }]
        : []),
    count('Tokens', budget.tokens, mark),
    count('Tool calls', budget.toolCalls),
    {
      name: 'Time',
      used: formatDuration(budget.wallClockMs.spent),
      reserved: unknown,
      limit: formatDuration(budget.wallClockMs.limit),
    },
  ];
}
