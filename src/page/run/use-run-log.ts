/** Everything that has happened in a run, from its first event on. Read only once something on the page needs it. */
import { useEffect, useState } from 'react';
import { startCursor, type RunEvent, type ToolCallView } from '../../contract/run-view.ts';
import type { PageRunHandle } from '../server/client-context.tsx';
import { followEvents } from './follow.ts';
import { createFrameBatch } from './frame-batch.ts';

export type FoundSource = { readonly id: string; readonly url: string; readonly title: string; readonly by: string };
export type Finding = { readonly id: string; readonly by: string; readonly text: string };
export type LoggedCall = ToolCallView & { readonly error?: string; readonly durationMs?: number };

export type RunLog = {
  readonly events: readonly RunEvent[];
  readonly calls: ReadonlyMap<string, readonly LoggedCall[]>;
  readonly sources: readonly FoundSource[];
  readonly findings: readonly Finding[];
  readonly isOpen: boolean;
};

const nothing: RunLog = { events: [], calls: new Map(), sources: [], findings: [], isOpen: false };

/** Stays open once it was `isWanted`. */
export function useRunLog(handle: PageRunHandle, isWanted: boolean): RunLog {
  const [log, setLog] = useState(nothing);
  const [wasWanted, setWanted] = useState(isWanted);
  if (isWanted && !wasWanted) setWanted(true);
  useEffect(() => {
    if (!wasWanted) return;
    setLog({ ...nothing, isOpen: true });
    const stop = new AbortController();
    const batch = createFrameBatch<RunEvent>((events) => setLog((before) => addEvents(before, events)));
    // A log that cannot be read leaves the rest of the page as it is.
    followEvents(handle, startCursor, stop.signal, { event: batch.push, connection: () => undefined }).catch(() =>
      setLog((before) => ({ ...before, isOpen: false })),
    );
    return () => {
      stop.abort();
      batch.stop();
    };
  }, [handle, wasWanted]);
  return log;
}

function addEvents(before: RunLog, events: readonly RunEvent[]): RunLog {
  const calls = new Map(before.calls);
  const touched = new Set<string>();
  const callsOf = (id: string): LoggedCall[] => {
    if (!touched.has(id)) calls.set(id, [...(calls.get(id) ?? [])]);
    touched.add(id);
    return calls.get(id) as LoggedCall[];
  };
  const sources = [...before.sources];
  const findings = [...before.findings];
  for (const event of events) {
    const by = event.subagentId ?? '';
    if (event.type === 'tool-call-started') {
      callsOf(by).push({ callId: event.toolCallId, tool: event.tool, input: event.input, startedAt: event.at });
    } else if (event.type === 'tool-call-finished') {
      const list = callsOf(by);
      const at = list.findLastIndex(
        ({ callId, finishedAt }) => callId === event.toolCallId && finishedAt === undefined,
      );
      if (at >= 0) {
        const { ok, durationMs, output, error } = event;
        list[at] = { ...list[at]!, finishedAt: event.at, ok, durationMs, preview: output, error };
      }
    } else if (event.type === 'source-found') {
      if (!sources.some(({ id }) => id === event.source.id)) sources.push({ ...event.source, by });
    } else if (event.type === 'finding-added') {
      findings.push({ id: event.findingId, by, text: event.text });
    }
  }
  return { ...before, events: [...before.events, ...events], calls, sources, findings };
}
