/** Finds which blobs of a run others refer to: every other run that is kept, and every one whose history is all there is. */
import { failureCodeOf } from '../../contract/failure.ts';
import type { RunRecord } from '../../contract/run-record.ts';
import { workflowTypes } from '../../temporal/names.ts';
import type { ClientContext, KeptRecords } from '../client-context.ts';
import { listExecutions } from '../list-executions.ts';
import { findRefs } from './find-refs.ts';
import { readRunRefs } from './read-run-refs.ts';
import type { BlobWalk } from './walk-blobs.ts';

export type Marks = {
  /** Blobs of the run that others use. */
  readonly used: ReadonlySet<string>;
  /** Who uses them. */
  readonly users: readonly string[];
  /** Blobs that were stored since may be of work that is in no history yet. */
  readonly safeBeforeMs: number;
};

export type MarkOptions = {
  /** The run that is to go; its own references do not count. */
  readonly runId: string;
  readonly candidates: ReadonlySet<string>;
  readonly startedMs: number;
  readonly records: KeptRecords;
  readonly walk: BlobWalk;
  readonly signal?: AbortSignal | undefined;
};

/** `STORE_UNAVAILABLE` where a record cannot be read, since nobody knows what it refers to. */
export async function markBlobs(context: ClientContext, options: MarkOptions): Promise<Marks> {
  const { runId, candidates, records, walk, signal } = options;
  const used = new Set<string>();
  const users = new Set<string>();
  let safeBeforeMs = options.startedMs;
  const mark = (user: string, hashes: Iterable<string>) => {
    for (const hash of hashes) {
      if (!candidates.has(hash)) continue;
      used.add(hash);
      users.add(user);
    }
  };

  const kept = new Map<string, string>();
  for (const id of await records.list()) {
    if (id === runId) continue;
    const record: RunRecord | null = await records.get(id);
    if (!record) continue;
    kept.set(id, record.firstRunId);
    mark(id, await walk(findRefs(record), signal));
  }
  const infos = await listExecutions(context.client, `WorkflowType = "${workflowTypes.research}"`, signal);
  for (const info of infos) {
    const id = info.execution?.workflowId ?? '';
    const firstRunId = info.firstRunId || (info.execution?.runId ?? '');
    if (id === runId || kept.get(id) === firstRunId) continue;
    const found = await readRunRefs(context, { runId: id, firstRunId }, signal);
    if (!found) continue;
    if (found.takesOver === runId) mark(id, candidates);
    mark(id, await walk(found.refs, signal));
    safeBeforeMs = Math.min(safeBeforeMs, found.pendingSinceMs ?? Infinity);
  }
  return { used, users: [...users], safeBeforeMs };
}

/** The record of the run itself; one that cannot be read is to go too. */
export async function readOwnRecord(records: KeptRecords, runId: string): Promise<RunRecord | null> {
  try {
    return await records.get(runId);
  } catch (error) {
    if (failureCodeOf(error) !== 'STORE_UNAVAILABLE') throw error;
    return null;
  }
}
