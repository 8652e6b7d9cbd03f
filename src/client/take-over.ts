/** Retry and rerun: starts a new run that takes over the work of one that has ended. Needs no worker. */
import { defaults } from '../contract/defaults.ts';
import { TributaryError } from '../contract/failure.ts';
import { describeIssues, parseInput } from '../contract/invalid-input.ts';
import type { Origin, RerunPoint } from '../contract/origin.ts';
import { type ResearchRequest, type ResearchRequestInput, researchRequestSchema } from '../contract/request.ts';
import type { RecordedResult } from '../contract/result.ts';
import type { RunRecord } from '../contract/run-record.ts';
import { toRecordedResult } from '../domain/projection/recorded-result.ts';
import { formatCount } from '../domain/text.ts';
import type { ClientContext } from './client-context.ts';
import { describeRunExecution } from './execution.ts';
import { readRun } from './history/read-run.ts';
import { orRecord } from './kept/or-record.ts';
import type { RerunOptions, RetryOptions } from './research-api.ts';
import { runOpen } from './run-problems.ts';
import { startSuccessor } from './start-successor.ts';

/** The id of the new run. `RUN_OPEN`, `INVALID_REQUEST`, `RUN_NOT_FOUND`, `SUBAGENT_NOT_FOUND`; then nothing was started. */
export async function retryRun(context: ClientContext, runId: string, options: RetryOptions): Promise<string> {
  const { reuse = 'finished', input } = options;
  const earlier = await readEarlier(context, runId, options.signal);
  if (earlier.result.status === 'completed' && reuse === 'finished' && !input && !options.budget) {
    throw new TributaryError(
      'INVALID_REQUEST',
      `the run ${runId} is completed, so there is nothing to retry; do a part of it again with a rerun (from the plan, a subagent or the synthesis), or say what is to change`,
    );
  }
  if (typeof reuse === 'object') for (const id of reuse) requireSubagent(earlier, id);
  return start(context, earlier, options, { kind: 'retry', reuse, ...keepEdits(earlier) });
}

/** Codes as of `retryRun`. */
export async function rerunRun(context: ClientContext, runId: string, options: RerunOptions): Promise<string> {
  const { from, edit } = options;
  const earlier = await readEarlier(context, runId, options.signal);
  requirePoint(earlier, from, edit !== undefined);
  const edits = edit ? { edits: { ...earlier.request.origin?.edits, [from]: edit } } : keepEdits(earlier);
  return start(context, earlier, options, { kind: 'rerun', reuse: 'finished', from, ...edits });
}

type Earlier = {
  readonly runId: string;
  readonly plan: readonly { readonly id: string }[];
  readonly request: ResearchRequest;
  readonly result: RecordedResult;
  readonly firstRunId: string;
};

async function readEarlier(context: ClientContext, runId: string, signal: AbortSignal | undefined): Promise<Earlier> {
  return orRecord(
    context,
    runId,
    () => readFromServer(context, runId, signal),
    (record) => toEarlier(record, record.subagents, record.result),
  );
}

async function readFromServer(
  context: ClientContext,
  runId: string,
  signal: AbortSignal | undefined,
): Promise<Earlier> {
  const execution = await describeRunExecution(context, runId, signal);
  if (execution.end === null) throw runOpen(runId);
  const view = await readRun(context, execution, { signal });
  const { firstRunId } = execution;
  return toEarlier({ runId, firstRunId, request: view.request }, view.plan ?? [], toRecordedResult(view));
}

function toEarlier(
  { runId, firstRunId, request }: Pick<RunRecord, 'runId' | 'firstRunId' | 'request'>,
  plan: Earlier['plan'],
  result: RecordedResult,
): Earlier {
  if (!request) {
    throw new TributaryError(
      'INVALID_REQUEST',
      `the run ${runId} was not started with a research request: start it anew`,
    );
  }
  return { runId, plan, request, result, firstRunId };
}

function keepEdits({ request }: Earlier): Pick<Origin, 'edits'> {
  return request.origin?.edits ? { edits: request.origin.edits } : {};
}

async function start(
  context: ClientContext,
  earlier: Earlier,
  options: RetryOptions | RerunOptions,
  origin: Omit<Origin, 'runId' | 'firstRunId'>,
): Promise<string> {
  const { runId, request, firstRunId } = earlier;
  const changed = change(earlier, options);
  const input = { ...changed, origin: { ...origin, runId, firstRunId } };
  const next = parseInput(researchRequestSchema, input, 'research request');
  requireMeans(earlier, next);
  const { requestId, signal } = options;
  return startSuccessor(context, next, { from: request, requestId, signal });
}

/** The earlier request with its limits as people have raised them since, and then with what is to change. */
function change(
  { request, result }: Earlier,
  { input = {}, budget }: RetryOptions | RerunOptions,
): ResearchRequestInput {
  const { tokens, toolCalls, usd, wallClockMs } = result.budget;
  return {
    ...request,
    ...input,
    runId: request.runId,
    models: { ...request.models, ...input.models },
    join: { ...request.join, ...input.join },
    tools: { ...request.tools, ...input.tools },
    approvals: { ...request.approvals, ...input.approvals },
    prices: { ...request.prices, ...input.prices },
    ...(input.web && { web: { ...request.web, ...input.web } }),
    budget: {
      ...request.budget,
      tokens: tokens.limit,
      toolCalls: toolCalls.limit,
      wallClock: wallClockMs.limit,
      ...(usd && { usd: usd.limit }),
      ...input.budget,
      ...budget,
    },
  };
}

function requirePoint(earlier: Earlier, from: RerunPoint, isEdited: boolean): void {
  const issue = researchRequestSchema.shape.origin.unwrap().shape.from.safeParse(from);
  if (!issue.success)
    throw new TributaryError('INVALID_REQUEST', `rerun: from: ${describeIssues(issue.error, from)[0]}`);
  if (from === 'plan' || from === 'synthesis') {
    if (isEdited)
      throw new TributaryError(
        'INVALID_REQUEST',
        `rerun: edit: only a rerun from a subagent edits one; came from ${from}`,
      );
    return;
  }
  requireSubagent(earlier, from);
}

function requireSubagent({ runId, plan }: Earlier, id: string): void {
  const known = plan.map((each) => each.id);
  if (known.includes(id)) return;
  const have = known.length === 0 ? 'it has no plan' : `it has ${known[0]} to ${known.at(-1)}`;
  throw new TributaryError('SUBAGENT_NOT_FOUND', `the run ${runId} has no subagent ${id} in its plan; ${have}`);
}

/** What is spent counts against the new limits: without means for so much as a report nothing is started. */
function requireMeans({ runId, result }: Earlier, { budget }: ResearchRequest): void {
  const { tokens, usd } = result.usage;
  const least = tokens + defaults.synthesisReserveMinTokens;
  const tell = (what: string, used: string, flag: string) =>
    new TributaryError(
      'INVALID_REQUEST',
      `research request: ${what}: the run ${runId} has used ${used}, and what is spent counts; set a higher limit (${flag})`,
    );
  if (budget.tokens < least)
    throw tell(
      'budget.tokens',
      `${formatCount(tokens)} of ${formatCount(budget.tokens)} tokens`,
      `--budget-tokens ${least} or more`,
    );
  if (budget.usd !== undefined && (usd ?? 0) >= budget.usd)
    throw tell('budget.usd', `$${usd} of $${budget.usd}`, '--budget-usd');
}
