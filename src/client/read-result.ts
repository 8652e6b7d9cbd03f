/** The result of a run: waits for its end by the history, then reads what it recorded, what the histories say, or what was kept. */
import type { RunResult } from '../contract/result.ts';
import type { ClientContext } from './client-context.ts';
import { describeRunExecution } from './execution.ts';
import { readRun } from './history/read-run.ts';
import { orRecord } from './kept/or-record.ts';
import type { ResultOptions } from './research-api.ts';
import { resolveRecorded, resolveResult } from './resolve-result.ts';
import { waitForClose } from './history/wait-for-close.ts';

/** `RUN_NOT_FOUND`, `WAIT_TIMEOUT`, `STORE_UNAVAILABLE`. */
export async function readResult(
  context: ClientContext,
  runId: string,
  options: ResultOptions = {},
): Promise<RunResult> {
  return orRecord(
    context,
    runId,
    () => readFromServer(context, runId, options),
    ({ result }) => resolveRecorded(context, result, options.signal),
  );
}

async function readFromServer(context: ClientContext, runId: string, options: ResultOptions): Promise<RunResult> {
  const { signal } = options;
  const execution = await describeRunExecution(context, runId, signal);
  if (execution.end === null) await waitForClose(context, runId, options);
  return resolveResult(context, await readRun(context, execution, { signal }), signal);
}
