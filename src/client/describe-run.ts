/** One run as it is now: its histories, and what a describe call adds of activities that are still open; or what was kept of it. */
import type { RunDescription } from '../contract/run-view.ts';
import { toDescriptionOfRecord } from '../domain/projection/describe-record.ts';
import type { ClientContext } from './client-context.ts';
import { findSuccessors } from './find-successors.ts';
import { describeRunExecution } from './execution.ts';
import { orRecord } from './kept/or-record.ts';
import { readLiveTexts } from './watch/live-overlay.ts';
import { openRunReading } from './history/run-reading.ts';
import { createRunWatcher } from './watch/run-watcher.ts';
import { cursorOfRecord } from './watch/watch-record.ts';

export async function describeRun(
  context: ClientContext,
  runId: string,
  signal?: AbortSignal,
): Promise<RunDescription> {
  return orRecord(
    context,
    runId,
    () => describeFromServer(context, runId, signal),
    async (record) => {
      const description = toDescriptionOfRecord(record, cursorOfRecord(record));
      return withSuccessors(context, description, signal);
    },
  );
}

async function describeFromServer(
  context: ClientContext,
  runId: string,
  signal: AbortSignal | undefined,
): Promise<RunDescription> {
  const execution = await describeRunExecution(context, runId, signal);
  const reading = openRunReading(context, runId, execution.firstRunId);
  const watcher = createRunWatcher(reading);
  watcher.foldSilently(await reading.readAvailable({ signal }));
  if (execution.end === null) watcher.setLive(await readLiveTexts(context, watcher.view(), 0, signal));
  return withSuccessors(context, watcher.description(), signal);
}

async function withSuccessors(
  context: ClientContext,
  description: RunDescription,
  signal: AbortSignal | undefined,
): Promise<RunDescription> {
  const successors = await findSuccessors(context, description, signal);
  return successors.length === 0 ? description : { ...description, successors };
}
