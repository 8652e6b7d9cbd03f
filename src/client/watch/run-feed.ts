/**
 * One reading of a run for all who watch it from this process. What was read is kept while somebody watches, so that each
 * of them is told from where they are: it begins with the first and stops with the last of them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { RunView } from '../../domain/projection/run-state.ts';
import { isTransient } from '../call-service.ts';
import type { ClientContext } from '../client-context.ts';
import { openRunReading, type ConnectionState, type RunReading } from '../history/run-reading.ts';
import type { LocatedFact } from '../history/workflow-history.ts';
import { readLiveTexts } from './live-overlay.ts';
import type { LiveTexts } from './run-watcher.ts';

/** How often open activities are looked at while somebody watches. */
const liveEveryMs = 2_000;

export type Viewer = {
  readonly onConnection: (state: ConnectionState) => void;
  /** The run as far as this viewer was told. */
  view(): RunView;
};

export type RunFeed = {
  readonly reading: RunReading;
  /** All that was read so far, in the order in which it was. It grows. */
  readonly facts: readonly LocatedFact[];
  live(): LiveTexts;
  /** `null` while more may come. */
  end(): { readonly error?: unknown } | null;
  /** Resolves at the next change of any of these; rejects with the signal's reason. */
  changed(signal: AbortSignal): Promise<void>;
};

export type RunFeeds = {
  /** Resolves once what is there was read. Whoever joins must leave. */
  join(options: {
    readonly context: Pick<ClientContext, 'client'>;
    readonly runId: string;
    readonly firstRunId: string;
    readonly viewer: Viewer;
    readonly signal: AbortSignal;
  }): Promise<RunFeed>;
  leave(feed: RunFeed, viewer: Viewer): void;
  /** Runs that are read at the moment. */
  size(): number;
};

type SharedFeed = RunFeed & {
  readonly viewers: Set<Viewer>;
  readonly opened: Promise<void>;
  isReconnecting(): boolean;
  close(): void;
};

export function createRunFeeds(): RunFeeds {
  const feeds = new Map<string, SharedFeed>();
  const leave = (feed: RunFeed, viewer: Viewer) => {
    const shared = feed as SharedFeed;
    if (shared.viewers.delete(viewer) && shared.viewers.size === 0) shared.close();
  };
  return {
    async join({ context, runId, firstRunId, viewer, signal }) {
      const key = `${runId} ${firstRunId}`;
      const known = feeds.get(key);
      const feed: SharedFeed =
        known ??
        openFeed(context, runId, firstRunId, () => {
          if (feeds.get(key) === feed) feeds.delete(key);
        });
      feeds.set(key, feed);
      feed.viewers.add(viewer);
      try {
        await untilAborted(feed.opened, signal);
      } catch (error) {
        leave(feed, viewer);
        throw error;
      }
      if (feed.isReconnecting()) viewer.onConnection('reconnecting');
      return feed;
    },
    leave,
    size: () => feeds.size,
  };
}

function openFeed(
  context: Pick<ClientContext, 'client'>,
  runId: string,
  firstRunId: string,
  onClose: () => void,
): SharedFeed {
  const reading = openRunReading(context, runId, firstRunId);
  const own = new AbortController();
  const facts: LocatedFact[] = [];
  const viewers = new Set<Viewer>();
  const waiting = new Set<() => void>();
  let live: LiveTexts = {};
  let end: { readonly error?: unknown } | null = null;
  let connection: ConnectionState = 'live';

  const wake = () => {
    for (const resolve of [...waiting]) resolve();
  };
  const close = () => {
    own.abort();
    onClose();
  };
  const add = (located: readonly LocatedFact[]) => {
    for (const each of located) facts.push(each);
    wake();
  };
  const finish = (how: { readonly error?: unknown }) => {
    end ??= how;
    // Whoever comes after a failure tries anew.
    if ('error' in how) close();
    wake();
  };

  async function follow(): Promise<void> {
    const onConnection = (state: ConnectionState) => {
      connection = state;
      for (const viewer of viewers) viewer.onConnection(state);
    };
    for await (const located of reading.follow({ signal: own.signal, onConnection })) add(located);
    finish({});
  }

  /** A look that fails is skipped: it is only for show. */
  async function look(): Promise<void> {
    for (let count = 0; end === null; count += 1) {
      await delay(liveEveryMs, undefined, { signal: own.signal });
      const view = furthest(viewers);
      if (!view) continue;
      try {
        live = await readLiveTexts(context, view, count, own.signal);
        wake();
      } catch (error) {
        if (!isTransient(error)) throw error;
      }
    }
  }

  const opened = reading.readAvailable({ signal: own.signal }).then(add);
  const fail = (error: unknown) => {
    if (!own.signal.aborted) finish({ error });
  };
  opened.then(() => {
    if (own.signal.aborted) return;
    void follow().catch(fail);
    void look().catch(fail);
  }, fail);
  return {
    reading,
    facts,
    viewers,
    opened,
    live: () => live,
    end: () => end,
    isReconnecting: () => connection === 'reconnecting',
    close,
    async changed(signal) {
      let resolve = () => {};
      const change = new Promise<void>((settle) => waiting.add((resolve = settle)));
      await untilAborted(change, signal).finally(() => waiting.delete(resolve));
    },
  };
}

/** The view of the viewer that was told most. */
function furthest(viewers: ReadonlySet<Viewer>): RunView | null {
  let last: RunView | null = null;
  for (const viewer of viewers) {
    const view = viewer.view();
    if (!last || view.lastEventAt > last.lastEventAt) last = view;
  }
  return last;
}

async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
