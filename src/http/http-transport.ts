/** Requests to the API: the address, the token, and refusals turned back into the errors that they are. */
import { failureCodeOf, TributaryError } from '../contract/failure.ts';

export type HttpClientOptions = {
  /** Of the server, such as `http://127.0.0.1:7450`; a page gives its own origin. */
  readonly baseUrl: string | URL;
  readonly token?: string | (() => string | null | undefined | Promise<string | null | undefined>);
  readonly fetch?: typeof globalThis.fetch;
};

type Query = Readonly<Record<string, string | number | undefined>>;
export type SendOptions = {
  readonly query?: Query;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Idempotency key; without one a key of its own. */
  readonly requestId?: string | undefined;
};

export type HttpTransport = {
  /** The answer when all is well. `SERVER_UNREACHABLE` where there is none; otherwise the code of the refusal. */
  send(method: 'GET' | 'POST', path: string, options?: SendOptions): Promise<Response>;
  get<T>(path: string, options?: SendOptions): Promise<T>;
  /** `undefined` for an answer without a body. */
  post<T>(path: string, body: object, options?: SendOptions): Promise<T>;
};

export function createHttpTransport({ baseUrl, token, fetch = globalThis.fetch }: HttpClientOptions): HttpTransport {
  const root = new URL(baseUrl).href.replace(/\/*$/, '');

  async function send(method: 'GET' | 'POST', path: string, options: SendOptions = {}): Promise<Response> {
    const { query = {}, body, signal, requestId } = options;
    const url = new URL(`${root}/api/${path}`);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const secret = typeof token === 'function' ? await token() : token;
    let response: Response;
    try {
      signal?.throwIfAborted();
      response = await fetch(url, {
        method,
        ...(signal && { signal }),
        headers: {
          accept: 'application/json',
          ...(method === 'POST' && {
            'content-type': 'application/json',
            'idempotency-key': requestId ?? createKey(),
          }),
          ...(secret && { authorization: `Bearer ${secret}` }),
          ...options.headers,
        },
        ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw new TributaryError('SERVER_UNREACHABLE', `no answer from ${root}`, { cause: error });
    }
    if (response.ok) return response;
    throw await toError(response, root);
  }

  return {
    send,
    get: async <T>(path: string, options?: SendOptions) => (await (await send('GET', path, options)).json()) as T,
    async post<T>(path: string, body: object, options?: SendOptions) {
      const response = await send('POST', path, { ...options, body });
      return (response.status === 204 ? undefined : await response.json()) as T;
    },
  };
}

async function toError(response: Response, root: string): Promise<TributaryError> {
  const problem = (await response.json().catch(() => null)) as { code?: unknown; detail?: string } | null;
  const code = failureCodeOf(problem);
  if (code !== null) return new TributaryError(code, problem?.detail ?? code);
  // Somebody in between answered: a proxy, or another program on that port.
  const isAway = response.status >= 500;
  return new TributaryError(
    isAway ? 'SERVER_UNREACHABLE' : 'INTERNAL',
    `${root} answered ${response.status}, and it is not an answer of this product`,
  );
}

/** As good as `crypto.randomUUID`, which a page has only over https and on its own machine. */
function createKey(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
