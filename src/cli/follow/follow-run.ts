/** Follows one run to its end, or until this command has to leave. Leaving never touches the run. */
import { setMaxListeners } from 'node:events';
import type { RunHandle } from '../../client/research-api.ts';
import type { RunResult } from '../../contract/result.ts';
import type { RunDescription, RunEvent } from '../../contract/run-view.ts';
import { TributaryError } from '../../contract/failure.ts';
import { isBlocked } from '../view/render-needs.ts';
import { foldRunEvent } from './fold-run-event.ts';
import type { FollowView } from './follow-view.ts';
import type { Interrupts } from './interrupts.ts';
import type { OwnWorker } from './own-worker.ts';
import { raceSignal } from './race-signal.ts';

export type FollowEnd =
  | { readonly kind: 'ended'; readonly result: RunResult; readonly event: Extract<RunEvent, { type: 'result' }> }
  | { readonly kind: 'left'; readonly run: RunDescription | null; readonly cancelled: boolean }
  /** Somebody is needed, and this command was not to wait for it. */
  | { readonly kind: 'blocked'; readonly run: RunDescription }
  | { readonly kind: 'timeout'; readonly run: RunDescription | null };

export type FollowOptions = {
  readonly view: FollowView;
  readonly worker: OwnWorker;
  readonly interrupts: Interrupts;
  readonly timeoutMs?: number;
  /** A signal cancels the run and waits for its end, at most `cancelGraceMs`. */
  readonly cancelOnInterrupt: boolean;
  /** Leaves when somebody is needed. */
  readonly untilBlocked: boolean;
  readonly say: (line: string) => void;
  /** Kept up to date, so that whoever has to leave at once knows where the run was. */
  readonly onState: (run: RunDescription) => void;
};

export const cancelGraceMs = 10_000;
/** Longer than any timer of Node. */
const maxTimerMs = 2 ** 31 - 1;
/** A run that is quiet this long may have lost its worker. */
const quietMs = 15_000;
const checkMs = 5_000;

export async function followRun(handle: RunHandle, options: FollowOptions): Promise<FollowEnd> {
  const { view, worker, interrupts } = options;
  const leave = new AbortController();
  // Every history of the run is read under it at once.
  setMaxListeners(0, leave.signal);
  const timers: NodeJS.Timeout[] = [];
  const later = (ms: number, action: () => void) => timers.push(setTimeout(action, Math.min(ms, maxTimerMs)));
  let run: RunDescription | null = null;
  let hasTimedOut = false;
  let isCancelling = false;
  let lastEventMs = Date.now();

  const onInterrupt = () => {
    if (!options.cancelOnInterrupt || interrupts.caught() === 'closed-pipe') return leave.abort();
    isCancelling = true;
    options.say('cancelling the run …');
    handle.cancel({ reason: `interrupted by ${interrupts.caught()}` }).catch((error: unknown) => {
      options.say(`the cancel did not go through: ${error instanceof Error ? error.message : String(error)}`);
      leave.abort();
    });
    later(cancelGraceMs, () => leave.abort());
  };
  interrupts.signal.addEventListener('abort', onInterrupt, { once: true });
  if (interrupts.signal.aborted) onInterrupt();
  if (options.timeoutMs !== undefined) {
    later(options.timeoutMs, () => {
      hasTimedOut = true;
      leave.abort();
    });
  }
  const checker = setInterval(() => {
    if (Date.now() - lastEventMs > quietMs) worker.ensure().catch(() => undefined);
  }, checkMs);
  // Whoever leaves at once waits for nothing any more.
  void interrupts.leaveAtOnce.then(() => {
    clearInterval(checker);
    timers.forEach(clearTimeout);
  });

  const onConnection = (state: 'live' | 'reconnecting') =>
    options.say(state === 'live' ? 'the server answers again' : 'the server does not answer; trying again …');
  const events = handle.watch({ signal: leave.signal, onConnection })[Symbol.asyncIterator]();
  let trouble: { readonly error: unknown } | null = null;
  const onTrouble = (error: unknown) => {
    trouble ??= { error };
    leave.abort();
  };
  worker.failed.catch(onTrouble);
  worker.ensure().catch(onTrouble);
  try {
    for (;;) {
      const next = await raceSignal(events.next(), leave.signal);
      if (next.done) throw new TributaryError('INTERNAL', `the events of ${handle.runId} ended before the run did`);
      const event = next.value;
      lastEventMs = Date.now();
      run = foldRunEvent(run, event);
      if (run) {
        options.onState(run);
        view.show(run, event);
      }
      if (run && options.untilBlocked && isBlocked(run.status)) return { kind: 'blocked', run };
      if (event.type === 'result') return { kind: 'ended', result: event.result, event };
    }
  } catch (error) {
    if (trouble) throw (trouble as { readonly error: unknown }).error;
    if (!leave.signal.aborted) throw error;
    return hasTimedOut ? { kind: 'timeout', run } : { kind: 'left', run, cancelled: isCancelling };
  } finally {
    view.close();
    interrupts.signal.removeEventListener('abort', onInterrupt);
    clearInterval(checker);
    timers.forEach(clearTimeout);
    leave.abort();
    void events.return?.(undefined)?.catch(() => undefined);
  }
}
