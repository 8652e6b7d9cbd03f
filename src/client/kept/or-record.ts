/** Falls back to what was kept of a run where the server does not know it any more. */
import { failureCodeOf, TributaryError } from '../../contract/failure.ts';
import type { RunRecord } from '../../contract/run-record.ts';
import { isNotFound } from '../call-service.ts';
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
    const message = `there is no run "${runId}" in the namespace "${context.client.options.namespace}"`;
    throw new TributaryError('RUN_NOT_FOUND', message, { cause: error });
  }
}

function isUnknown(error: unknown): boolean {
  return failureCodeOf(error) === 'RUN_NOT_FOUND' || isNotFound(error);
}
