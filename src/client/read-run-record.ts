/** Reads all that is known of a run that has ended, from its histories. What still runs below it is ended first. */
import { setMaxListeners } from 'node:events';
import type { RunRecord } from '../contract/run-record.ts';
import { toSubagentWorkflowId } from '../contract/ids.ts';
import { defaults } from '../contract/defaults.ts';
import { openRunView } from '../domain/projection/run-state.ts';
import { toRunRecord } from '../domain/projection/run-record.ts';
import { isNotFound, toClientError } from './call-service.ts';
import type { ClientContext } from './client-context.ts';
import { endWorkflow } from './end-workflow.ts';
import { foldAll } from './history/read-run.ts';
import { runNotFound, runOpen } from './run-problems.ts';
import { openRunReading, type RunReading } from './history/run-reading.ts';

/** What still runs has this long to stop by itself; then it is terminated. */
const stopMs = 30_000;

export type ReadRecordOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Ends subagents that are still open, so that what they used is final. Without it they are read as they are. */
  readonly endsSubagents?: boolean;
};

/** `RUN_OPEN` where the run has not ended, `RUN_NOT_FOUND`; `firstRunId` pins which run of that id is meant. */
export async function readRunRecord(
  context: Pick<ClientContext, 'client' | 'identity'>,
  run: { readonly runId: string; readonly firstRunId: string },
  options: ReadRecordOptions = {},
): Promise<RunRecord> {
  try {
    return await readRecord(context, run, options);
  } catch (error) {
    if (!isNotFound(error)) throw toClientError(context.client, error);
    throw runNotFound(context.client, run.runId, error);
  }
}

async function readRecord(
  context: Pick<ClientContext, 'client' | 'identity'>,
  { runId, firstRunId }: { readonly runId: string; readonly firstRunId: string },
  { signal, endsSubagents = false }: ReadRecordOptions,
): Promise<RunRecord> {
  if (signal) setMaxListeners(0, signal); // one for each history that is read at the same time
  const reading = openRunReading(context, runId, firstRunId);
  const begun = openRunView(runId, defaults);
  const view = foldAll(begun, await reading.readAvailable({ signal, runOnly: true }));
  if (view.end === null) throw runOpen(runId);
  const whole = foldAll(view, await reading.readAvailable({ signal }));
  if (!endsSubagents || !(await endOpen(context, reading, signal))) return toRunRecord(whole);
  return toRunRecord(foldAll(whole, await reading.readAvailable({ signal })));
}

/** `false` where all were closed already. */
async function endOpen(
  context: Pick<ClientContext, 'client' | 'identity'>,
  reading: RunReading,
  signal?: AbortSignal,
): Promise<boolean> {
  const open = [...reading.subagents.values()].filter((history) => !history.isDrained() && !history.isLost());
  await Promise.all(
    open.map(({ subagentId }) =>
      endWorkflow(context, toSubagentWorkflowId(reading.runId, subagentId!), { stopMs, signal }),
    ),
  );
  return open.length > 0;
}
