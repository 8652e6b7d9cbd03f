/** The result of a run: waits for its end by the history, then reads what it recorded, or what the histories say. */
import type { RunResult } from '../contract/result.ts';
import type { ClientContext } from './client-context.ts';
import { describeRunExecution } from './execution.ts';
import { readRun } from './history/read-run.ts';
import type { ResultOptions } from './research-api.ts';
import { resolveResult } from './resolve-result.ts';
import { waitForClose } from './history/wait-for-close.ts';

/** `RUN_NOT_FOUND`, `WAIT_TIMEOUT`, `STORE_UNAVAILABLE`. */
export async function readResult(
  context: ClientContext,
  runId: string,
  options: ResultOptions = {},
): Promise<RunResult> {
  const { signal } = options;
  const execution = await describeRunExecution(context, runId, signal);
  if (execution.end === null) await waitForClose(context, runId, options);
  return resolveResult(context, await readRun(context, execution, { signal }), signal);
}
