/** What is known of a run that has ended, for one that takes over its work: from its histories, or what was kept of it. */
import { failureCodeOf } from '../../contract/failure.ts';
import type { RunRecord } from '../../contract/run-record.ts';
import type { ClientContext, KeptRecords } from '../client-context.ts';
import { readRunRecord } from '../read-run-record.ts';

/** Ends what still runs below it. `RUN_OPEN`; `RUN_NOT_FOUND` also where another run of the same id is kept. */
export async function readEndedRun(
  context: Pick<ClientContext, 'client' | 'identity'> & { readonly records: Pick<KeptRecords, 'get'> },
  run: { readonly runId: string; readonly firstRunId: string },
  signal: AbortSignal,
): Promise<RunRecord> {
  try {
    return await readRunRecord(context, run, { signal, endsSubagents: true });
  } catch (error) {
    const kept = failureCodeOf(error) === 'RUN_NOT_FOUND' ? await context.records.get(run.runId) : null;
    if (kept?.firstRunId !== run.firstRunId) throw error;
    return kept;
  }
}
