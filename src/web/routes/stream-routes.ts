/** The events of a run as they happen: server-sent events, or a JSON object a line. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { TributaryError } from '../../contract/failure.ts';
import type { RunEvent } from '../../contract/run-view.ts';
import { apiRoute, runIdOf, type ApiRoute } from '../api-route.ts';
import { createEventStream, jsonLines, serverSentEvents } from '../event-stream.ts';
import { toProblem } from '../problem.ts';

/** A stream that has nothing to tell yet begins all the same; what is refused is refused by then. */
const beginWithinMs = 1_000;

const events = apiRoute({
  method: 'get',
  path: '/api/runs/{runId}/events',
  summary: 'Watch a run: a snapshot or what came after a cursor, then what happens, then the result',
  query: z.strictObject({ after: z.string().optional() }),
  answer: { status: 200, what: 'Events; 204 where the cursor is that of the end', type: 'text/event-stream' },
  async handle({ query, context }, kit) {
    const { raw } = context.req;
    const { closing, keepAliveMs, onError } = kit.options;
    const after = raw.headers.get('last-event-id') ?? query.after;
    const own = new AbortController();
    const stop = () => {
      own.abort();
      raw.signal.removeEventListener('abort', stop);
      closing?.removeEventListener('abort', stop);
    };
    raw.signal.addEventListener('abort', stop, { once: true });
    closing?.addEventListener('abort', stop, { once: true });
    if (raw.signal.aborted || closing?.aborted) stop();
    const run = kit.api(context).getHandle(runIdOf(context));
    const watched = run.watch({ signal: own.signal, ...(after !== undefined && { after }) });
    const iterator = watched[Symbol.asyncIterator]();
    const first = iterator.next();
    try {
      const begun = await Promise.race([first, delay(beginWithinMs, null, { signal: own.signal })]);
      if (begun?.done) {
        stop();
        return new Response(null, { status: 204, headers: { 'cache-control': 'no-cache' } });
      }
    } catch (error) {
      first.catch(() => undefined);
      const isLeft = own.signal.aborted;
      stop();
      if (!isLeft) throw error;
      throw new TributaryError('SERVER_UNREACHABLE', 'this server is going down: come back with the same cursor');
    }
    const wantsLines = raw.headers.get('accept')?.includes('application/x-ndjson') ?? false;
    const format = wantsLines ? jsonLines : serverSentEvents;
    const stream = createEventStream(iterator, first, {
      format,
      keepAliveMs,
      toJson: (event: RunEvent) => kit.veil.toJson(kit.veil.tell(event)),
      toProblem(error) {
        if (own.signal.aborted) return null;
        const problem = toProblem(error);
        if (problem.status === 500) onError?.(error);
        return kit.veil.toJson(problem);
      },
      stop,
    });
    return new Response(stream, {
      headers: { 'content-type': format.contentType, 'cache-control': 'no-cache', 'x-accel-buffering': 'no' },
    });
  },
});

export const streamRoutes: readonly ApiRoute[] = [events];
