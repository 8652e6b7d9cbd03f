/** Watches one run: a snapshot or the events since a cursor, then what happens, then the result. Writes nothing anywhere. */
import { defaults } from '../../contract/defaults.ts';
import { exitCodeOfStatus } from '../../contract/failure.ts';
import type { RunRecord } from '../../contract/run-record.ts';
import { startCursor, type RunEvent } from '../../contract/run-view.ts';
import { openRunView } from '../../domain/projection/run-state.ts';
import type { ClientContext } from '../client-context.ts';
import { type CausalOrder, createCausalOrder } from './causal-order.ts';
import { type Cursor, decodeCursor, hasSeen } from './cursor.ts';
import { describeRunExecution, type Execution } from '../execution.ts';
import { orRecord } from '../kept/or-record.ts';
import type { WatchOptions } from '../research-api.ts';
import type { RunReading } from '../history/run-reading.ts';
import { resolveResult } from '../resolve-result.ts';
import type { RunFeed, Viewer } from './run-feed.ts';
import { createRunWatcher, type RunWatcher } from './run-watcher.ts';
import { watchRecord } from './watch-record.ts';
import { comparePositions, type LocatedFact } from '../history/workflow-history.ts';

/** A feed that serves others already may be this far behind a cursor from elsewhere. */
const catchUpMs = 2_000;

/** See `RunHandle.watch`. Throws the signal's reason when it fires. */
export async function* watchRun(
  context: ClientContext,
  runId: string,
  options: WatchOptions = {},
): AsyncGenerator<RunEvent, void, undefined> {
  const signal = options.signal ?? new AbortController().signal;
  const execution = await orRecord<Execution | RunRecord>(
    context,
    runId,
    () => describeRunExecution(context, runId, signal),
    (record) => record,
  );
  if ('result' in execution) return yield* watchRecord(context, execution, options);
  const cursor = options.after === undefined ? null : decodeCursor(options.after);
  const { firstRunId, end } = execution;
  if (cursor?.isEnd && end !== null && cursor.firstRunId === firstRunId) return;
  const { feeds } = context;
  let watcher: RunWatcher | null = null;
  const viewer: Viewer = {
    onConnection: options.onConnection ?? (() => undefined),
    view: () => watcher?.view() ?? openRunView(runId, defaults),
  };
  const feed = await feeds.join({ context, runId, firstRunId, viewer, signal });
  try {
    watcher = createRunWatcher(feed.reading);
    yield* tellFeed(feed, watcher, options.after, signal);
  } finally {
    feeds.leave(feed, viewer);
  }
  const result = await resolveResult(context, watcher.view(), signal);
  const { status } = result;
  yield watcher.event({ type: 'result', status, exitCode: exitCodeOfStatus[status], result }, true);
}

/** Up to the end of the run; what the feed already has of it comes first. */
async function* tellFeed(
  feed: RunFeed,
  watcher: RunWatcher,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, void, undefined> {
  const { reading, facts } = feed;
  const order = createCausalOrder((id, attempt) => reading.subagents.get(id)?.isLost(attempt) ?? false);
  const cursor = after === undefined ? null : toCursor(after, reading);
  const problem = cursor ? await waitForCursor(cursor, feed, signal) : 'it is not a cursor of this product';
  let told = facts.length;
  let live = feed.live();
  let tell: (located: readonly LocatedFact[]) => Iterable<RunEvent>;
  if (cursor && problem === null) {
    tell = createCatchUp(cursor, order, watcher);
    yield* tell(facts.slice(0, told));
  } else {
    tell = (located) => watcher.fold(order.add(located));
    watcher.foldSilently(order.add(facts.slice(0, told)));
    watcher.setLive(live);
    if (after !== undefined) {
      // It keeps the unusable cursor: whoever leaves before the snapshot is told again.
      const resync = watcher.event({ type: 'resync', reason: `the cursor cannot be used: ${problem}` });
      yield { ...resync, cursor: after };
    }
    yield watcher.snapshot();
  }
  for (;;) {
    signal.throwIfAborted();
    const end = feed.end();
    if (told < facts.length) {
      const from = told;
      told = facts.length;
      yield* tell(facts.slice(from, told));
    } else if (feed.live() !== live) {
      live = feed.live();
      yield* watcher.setLive(live);
    } else if (end) {
      if ('error' in end) throw end.error;
      break;
    } else await feed.changed(signal);
  }
  yield* watcher.fold(order.flush());
}

/** Tells what the cursor's owner was not told. */
function createCatchUp(cursor: Cursor, order: CausalOrder, watcher: RunWatcher) {
  let { partial } = cursor;
  const isSeen = ({ fact, position }: LocatedFact) => hasSeen(cursor, fact.subagentId, position, fact.ofAttempt);
  return function* (located: readonly LocatedFact[]): Generator<RunEvent> {
    const seen = located.filter(isSeen);
    watcher.foldSilently(seen);
    order.skip(seen);
    const missed = located.filter((each) => !isSeen(each));
    // A fact of which only some events were told comes first: then the rest of them is the same as it was.
    const begun = partial && missed.find(({ fact }) => fact.subagentId === partial!.subagentId);
    if (begun) {
      const { told } = partial!;
      partial = undefined;
      order.skip([begun]);
      yield* watcher.fold([begun], told);
    }
    yield* watcher.fold(order.add(missed.filter((each) => each !== begun)));
  };
}

/** `findProblem`, once a feed that was there before has had the time to read what the cursor's owner was told. */
async function waitForCursor(cursor: Cursor, feed: RunFeed, signal: AbortSignal): Promise<string | null> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(catchUpMs)]);
  for (;;) {
    const problem = findProblem(cursor, feed.reading);
    if (problem !== aheadOfHistory || feed.end() !== null || patience.aborted) return problem;
    await feed.changed(patience).catch(() => signal.throwIfAborted());
  }
}

const aheadOfHistory = 'it is ahead of the history';

function toCursor(after: string, { firstRunId }: RunReading): Cursor | null {
  if (after !== startCursor) return decodeCursor(after);
  return { firstRunId, run: [0, 0], drained: new Set(), open: new Map(), isEnd: false };
}

/** Why the events after this cursor cannot be told from these histories; `null` when they can. */
function findProblem(cursor: Cursor, reading: RunReading): string | null {
  if (cursor.firstRunId !== reading.firstRunId) return 'it belongs to another run';
  if (comparePositions(cursor.run, reading.run.position()) > 0) return aheadOfHistory;
  for (const [id, position] of cursor.open) {
    const history = reading.subagents.get(id);
    if (!history || comparePositions(position, history.position()) > 0) return aheadOfHistory;
  }
  for (const id of cursor.drained) {
    if (!reading.subagents.has(id)) return aheadOfHistory;
  }
  return null;
}
