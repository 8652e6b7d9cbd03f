/** The events of a run whose history is gone: what it was, and its result. */
import { exitCodeOfStatus } from '../../contract/failure.ts';
import type { RunRecord } from '../../contract/run-record.ts';
import type { RunEvent } from '../../contract/run-view.ts';
import { toDescriptionOfRecord } from '../../domain/projection/describe-record.ts';
import type { ClientContext } from '../client-context.ts';
import type { WatchOptions } from '../research-api.ts';
import { resolveRecorded } from '../resolve-result.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

export async function* watchRecord(
  context: ClientContext,
  record: RunRecord,
  { after, signal }: WatchOptions,
): AsyncGenerator<RunEvent, void, undefined> {
  const { runId, firstRunId, closedAt: at } = record;
  const cursor = after === undefined ? null : decodeCursor(after);
  if (cursor?.isEnd && cursor.firstRunId === firstRunId) return;
  if (after !== undefined) {
    const reason = 'the history of the run is gone; this is what was kept of it';
    yield { type: 'resync', reason, cursor: after, at, runId };
  }
  const begun = { cursor: cursorOfRecord(record), at, runId };
  yield { type: 'snapshot', run: toDescriptionOfRecord(record, begun.cursor), ...begun };
  const result = await resolveRecorded(context, record.result, signal);
  const { status } = result;
  yield {
    type: 'result',
    status,
    exitCode: exitCodeOfStatus[status],
    result,
    ...begun,
    cursor: cursorOfRecord(record, true),
  };
}

export function cursorOfRecord({ firstRunId }: RunRecord, isEnd = false): string {
  return encodeCursor({ firstRunId, run: [0, 0], drained: new Set(), open: new Map(), isEnd });
}
