/** Sees on which sockets an activity's requests are in flight, so that a cancel can tell when they were really closed. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { CancelProof } from '../contract/cancel-proof.ts';

/**
 * One per attempt of an activity. It is told of every request that the code inside `run` makes through undici or the
 * built-in `fetch`, and follows the socket itself: its `close` event comes when it is closed, not when that was asked for.
 */
export class SocketWatch {
  /** Sockets with a request in flight, each with what takes the watch off it. */
  private readonly inFlight = new Map<Socket, () => void>();
  private readonly signal: AbortSignal;
  private abortedAt: string | null = null;
  private lastClosedAt: string | null = null;
  private closedCount = 0;
  private onAllClosed = () => {};

  constructor(signal: AbortSignal) {
    this.signal = signal;
    const onAbort = () => (this.abortedAt = now());
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  }

  run<T>(body: () => Promise<T>): Promise<T> {
    return running.run(this, body);
  }

  /** Waits until what was in flight is closed, at most so long. */
  async prove(withinMs: number): Promise<CancelProof> {
    if (this.inFlight.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        this.onAllClosed = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return {
      abortedAt: this.abortedAt ?? now(),
      socketsClosed: this.closedCount,
      socketsOpen: this.inFlight.size,
      lastSocketClosedAt: this.lastClosedAt,
    };
  }

  hold(socket: Socket): void {
    if (this.inFlight.has(socket)) return;
    const onClose = () => {
      if (this.signal.aborted) {
        this.closedCount += 1;
        this.lastClosedAt = now();
      }
      this.release(socket);
    };
    socket.once('close', onClose);
    this.inFlight.set(socket, () => socket.off('close', onClose));
  }

  release(socket: Socket): void {
    this.inFlight.get(socket)?.();
    this.inFlight.delete(socket);
    if (this.inFlight.size === 0) this.onAllClosed();
  }
}

type Flight = { readonly watch: SocketWatch; socket?: Socket };
type Message = { readonly request: object; readonly socket: Socket };

const running = new AsyncLocalStorage<SocketWatch>();
const flights = new WeakMap<object, Flight>();

function listen(channel: string, onMessage: (message: Message) => void): void {
  subscribe(`undici:${channel}`, (message) => onMessage(message as Message));
}

listen('request:create', ({ request }) => {
  const watch = running.getStore();
  if (watch) flights.set(request, { watch });
});
listen('client:sendHeaders', ({ request, socket }) => {
  const flight = flights.get(request);
  if (!flight) return;
  flight.socket = socket;
  flight.watch.hold(socket);
});
listen('request:trailers', ({ request }) => {
  const flight = flights.get(request);
  if (flight?.socket) flight.watch.release(flight.socket);
});
listen('request:error', ({ request }) => {
  const flight = flights.get(request);
  if (!flight?.socket) return;
  const { watch, socket } = flight;
  // It is told just before the socket is destroyed; one that stays good for the next request holds nothing of this one.
  queueMicrotask(() => {
    if (!socket.destroyed) watch.release(socket);
  });
});

function now(): string {
  return new Date().toISOString();
}
