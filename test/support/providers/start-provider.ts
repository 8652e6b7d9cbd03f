/** A stand-in for a model API: refuses what the real one refuses, answers as the test says, records requests and sockets. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropicApi } from './anthropic-api.ts';
import { geminiApi } from './gemini-api.ts';
import { openAiChatApi } from './openai-chat-api.ts';
import { openAiResponsesApi } from './openai-responses-api.ts';
import { openSignatureBook, type Answer, type Asked, type Json, type ProviderApi } from './provider-api.ts';

export const providerKey = 'sk-test-SECRET';

export const families = ['openai', 'openai-chat', 'anthropic', 'google', 'compatible'] as const;
export type Family = (typeof families)[number];

const apis: Readonly<Record<Family, ProviderApi>> = {
  openai: openAiResponsesApi,
  'openai-chat': openAiChatApi,
  anthropic: anthropicApi,
  google: geminiApi,
  compatible: openAiChatApi,
};
/** A model id that the provider packages know as one that reasons, where that makes a difference. */
export const modelIds: Readonly<Record<Family, string>> = {
  openai: 'gpt-5',
  'openai-chat': 'gpt-4.1',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-flash',
  compatible: 'llama3.1:8b',
};

export type ProviderRequest = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
  readonly raw: string;
  readonly asked: Asked;
  readonly at: number;
  /** When its socket closed before it was answered. */
  abortedAt?: number;
  answeredAt?: number;
  /** The rule that it broke. */
  refused?: string;
};

type Reply = Answer | readonly Answer[] | ((request: ProviderRequest, index: number) => Answer | Promise<Answer>);

export type Provider = {
  /** With the version of the API in it. */
  readonly baseUrl: string;
  /** Requests for an answer, in order of arrival; those for a count are apart. */
  readonly requests: readonly ProviderRequest[];
  readonly counts: readonly ProviderRequest[];
  readonly refusals: readonly string[];
  peak: number;
  requested(count: number): Promise<void>;
  /** Resolves when this many requests were broken off by the client. */
  aborted(count: number): Promise<void>;
  close(): Promise<void>;
};

export async function startProvider(
  family: Family,
  reply: Reply,
  options: { readonly countTokens?: number | 'missing'; readonly port?: number } = {},
): Promise<Provider> {
  const api = apis[family];
  const book = openSignatureBook();
  const requests: ProviderRequest[] = [];
  const counts: ProviderRequest[] = [];
  const refusals: string[] = [];
  const waiting: { readonly isOver: () => boolean; readonly resolve: () => void }[] = [];
  const settle = () => waiting.forEach((each) => each.isOver() && each.resolve());
  const until = async (isOver: () => boolean) =>
    new Promise<void>((resolve) => {
      waiting.push({ isOver, resolve });
      settle();
    });
  let inFlight = 0;

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => void handle(Buffer.concat(chunks).toString()));
    const handle = async (raw: string) => {
      const path = incoming.url!;
      const isCount = api.isCount(path);
      if (!isCount && !api.isGenerate(path)) return send(response, 404, api.renderError(404, 'not_found', path));
      const given = api.key(incoming.headers);
      const keyless = family === 'compatible' && given === undefined;
      if (given !== providerKey && !keyless) {
        // As vendors do, with the key in it.
        return send(response, 401, api.renderError(401, 'invalid_api_key', `Incorrect API key provided: ${given}`));
      }
      const body = JSON.parse(raw);
      const refused = api.check(body, { isCount, book });
      const asked = api.read(isCount ? (body.generateContentRequest ?? body) : body);
      const request: ProviderRequest = { path, headers: incoming.headers, body, raw, asked, at: performance.now() };
      if (refused !== null) {
        request.refused = refused;
        refusals.push(refused);
        (isCount ? counts : requests).push(request);
        settle();
        return send(response, 400, api.renderError(400, 'invalid_request_error', refused));
      }
      if (isCount) {
        counts.push(request);
        const { countTokens } = options;
        if (countTokens === 'missing') return send(response, 404, api.renderError(404, 'not_found', 'no such path'));
        return send(response, 200, api.renderCount(countTokens ?? Math.ceil(raw.length / 4)));
      }
      inFlight += 1;
      provider.peak = Math.max(provider.peak, inFlight);
      const index = requests.push(request) - 1;
      response.on('close', () => {
        inFlight -= 1;
        if (response.writableFinished) request.answeredAt = performance.now();
        else request.abortedAt = performance.now();
        settle();
      });
      settle();
      answer(response, await choose(reply, request, index));
    };
  });

  const answer = (response: ServerResponse, chosen: Answer) => {
    if ('error' in chosen) {
      const { status, code = 'server_error', message = 'It failed.', headers, body } = chosen.error;
      for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
      if (body !== undefined) return void response.writeHead(status).end(body);
      return send(response, status, api.renderError(status, code, message));
    }
    if (!('fault' in chosen)) return send(response, 200, api.render(chosen, book));
    switch (chosen.fault) {
      case 'hang-before-headers':
        return;
      case 'hang-in-body':
        return void response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":');
      case 'cut-body':
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        return void response.write('{"id":', () => response.destroy());
      case 'reset':
        return void response.socket?.resetAndDestroy();
      case 'redirect':
        return void response.writeHead(307, { location: 'http://127.0.0.1:1/elsewhere' }).end();
      default:
        return chosen.fault satisfies never;
    }
  };

  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const provider: Provider = {
    baseUrl: `http://127.0.0.1:${port}/${family === 'google' ? 'v1beta' : 'v1'}`,
    requests,
    counts,
    refusals,
    peak: 0,
    requested: (count) => until(() => requests.length >= count),
    aborted: (count) => until(() => requests.filter(({ abortedAt }) => abortedAt !== undefined).length >= count),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}

async function choose(reply: Reply, request: ProviderRequest, index: number): Promise<Answer> {
  if (typeof reply === 'function') return reply(request, index);
  return Array.isArray(reply) ? (reply[Math.min(index, reply.length - 1)] as Answer) : (reply as Answer);
}

function send(response: ServerResponse, status: number, body: Json): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
