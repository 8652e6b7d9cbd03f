/**
 * Events of a run as the body of an answer: read only as fast as they are taken, with a sign of life while there are none.
 * A viewer that takes nothing for a minute is let go: it resumes by its cursor.
 */
import type { RunEvent } from '../contract/run-view.ts';

export type StreamFormat = {
  readonly contentType: string;
  event(event: RunEvent, json: string): string;
  readonly alive: string;
  problem(json: string): string;
};

export const serverSentEvents: StreamFormat = {
  contentType: 'text/event-stream; charset=utf-8',
  // A cursor of somebody else's making may hold anything; it must not end the line.
  event: ({ cursor }, json) => `${/^[\x20-\x7e]+$/.test(cursor) ? `id: ${cursor}\n` : ''}data: ${json}\n\n`,
  alive: ': \n\n',
  problem: (json) => `event: problem\ndata: ${json}\n\n`,
};

export const jsonLines: StreamFormat = {
  contentType: 'application/x-ndjson; charset=utf-8',
  event: (_, json) => `${json}\n`,
  alive: '\n',
  problem: (json) => `${json}\n`,
};

const defaultKeepAliveMs = 15_000;
/** In signs of life that nobody took. */
const maxMissed = 4;

type Options = {
  readonly format: StreamFormat;
  readonly keepAliveMs?: number | undefined;
  toJson(event: RunEvent): string;
  /** `null` = the stream just ends, as where the server goes: the viewer comes back. */
  toProblem(error: unknown): string | null;
  /** Stops the reading; called once, however it ends. */
  stop(): void;
};

/** `first` was read already, to know how to answer. */
export function createEventStream(
  events: AsyncIterator<RunEvent>,
  first: Promise<IteratorResult<RunEvent>>,
  options: Options,
): ReadableStream<Uint8Array> {
  const { format, keepAliveMs = defaultKeepAliveMs } = options;
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<RunEvent>> | null = first;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  /** Whoever waits in `pull` for an event, woken for a sign of life. */
  let breathe: (() => void) | null = null;
  let missed = 0;

  const end = () => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    breathe?.();
    options.stop();
    next?.catch(() => undefined);
    void events.return?.()?.catch?.(() => undefined);
  };

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        timer = setInterval(() => {
          missed = breathe ? 0 : missed + 1;
          breathe?.();
          if (missed < maxMissed) return;
          end();
          controller.error(new Error('the viewer takes nothing'));
        }, keepAliveMs);
      },
      async pull(controller) {
        next ??= events.next();
        const silence = new Promise<null>((resolve) => (breathe = () => resolve(null)));
        try {
          const result = await Promise.race([next, silence]);
          if (isOver) return;
          if (result === null) return controller.enqueue(encoder.encode(format.alive));
          next = null;
          if (!result.done) {
            controller.enqueue(encoder.encode(format.event(result.value, options.toJson(result.value))));
            if (result.value.type !== 'result') return;
          }
        } catch (error) {
          if (isOver) return;
          const problem = options.toProblem(error);
          if (problem !== null) controller.enqueue(encoder.encode(format.problem(problem)));
        } finally {
          breathe = null;
        }
        end();
        controller.close();
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
}
