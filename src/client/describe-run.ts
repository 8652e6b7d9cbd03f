/** One run as it is now: its histories, and what a describe call adds of activities that are still open. */
import type { RunDescription } from '../contract/run-view.ts';
import type { ClientContext } from './client-context.ts';
import { findSuccessors } from './find-successors.ts';
import { describeRunExecution } from './execution.ts';
import { readLiveTexts } from './watch/live-overlay.ts';
import { openRunReading } from './history/run-reading.ts';
import { createRunWatcher } from './watch/run-watcher.ts';

export async function describeRun(
  context: ClientContext,
  runId: string,
  signal?: AbortSignal,
): Promise<RunDescription> {
  const execution = await describeRunExecution(context, runId, signal);
  const reading = openRunReading(context, runId, execution.firstRunId);
  const watcher = createRunWatcher(reading);
  watcher.foldSilently(await reading.readAvailable({ signal }));
  if (execution.end === null) watcher.setLive(await readLiveTexts(context, watcher.view(), 0, signal));
  const description = watcher.description();
  const successors = await findSuccessors(context, description, signal);
  return successors.length === 0 ? description : { ...description, successors };
}
