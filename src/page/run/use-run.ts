/** A run as it is now: its snapshot, and every event since folded into it. */
import { useEffect, useState } from 'react';
import type { RunResult } from '../../contract/result.ts';
import type { RunDescription, RunEvent } from '../../contract/run-view.ts';
import { foldRunEvent, hasEnded } from '../../domain/projection/fold-run-event.ts';
import type { PageRunHandle } from '../server/client-context.tsx';
import type { Connection } from '../live/connection.ts';
import { toAnnouncement } from './announcement.ts';
import { followEvents } from './follow.ts';
import { createFrameBatch } from './frame-batch.ts';

export type RunState = {
  /** `null` until the first snapshot. */
  readonly run: RunDescription | null;
  /** `null` until the run has ended. */
  readonly result: RunResult | null;
  readonly connection: Connection;
  readonly error: unknown;
  /** What has just happened, in words. */
  readonly polite: string;
  readonly urgent: string;
};

const atFirst: RunState = { run: null, result: null, connection: 'connecting', error: null, polite: '', urgent: '' };

export function useRun(handle: PageRunHandle): RunState & { readonly again: () => void } {
  const [state, setState] = useState(atFirst);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    const batch = createFrameBatch<RunEvent>((events) => setState((before) => takeEvents(before, events)));
    const setConnection = (connection: Connection) =>
      setState((before) => (before.connection === connection ? before : { ...before, connection }));
    followEvents(handle, undefined, stop.signal, { event: batch.push, connection: setConnection }).catch(
      (error: unknown) => setState((before) => ({ ...before, error, connection: 'reconnecting' })),
    );
    return () => {
      stop.abort();
      batch.stop();
    };
  }, [handle, attempt]);
  const again = () => {
    setState((before) => ({ ...before, error: null, connection: 'connecting' }));
    setAttempt((count) => count + 1);
  };
  return { ...state, again };
}

function takeEvents(before: RunState, events: readonly RunEvent[]): RunState {
  let { run, result } = before;
  for (const event of events) {
    run = foldRunEvent(run, event);
    if (event.type === 'result') result = event.result;
  }
  const words = run ? toAnnouncement(run, events) : { polite: '', urgent: '' };
  return {
    ...before,
    run,
    result,
    error: null,
    connection: run && hasEnded(run.status) ? 'recorded' : 'live',
    polite: words.polite === '' ? before.polite : words.polite,
    urgent: words.urgent === '' ? before.urgent : words.urgent,
  };
}
