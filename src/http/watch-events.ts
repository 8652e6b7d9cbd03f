/** The events of a run over HTTP. A connection that is lost is made again from the last cursor: nothing is missed or told twice. */
import { createParser } from 'eventsource-parser';
import { failureCodeOf, isRetryable, TributaryError } from '../contract/failure.ts';
import type { RunEvent } from '../contract/run-view.ts';
import type { WatchOptions } from '../client/research-api.ts';
import type { HttpTransport } from './http-transport.ts';

/** The server gives a sign of life each 15 s. */
const silentMs = 45_000;
const firstPauseMs = 250;
const maxPauseMs = 5_000;

export async function* watchEvents(
  transport: HttpTransport,
  runId: string,
  { after, signal, onConnection = () => undefined }: WatchOptions = {},
): AsyncGenerator<RunEvent, void, undefined> {
  let cursor = after;
  // Whoever has a cursor has watched before.
  let hasBegun = after !== undefined;
  let isLost = false;
  for (let failures = 0; ;) {
    signal?.throwIfAborted();
    try {
      for await (const event of readOnce(transport, runId, cursor, signal, () => {
        failures = 0;
        hasBegun = true;
        if (isLost) onConnection('live');
        isLost = false;
      })) {
        cursor = event.cursor;
        yield event;
        if (event.type === 'result') return;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof EndOfStream) return;
      const code = failureCodeOf(error);
      // What never worked is told; what worked before is waited for.
      if (!hasBegun || code === null || !isRetryable(code)) throw error;
    }
    if (!isLost) onConnection('reconnecting');
    isLost = true;
    failures += 1;
    await pause(Math.min(maxPauseMs, firstPauseMs * 2 ** (failures - 1)), signal);
  }
}

/** The cursor was that of the end. */
class EndOfStream extends Error {}

async function* readOnce(
  transport: HttpTransport,
  runId: string,
  cursor: string | undefined,
  signal: AbortSignal | undefined,
  onOpen: () => void,
): AsyncGenerator<RunEvent, void, undefined> {
  const own = new AbortController();
  const abort = () => own.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listen = () => {
    clearTimeout(timer);
    timer = setTimeout(() => own.abort(), silentMs);
  };
  try {
    listen();
    // As a query where it is no header: a cursor of somebody else's making may hold anything.
    const isHeader = cursor !== undefined && /^[\x21-\x7e]+$/.test(cursor);
    const response = await transport.send('GET', `runs/${encodeURIComponent(runId)}/events`, {
      signal: own.signal,
      headers: { accept: 'text/event-stream', ...(isHeader && { 'last-event-id': cursor }) },
      ...(cursor !== undefined && !isHeader && { query: { after: cursor } }),
    });
    if (response.status === 204 || !response.body) throw new EndOfStream();
    onOpen();
    for await (const { event, data } of readMessages(response.body, listen)) {
      if (event !== 'problem') yield JSON.parse(data) as RunEvent;
      else {
        const { code, detail } = JSON.parse(data) as { code?: unknown; detail?: string };
        throw new TributaryError(failureCodeOf({ code }) ?? 'INTERNAL', detail ?? 'the server could not go on');
      }
    }
  } catch (error) {
    if (error instanceof EndOfStream || failureCodeOf(error) !== null) throw error;
    throw new TributaryError('SERVER_UNREACHABLE', 'the connection was lost', { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    own.abort();
  }
}

type Message = { readonly event: string | undefined; readonly data: string };

async function* readMessages(body: ReadableStream<Uint8Array>, onBytes: () => void): AsyncGenerator<Message> {
  let messages: Message[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => messages.push({ event, data }) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      parser.feed(decoder.decode(value, { stream: true }));
      const complete = messages;
      messages = [];
      yield* complete;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done, { once: true });
  });
}
