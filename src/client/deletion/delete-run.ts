/** Deletes a run that has ended: its histories, its record, and its blobs that nothing else refers to. */
import { failureCodeOf, TributaryError } from '../../contract/failure.ts';
import type { ClientContext, KeptRecords, RemovableBlobs } from '../client-context.ts';
import { describeRunExecution, type Execution } from '../execution.ts';
import type { DeleteOptions, DeleteReceipt } from '../research-api.ts';
import { deleteExecutions, type ExecutionName, listOfRun } from './delete-executions.ts';
import { findRefs } from './find-refs.ts';
import { markBlobs, readOwnRecord } from './mark-blobs.ts';
import { readRunRefs, type RunRefs } from './read-run-refs.ts';
import { createBlobWalk } from './walk-blobs.ts';

type Store = {
  readonly records: KeptRecords;
  readonly blobs: RemovableBlobs;
  readonly readBlob: NonNullable<ClientContext['readBlob']>;
};

/** `RUN_OPEN`, `RUN_NOT_FOUND`, `STORE_UNAVAILABLE`, `STORE_MISMATCH`; then nothing was removed. */
export async function deleteRun(context: ClientContext, runId: string, options: DeleteOptions): Promise<DeleteReceipt> {
  const { signal, dryRun = false } = options;
  const store = requireStore(context, runId);
  const { records, blobs, readBlob } = store;
  const startedMs = Date.now();
  const isKept = (await records.list()).includes(runId);
  const execution = await describeIfThere(context, runId, isKept, signal);
  const found = execution && (await readRunRefs(context, { runId, firstRunId: execution.firstRunId }, signal));
  if (execution) requireEnded(runId, execution, found);
  const record = await readOwnRecord(records, runId);
  await requireOwnStore(runId, record?.storeId ?? found?.storeId ?? null, blobs);

  const walk = createBlobWalk(readBlob);
  const candidates = await walk([...findRefs(record), ...(found?.refs ?? [])], signal);
  const mark = () => markBlobs(context, { runId, candidates, startedMs, records, walk, signal });
  const executions = await listAll(context, runId, found, signal);
  // Also where it is not a trial: what cannot be read is said before anything is gone.
  const expected = await mark();
  if (!dryRun) await deleteExecutions(context, executions, signal);
  // The record goes before the last look at who uses what: from here on nobody can take over this run's work.
  if (!dryRun) await records.delete(runId);
  const marks = dryRun ? expected : await mark();
  const removed = await sweep(blobs, { candidates, ...marks, dryRun });
  // A worker that read the run just before may have kept it just now.
  if (!dryRun) await records.delete(runId);
  return { runId, dryRun, histories: executions.length, record: isKept, ...removed, users: marks.users };
}

function requireStore({ records, blobs, readBlob }: ClientContext, runId: string): Store {
  if (records && blobs && readBlob) return { records, blobs, readBlob };
  const message = `${runId} has its transcripts in a store, and this client has none: give it one with readBlob, records and blobs`;
  throw new TributaryError('STORE_UNAVAILABLE', message);
}

async function describeIfThere(
  context: ClientContext,
  runId: string,
  isKept: boolean,
  signal?: AbortSignal,
): Promise<Execution | null> {
  try {
    return await describeRunExecution(context, runId, signal);
  } catch (error) {
    if (failureCodeOf(error) !== 'RUN_NOT_FOUND' || !isKept) throw error;
    return null;
  }
}

function requireEnded(runId: string, { end }: Execution, found: RunRefs | null): void {
  const open = found?.openSubagents ?? [];
  if (end !== null && open.length === 0) return;
  const what = end === null ? `the run ${runId} is still going on` : `of ${runId}, ${open.join(', ')} still run`;
  throw new TributaryError('RUN_OPEN', `${what}: cancel or terminate it first; nothing was deleted`);
}

async function requireOwnStore(runId: string, wanted: string | null, blobs: RemovableBlobs): Promise<void> {
  const found = wanted === null ? null : await blobs.storeId();
  if (found === wanted) return;
  const message = `what ${runId} has found is in store ${wanted}; this is store ${found}. Delete the run where its data directory is; nothing was deleted`;
  throw new TributaryError('STORE_MISMATCH', message);
}

/** Those that the server lists, and those that the histories name. */
async function listAll(
  context: ClientContext,
  runId: string,
  found: RunRefs | null,
  signal?: AbortSignal,
): Promise<ExecutionName[]> {
  const listed = await listOfRun(context, runId, signal);
  const known = new Set(listed.map(({ workflowId }) => workflowId));
  const others = (found?.workflowIds ?? []).filter((workflowId) => !known.has(workflowId));
  return [...listed, ...others.map((workflowId) => ({ workflowId, runId: '' }))];
}

async function sweep(
  blobs: RemovableBlobs,
  options: {
    readonly candidates: ReadonlySet<string>;
    readonly used: ReadonlySet<string>;
    readonly safeBeforeMs: number;
    readonly dryRun: boolean;
  },
): Promise<{ readonly blobs: number; readonly bytes: number; readonly blobsKept: number }> {
  const { candidates, used, safeBeforeMs, dryRun } = options;
  const sum = { blobs: 0, bytes: 0, blobsKept: 0 };
  for (const hash of candidates) {
    const blob = await blobs.stat(hash);
    if (!blob) continue;
    const goes = dryRun ? blob.storedAtMs < safeBeforeMs : await removeUnused(hash);
    if (goes && !used.has(hash)) {
      sum.blobs += 1;
      sum.bytes += blob.bytes;
    } else sum.blobsKept += 1;
  }
  return sum;

  async function removeUnused(hash: string): Promise<boolean> {
    return !used.has(hash) && blobs.removeIfOlder(hash, safeBeforeMs);
  }
}
