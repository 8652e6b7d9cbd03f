/** A stand-in for a model API: refuses what the real one refuses, answers as the test says, records requests and sockets. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { breakConnection, sendError, sendJson } from './answer.ts';
import { apis, type Family } from './families.ts';
import type { Answer, Asked, ErrorAnswer, Json } from './provider-api.ts';
import { openSignatureBook } from './signature-book.ts';
import { openWaiters } from './waiters.ts';

export { families, modelIds, type Family } from './families.ts';

export const providerKey = 'sk-test-SECRET';

export type ProviderRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** `undefined` where it was no JSON. */
  readonly body: Json;
  readonly raw: string;
  readonly asked: Asked;
  /** `performance.now()` when all of it had arrived, as are the other times. */
  readonly at: number;
  /** When its socket closed before it was answered. */
  abortedAt?: number;
  answeredAt?: number;
  /** The rule that it broke. */
  refused?: string;
};

/** A list is answered from in order, its last again and again; a refused request uses up its place in it. */
export type Reply =
  Answer | readonly Answer[] | ((request: ProviderRequest, index: number) => Answer | Promise<Answer>);

export type ProviderOptions = {
  /** What requests for a count are told; left out, a quarter of the bytes of the body. `missing`: there is no such path. */
  readonly countTokens?: number | 'missing' | { readonly error: ErrorAnswer };
  readonly port?: number;
  /** Keys that are good; left out, `providerKey` alone. */
  readonly keys?: readonly string[];
  /** Takes fields that it does not know, and answers without what a client does not need. */
  readonly gateway?: boolean;
};

export type Provider = {
  /** With the version of the API in it. */
  readonly baseUrl: string;
  /** An address below `baseUrl`. */
  url(path?: string): string;
  /** Requests for an answer, in order of arrival; those for a count are apart. */
  readonly requests: readonly ProviderRequest[];
  readonly counts: readonly ProviderRequest[];
  /** What no client should ask: unknown paths (a redirect that was followed), other methods, wrong keys. */
  readonly strays: readonly ProviderRequest[];
  readonly refusals: readonly string[];
  /** Most requests for an answer that were open at the same time. */
  peak: number;
  requested(count: number): Promise<void>;
  counted(count: number): Promise<void>;
  /** Resolves when this many requests were broken off by the client. */
  aborted(count: number): Promise<void>;
  /** Resolves when no request for an answer is open any more. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

const nothingAsked: Asked = { system: '', user: [], turns: 0, results: [], tools: [], mayCall: false };

export async function startProvider(family: Family, reply: Reply, options: ProviderOptions = {}): Promise<Provider> {
  const api = apis[family];
  const isGateway = options.gateway ?? false;
  const keys = options.keys ?? [providerKey];
  const book = openSignatureBook();
  const waiters = openWaiters();
  const requests: ProviderRequest[] = [];
  const counts: ProviderRequest[] = [];
  const strays: ProviderRequest[] = [];
  const refusals: string[] = [];
  let inFlight = 0;

  const refuse = (
    request: ProviderRequest,
    into: ProviderRequest[],
    reason: string,
    response: ServerResponse,
    status = 400,
  ) => {
    request.refused = reason;
    into.push(request);
    if (into !== strays) refusals.push(reason);
    waiters.look();
    sendJson(response, status, api.renderError({ status, message: reason }));
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse, raw: string) => {
    const { method = '', headers } = incoming;
    const path = new URL(incoming.url!, 'http://stand-in').pathname;
    const request: ProviderRequest = {
      ...{ method, path, headers, raw, body: parse(raw), asked: nothingAsked, at: performance.now() },
    };
    const { body } = request;
    const isCount = api.isCount(path);
    if (!isCount && !api.isGenerate(path)) return refuse(request, strays, `no such path: ${path}`, response, 404);
    if (method !== 'POST') return refuse(request, strays, `${method} is not allowed`, response, 405);
    const key = api.key(headers);
    const isKeyless = family === 'compatible' && key === undefined;
    // As vendors do, with the key in it.
    if (!keys.some((each) => each === key) && !isKeyless) {
      return refuse(request, strays, `Incorrect API key provided: ${key}`, response, 401);
    }
    const into = isCount ? counts : requests;
    const rule = attempt(() => api.check(body, { isCount, book, headers, isGateway }));
    if (rule !== null) return refuse(request, into, rule, response);
    Object.assign(request, { asked: api.read(body) });
    const index = into.push(request) - 1;
    if (isCount) {
      waiters.look();
      const { countTokens: count = Math.ceil(Buffer.byteLength(raw) / 4) } = options;
      if (typeof count === 'number') return sendJson(response, 200, api.renderCount(count));
      return sendError(response, api, count === 'missing' ? { status: 404 } : count.error, key);
    }
    inFlight += 1;
    provider.peak = Math.max(provider.peak, inFlight);
    response.on('close', () => {
      inFlight -= 1;
      if (response.writableFinished) request.answeredAt = performance.now();
      else request.abortedAt = performance.now();
      waiters.look();
    });
    waiters.look();
    const answer = await choose(reply, request, index);
    if ('error' in answer) return sendError(response, api, answer.error, key);
    if ('fault' in answer) return breakConnection(response, answer.fault, provider.url('/redirected'));
    sendJson(response, 200, api.render(answer, { body, book, isGateway }));
  };

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      handle(incoming, response, Buffer.concat(chunks).toString()).catch((error: unknown) => {
        // A script that throws must neither hang the client nor go unseen.
        refusals.push(`the test's reply failed: ${String(error)}`);
        if (!response.headersSent) sendJson(response, 500, api.renderError({ status: 500, message: String(error) }));
      });
    });
  });

  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/${family === 'google' ? 'v1beta' : 'v1'}`;
  const provider: Provider = {
    ...{ baseUrl, requests, counts, strays, refusals, peak: 0 },
    url: (path = '') => `${baseUrl}${path}`,
    requested: (count) => waiters.until(() => requests.length >= count),
    counted: (count) => waiters.until(() => counts.length >= count),
    aborted: (count) =>
      waiters.until(() => requests.filter(({ abortedAt }) => abortedAt !== undefined).length >= count),
    settled: () => waiters.until(() => inFlight === 0),
    async close() {
      waiters.end('The stand-in was closed while something was waited for.');
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}

function parse(raw: string): Json {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}

/** A body of a shape that no rule thought of breaks the rules too. */
function attempt(check: () => string | null): string | null {
  try {
    return check();
  } catch (error) {
    return `the body is not of the right shape: ${String(error)}`;
  }
}

async function choose(reply: Reply, request: ProviderRequest, index: number): Promise<Answer> {
  if (typeof reply === 'function') return reply(request, index);
  return Array.isArray(reply) ? (reply[Math.min(index, reply.length - 1)] as Answer) : (reply as Answer);
}
