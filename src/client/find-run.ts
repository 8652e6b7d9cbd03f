/** Turns what people type for a run into its id: the id, a prefix of it that fits one run alone, or `@last`. */
import { TributaryError } from '../contract/failure.ts';
import { runIdSchema } from '../contract/ids.ts';
import { parseInput } from '../contract/invalid-input.ts';
import { workflowTypes } from '../temporal/names.ts';
import type { ClientContext } from './client-context.ts';
import { listExecutions } from './list-executions.ts';
import { runNotFound } from './run-problems.ts';
import { describeRunExecution, describeWorkflow } from './execution.ts';
import { listKept } from './kept/list-kept.ts';
import { orRecord } from './kept/or-record.ts';

/** Candidates that a refusal names at most. */
const maxCandidates = 5;

/** `RUN_NOT_FOUND` where nothing fits, or more than one run does. */
export async function findRun(context: ClientContext, typed: string, signal?: AbortSignal): Promise<string> {
  if (typed === '@last') return findLast(context, signal);
  const prefix = parseInput(runIdSchema, typed, 'run');
  const exact = await describeWorkflow(context.client, prefix, signal);
  if (exact?.workflowExecutionInfo?.type?.name === workflowTypes.research) return prefix;
  const starts = toStarts(prefix);
  const kept = await listKept(context, starts);
  if (kept.includes(prefix)) return prefix;
  const candidates = [...new Set([...(await listByPrefix(context, starts, signal)), ...kept])];
  const first = candidates.toSorted((a, b) => a.length - b.length)[0];
  // A run and those that took over its work begin alike: the first of them is meant.
  if (first !== undefined && candidates.every((each) => each === first || each.startsWith(`${first}-`))) return first;
  if (candidates.length === 0) throw runNotFound(context.client, prefix);
  const named = candidates.slice(0, maxCandidates).join(', ');
  const more = candidates.length > maxCandidates ? ', …' : '';
  throw new TributaryError('RUN_NOT_FOUND', `"${prefix}" fits more than one run: ${named}${more}; type more of the id`);
}

async function findLast(context: ClientContext, signal?: AbortSignal): Promise<string> {
  const runId = await context.lastRun?.read();
  if (!runId) throw new TributaryError('RUN_NOT_FOUND', 'no run was started from here yet, so there is no @last');
  const check = () => describeRunExecution(context, runId, signal);
  await orRecord<unknown>(context, runId, check, () => null);
  return runId;
}

/** The random part of our ids is upper case, however it is typed. */
function toStarts(prefix: string): readonly string[] {
  return [...new Set([prefix, `run_${prefix}`, `run_${prefix.replace(/^run_/, '').toUpperCase()}`])];
}

async function listByPrefix(
  { client }: ClientContext,
  starts: readonly string[],
  signal?: AbortSignal,
): Promise<string[]> {
  // The alphabet of a run id needs no escaping.
  const anyOf = starts.map((start) => `WorkflowId STARTS_WITH "${start}"`).join(' OR ');
  const query = `WorkflowType = "${workflowTypes.research}" AND (${anyOf})`;
  const infos = await listExecutions(client, query, signal, maxCandidates + 1);
  const ids = infos.map((info) => info.execution?.workflowId ?? '');
  return [...new Set(ids)];
}
