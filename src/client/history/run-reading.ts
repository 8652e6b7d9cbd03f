/** The histories of one run, read side by side: its own, and those of the subagents that it started. */
import { setTimeout as delay } from 'node:timers/promises';
import { TributaryError } from '../../contract/failure.ts';
import { isNotFound, isTransient } from '../call-service.ts';
import type { ClientContext } from '../client-context.ts';
import { createPushQueue } from './push-queue.ts';
import { type LocatedFact, openWorkflowHistory, type WorkflowHistory } from './workflow-history.ts';

/** A poll waits at least this long before the next: polling as fast as answers come nearly halves a saturated run. */
const pollPauseMs = 250;
const maxBackoffMs = 5_000;
/** Histories that are read side by side: a thousand at once would each wait past their deadline. */
const window = 32;
/** After the run has closed, subagents that nobody ends are waited for this long; the run's result does not hang on them. */
const stragglerMs = 30_000;

export type ConnectionState = 'live' | 'reconnecting';

export type RunReading = {
  readonly runId: string;
  readonly firstRunId: string;
  readonly run: WorkflowHistory;
  readonly subagents: ReadonlyMap<string, WorkflowHistory>;
  /** Reads what is there now and has not been read: of the run, and unless `runOnly`, of every subagent. In no order between them. */
  readAvailable(options?: { signal?: AbortSignal; runOnly?: boolean }): Promise<LocatedFact[]>;
  /** Goes on from there, until the run and its subagents are closed and read to their ends. */
  follow(options: {
    signal: AbortSignal;
    readonly onConnection: (state: ConnectionState) => void;
  }): AsyncGenerator<LocatedFact[]>;
  notes(): readonly string[];
};

export function openRunReading(context: Pick<ClientContext, 'client'>, runId: string, firstRunId: string): RunReading {
  const { client } = context;
  const run = openWorkflowHistory(client, { runId, subagentId: null, workflowId: runId, firstRunId });
  const subagents = new Map<string, WorkflowHistory>();

  const starts = new Set<string>();

  /** Opens the histories of the subagents that these facts start, or start again. */
  function discover(located: readonly LocatedFact[]): WorkflowHistory[] {
    const found: WorkflowHistory[] = [];
    for (const { fact } of located) {
      if (fact.kind !== 'child-started' || starts.has(fact.workflowRunId)) continue;
      starts.add(fact.workflowRunId);
      const known = subagents.get(fact.childId);
      if (known) {
        known.goOnWith(fact.workflowRunId);
        found.push(known);
        continue;
      }
      const workflow = { runId, subagentId: fact.childId, workflowId: `${runId}/${fact.childId}` };
      const history = openWorkflowHistory(client, { ...workflow, firstRunId: fact.workflowRunId });
      subagents.set(fact.childId, history);
      found.push(history);
    }
    return found;
  }

  return {
    runId,
    firstRunId,
    run,
    subagents,
    notes: () => [run, ...subagents.values()].flatMap((history) => history.notes()),
    async readAvailable({ signal, runOnly = false } = {}) {
      const ofRun = await run.readAvailable(signal);
      discover(ofRun);
      if (runOnly) return ofRun;
      const read = [ofRun];
      // Each round may start further subagents below those it has read.
      for (let waiting = [...subagents.values()]; waiting.length > 0;) {
        const found: WorkflowHistory[] = [];
        for (let at = 0; at < waiting.length; at += window) {
          const some = waiting.slice(at, at + window);
          const ofSubagents = await Promise.all(some.map((history) => history.readAvailable(signal)));
          read.push(...ofSubagents);
          found.push(...discover(ofSubagents.flat()));
        }
        waiting = found;
      }
      return read.flat();
    },
    async *follow({ signal, onConnection }) {
      const own = new AbortController();
      const stop = () => own.abort(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      const queue = createPushQueue<LocatedFact[]>();
      const open = new Set<WorkflowHistory>();
      const connection = createConnectionGauge(onConnection);
      let straggling: NodeJS.Timeout | undefined;

      const endLater = () => {
        const closedForMs = Date.now() - Date.parse(run.drainedAt() ?? '');
        return setTimeout(() => queue.end(), Math.min(stragglerMs, Math.max(0, stragglerMs - closedForMs)));
      };
      const pauses = new Map<string | null, AbortController>();
      const start = (history: WorkflowHistory) => {
        if (history.isDrained() || open.has(history)) return;
        open.add(history);
        const pause = async () => {
          const woken = new AbortController();
          pauses.set(history.subagentId, woken);
          await delay(pollPauseMs, undefined, { signal: AbortSignal.any([own.signal, woken.signal]) }).catch(
            () => null,
          );
        };
        void pump(history, own.signal, connection, pause, (located) => {
          queue.push(located);
          discover(located).forEach(start);
          // The end of a subagent stands in its own history too, and watchers wait for that.
          for (const { fact } of located) {
            if (fact.kind === 'child-completed' || fact.kind === 'child-failed') pauses.get(fact.childId)?.abort();
          }
        }).then(
          () => {
            open.delete(history);
            start(history); // it may have been started again just now
            if (history === run) straggling = endLater();
            if (open.size === 0) queue.end();
          },
          (error: unknown) => queue.fail(error),
        );
      };
      try {
        signal.throwIfAborted();
        if (run.isDrained()) straggling = endLater();
        [run, ...subagents.values()].forEach(start);
        if (open.size === 0) queue.end();
        yield* queue;
      } finally {
        clearTimeout(straggling);
        signal.removeEventListener('abort', stop);
        own.abort();
      }
    },
  };
}

/** Polls one history until it is drained. A server that is away is waited for: what was read stays read. */
async function pump(
  history: WorkflowHistory,
  signal: AbortSignal,
  connection: ConnectionGauge,
  pause: () => Promise<void>,
  onFacts: (located: LocatedFact[]) => void,
): Promise<void> {
  let failures = 0;
  while (!history.isDrained()) {
    try {
      const located = await history.poll(signal);
      failures = 0;
      connection.set(history, true);
      if (located.length > 0) onFacts(located);
      if (!history.isDrained()) await pause();
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (isNotFound(error)) {
        throw new TributaryError('RUN_NOT_FOUND', 'the history of the run is gone: its retention has ended', {
          cause: error,
        });
      }
      if (!isTransient(error)) throw error;
      history.reconnect();
      connection.set(history, false);
      failures += 1;
      await delay(Math.min(maxBackoffMs, 200 * 2 ** Math.min(failures, 6)), undefined, { signal });
    }
  }
}

type ConnectionGauge = { set(history: WorkflowHistory, isLive: boolean): void };

/** One word for all polls of a run: `reconnecting` from the first that fails until all have answered again. */
function createConnectionGauge(onConnection: (state: ConnectionState) => void): ConnectionGauge {
  const lost = new Set<WorkflowHistory>();
  return {
    set(history, isLive) {
      const wasLive = lost.size === 0;
      if (isLive) lost.delete(history);
      else lost.add(history);
      if (wasLive !== (lost.size === 0)) onConnection(lost.size === 0 ? 'live' : 'reconnecting');
    },
  };
}
