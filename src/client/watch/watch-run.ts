/** Watches one run: a snapshot or the events since a cursor, then what happens, then the result. Writes nothing anywhere. */
import { setTimeout as delay } from 'node:timers/promises';
import { exitCodeOfStatus } from '../../contract/failure.ts';
import type { RunRecord } from '../../contract/run-record.ts';
import type { RunEvent } from '../../contract/run-view.ts';
import type { ClientContext } from '../client-context.ts';
import { createCausalOrder } from './causal-order.ts';
import { type Cursor, decodeCursor, hasSeen } from './cursor.ts';
import { describeRunExecution, type Execution } from '../execution.ts';
import { orRecord } from '../kept/or-record.ts';
import { readLiveTexts } from './live-overlay.ts';
import { createPushQueue, type PushQueue } from '../history/push-queue.ts';
import type { WatchOptions } from '../research-api.ts';
import { openRunReading, type RunReading } from '../history/run-reading.ts';
import { resolveResult } from '../resolve-result.ts';
import { isTransient } from '../call-service.ts';
import { createRunWatcher, type LiveTexts, type RunWatcher } from './run-watcher.ts';
import { watchRecord } from './watch-record.ts';
import { comparePositions, type LocatedFact } from '../history/workflow-history.ts';

/** How often open activities are looked at while somebody watches. */
const liveEveryMs = 2_000;

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
  const reading = openRunReading(context, runId, execution.firstRunId);
  const watcher = createRunWatcher(reading);
  const available = await reading.readAvailable({ signal });

  const order = createCausalOrder((id, attempt) => reading.subagents.get(id)?.isLost(attempt) ?? false);
  const cursor = options.after === undefined ? null : decodeCursor(options.after);
  const problem = cursor ? findProblem(cursor, reading) : 'it is not a cursor of this product';
  if (cursor && problem === null) {
    if (cursor.isEnd) return;
    const isSeen = ({ fact, position }: LocatedFact) => hasSeen(cursor, fact.subagentId, position, fact.ofAttempt);
    const seen = available.filter(isSeen);
    watcher.foldSilently(seen);
    order.skip(seen);
    const missed = available.filter((each) => !isSeen(each));
    // A fact of which only some events were told comes first: then the rest of them is the same as it was.
    const { partial } = cursor;
    const begun = partial && missed.find(({ fact }) => fact.subagentId === partial.subagentId);
    if (begun) {
      yield* watcher.fold([begun], partial.told);
      order.skip([begun]);
    }
    yield* watcher.fold(order.add(missed.filter((each) => each !== begun)));
  } else {
    watcher.foldSilently(order.add(available));
    if (options.after !== undefined) {
      // It keeps the unusable cursor: whoever leaves before the snapshot is told again.
      const resync = watcher.event({ type: 'resync', reason: `the cursor cannot be used: ${problem}` });
      yield { ...resync, cursor: options.after };
    }
    yield watcher.snapshot();
  }

  const own = new AbortController();
  const stop = () => own.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const queue = createPushQueue<Item>();
    void forwardFacts(reading, queue, own.signal, options);
    void forwardLive(context, watcher, queue, own.signal);
    for await (const item of queue) {
      yield* Array.isArray(item) ? watcher.fold(order.add(item)) : watcher.setLive(item.texts);
    }
    yield* watcher.fold(order.flush());
  } finally {
    signal.removeEventListener('abort', stop);
    own.abort();
  }
  const result = await resolveResult(context, watcher.view(), signal);
  const { status } = result;
  yield watcher.event({ type: 'result', status, exitCode: exitCodeOfStatus[status], result }, true);
}

type Item = LocatedFact[] | { readonly texts: LiveTexts };

/** Why the events after this cursor cannot be told from these histories; `null` when they can. */
function findProblem(cursor: Cursor, reading: RunReading): string | null {
  if (cursor.firstRunId !== reading.firstRunId) return 'it belongs to another run';
  if (comparePositions(cursor.run, reading.run.position()) > 0) return 'it is ahead of the history';
  for (const [id, position] of cursor.open) {
    const history = reading.subagents.get(id);
    if (!history || comparePositions(position, history.position()) > 0) return 'it is ahead of the history';
  }
  for (const id of cursor.drained) {
    if (!reading.subagents.has(id)) return 'it is ahead of the history';
  }
  return null;
}

async function forwardFacts(
  reading: RunReading,
  queue: PushQueue<Item>,
  signal: AbortSignal,
  options: WatchOptions,
): Promise<void> {
  try {
    const onConnection = options.onConnection ?? (() => undefined);
    for await (const located of reading.follow({ signal, onConnection })) queue.push(located);
    queue.end();
  } catch (error) {
    queue.fail(error);
  }
}

/** Looks at open activities until the signal fires. A look that fails is skipped: it is only for show. */
async function forwardLive(
  context: ClientContext,
  watcher: RunWatcher,
  queue: PushQueue<Item>,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (let look = 0; ; look += 1) {
      await delay(liveEveryMs, undefined, { signal });
      try {
        queue.push({ texts: await readLiveTexts(context, watcher.view(), look, signal) });
      } catch (error) {
        if (!isTransient(error)) throw error;
      }
    }
  } catch (error) {
    if (!signal.aborted) queue.fail(error);
  }
}
