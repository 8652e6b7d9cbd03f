/**
 * Replay, Temporal's meaning: recorded histories against the workflow code of today. Starts no work, calls no server, and
 * is neither a retry nor a rerun.
 */
import type { HistoryJson, RecordedWorkflow, ReplayedHistory } from '../contract/replay.ts';
import { toEventName } from '../domain/read-divergence.ts';
import { findDivergence } from './find-divergence.ts';
import { openReplayer, type Replayer, type ReplayOptions } from './open-replayer.ts';

/** One answer for each history, in their order; one that diverges stops none of the others. */
export async function* replayHistories(
  workflows: Iterable<RecordedWorkflow> | AsyncIterable<RecordedWorkflow>,
  options: ReplayOptions,
): AsyncGenerator<ReplayedHistory, void, undefined> {
  let replayer: Replayer | null = null;
  const replay = async (workflowId: string, history: HistoryJson) => {
    const failure = await (replayer ??= openReplayer(options)).replay(workflowId, history);
    if (failure?.kind === 'no-end') replayer = null;
    return failure;
  };
  try {
    for await (const { workflowId, histories } of workflows) {
      for (const history of histories) {
        const replayed = { workflowId, runId: executionOf(history), events: history.events.length };
        const failure = hasTask(history) ? await replay(workflowId, history) : null;
        if (!failure) yield { ...replayed, ok: true };
        else {
          const divergence = await findDivergence(history, failure, async (cut) => replay(workflowId, cut));
          yield { ...replayed, ok: false, divergence };
        }
      }
    }
  } finally {
    await (replayer as Replayer | null)?.close();
  }
}

/** Before its first task no code has run, and Temporal's replay waits for one for ever. */
function hasTask({ events }: HistoryJson): boolean {
  return events.some(({ eventType }) => toEventName(eventType) === 'WorkflowTaskScheduled');
}

function executionOf({ events }: HistoryJson): string | null {
  const started = events[0]?.workflowExecutionStartedEventAttributes as { originalExecutionRunId?: string } | undefined;
  return started?.originalExecutionRunId || null;
}
