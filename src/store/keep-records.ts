/**
 * Keeps a record of every run that has ended, however it did: a terminated run, and one whose time is up, end without any
 * code of ours. So whoever works looks for such runs now and then. Several at once do no harm: they write the same.
 */
import type { RunRecord } from '../contract/run-record.ts';
import type { RunIdentity } from './record-store.ts';

export type EndedRun = RunIdentity & { readonly closedAt: string };

export type KeeperDependencies = {
  /** Runs that have closed since then; `null` = all that the server knows. */
  listEnded(sinceMs: number | null, signal: AbortSignal): Promise<readonly EndedRun[]>;
  /** Whether something of it still runs. */
  hasOpenSubagents(runId: string, signal: AbortSignal): Promise<boolean>;
  read(run: EndedRun, signal: AbortSignal): Promise<RunRecord>;
  has(run: EndedRun): Promise<boolean>;
  put(record: RunRecord): Promise<void>;
  storeId(): Promise<string>;
  now(): number;
  /** Resolves after so long, or when the signal fires. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  /** Ids and messages of errors only. */
  log(level: 'info' | 'warn', message: string, fields: Readonly<Record<string, string | number>>): void;
};

export type RecordKeeper = {
  /** Never rejects. */
  look(signal: AbortSignal): Promise<void>;
  /** Looks now and then until the signal fires. */
  run(signal: AbortSignal): Promise<void>;
};

const everyMs = 30_000;
/** What has closed may be listed some time later. */
const overlapMs = 120_000;
/** Subagents that outlive their run have this long to end before they are recorded as they are. */
const stragglerMs = 60_000;
const maxAtOnce = 2;

export function createRecordKeeper(dependencies: KeeperDependencies): RecordKeeper {
  let lookedUpToMs: number | null = null;
  /** Not kept yet: a subagent still runs, or it could not be read. */
  const waiting = new Map<string, EndedRun>();
  /** Kept, not ours to keep, or gone. */
  const settled = new Set<string>();
  /** Those of which it was said that they could not be kept yet. */
  const told = new Set<string>();

  /** `true` when there is nothing more to do for it. */
  async function keep(run: EndedRun, signal: AbortSignal): Promise<boolean> {
    if (await dependencies.has(run)) return true;
    const closedForMs = dependencies.now() - Date.parse(run.closedAt);
    if (closedForMs < stragglerMs && (await dependencies.hasOpenSubagents(run.runId, signal))) return false;
    const record = await dependencies.read(run, signal);
    if (record.storeId !== null && record.storeId !== (await dependencies.storeId())) return true;
    await dependencies.put(record);
    dependencies.log('info', 'kept the result of a run', { runId: run.runId });
    return true;
  }

  async function tryKeep(run: EndedRun, signal: AbortSignal): Promise<void> {
    const key = keyOf(run);
    try {
      if (!(await keep(run, signal))) return;
      waiting.delete(key);
      settled.add(key);
    } catch (error) {
      if (signal.aborted) return;
      if (isGone(error)) {
        // deleted meanwhile
        waiting.delete(key);
        settled.add(key);
      }
      if (told.has(key)) return;
      told.add(key);
      dependencies.log('warn', 'the result of a run could not be kept yet', {
        runId: run.runId,
        problem: messageOf(error),
      });
    }
  }

  async function look(signal: AbortSignal): Promise<void> {
    const startedMs = dependencies.now();
    try {
      const since = lookedUpToMs === null ? null : lookedUpToMs - overlapMs;
      for (const run of await dependencies.listEnded(since, signal)) {
        if (!settled.has(keyOf(run))) waiting.set(keyOf(run), run);
      }
      lookedUpToMs = startedMs;
    } catch (error) {
      if (!signal.aborted) dependencies.log('warn', 'ended runs could not be listed', { problem: messageOf(error) });
    }
    const queue = [...waiting.values()];
    const work = async () => {
      for (let run = queue.shift(); run && !signal.aborted; run = queue.shift()) await tryKeep(run, signal);
    };
    await Promise.all(Array.from({ length: maxAtOnce }, work));
  }

  return {
    look,
    async run(signal) {
      while (!signal.aborted) {
        await look(signal);
        await dependencies.pause(everyMs, signal);
      }
    },
  };
}

function keyOf({ runId, firstRunId }: EndedRun): string {
  return `${runId} ${firstRunId}`;
}

function isGone(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'RUN_NOT_FOUND';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
