/** Falls back to what was kept of a run where the server does not know it any more. */
import { failureCodeOf } from '../../contract/failure.ts';
import type { RunRecord } from '../../contract/run-record.ts';
import { isNotFound } from '../call-service.ts';
import { runNotFound } from '../run-problems.ts';
import type { ClientContext } from '../client-context.ts';

/** Rejects as `fromServer` does, unless the run is kept. */
export async function orRecord<T>(
  context: ClientContext,
  runId: string,
  fromServer: () => Promise<T>,
  fromRecord: (record: RunRecord) => T | Promise<T>,
): Promise<T> {
  try {
    return await fromServer();
  } catch (error) {
    const record = isUnknown(error) ? await context.records?.get(runId) : null;
    if (record) return fromRecord(record);
    if (!isNotFound(error)) throw error;
    throw runNotFound(context.client, runId, error);
  }
}

function isUnknown(error: unknown): boolean {
  return failureCodeOf(error) === 'RUN_NOT_FOUND' || isNotFound(error);
}
