/** A tiny server that records what reaches it and answers as it is told, and models that speak to it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { ModelReply } from '../../../src/contract/model.ts';
import type { Model, ModelRequest, PromptMessage } from '../../../src/models/model.ts';
import { createVendorModel, type VendorModelSettings } from '../../../src/models/vendor/create-vendor-model.ts';
import type { Vendor } from '../../../src/models/vendor/vendor.ts';
import { toInputSchema } from '../../../src/tools/to-input-schema.ts';

/** What came out of JSON, to be looked into. */
export type Json = ReturnType<typeof JSON.parse>;

export const key = 'sk-test-SECRET';

export type Recorded = {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Json;
  readonly raw: string;
  /** Resolves when the socket is gone before the answer was complete. */
  readonly aborted: Promise<void>;
};

export type Answer =
  | {
      readonly status?: number;
      readonly headers?: Record<string, string>;
      readonly json?: unknown;
      readonly text?: string;
    }
  | ((response: ServerResponse, request: Recorded) => void);

export type Server = {
  readonly url: string;
  readonly requests: Recorded[];
  /** Resolves with the n-th request, from 1. */
  requested(count: number): Promise<Recorded>;
  close(): Promise<void>;
};

/** Answers in the given order; the last answer stands for all further requests. */
export async function startServer(...answers: Answer[]): Promise<Server> {
  const requests: Recorded[] = [];
  const waiting: { count: number; resolve: (request: Recorded) => void }[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const raw = Buffer.concat(chunks).toString();
      const aborted = new Promise<void>((resolve) => {
        response.on('close', () => {
          if (!response.writableFinished) resolve();
        });
      });
      const recorded = { path: incoming.url!, headers: incoming.headers, body: JSON.parse(raw), raw, aborted };
      requests.push(recorded);
      for (const each of waiting) if (each.count === requests.length) each.resolve(recorded);
      const answer = answers[Math.min(requests.length, answers.length) - 1]!;
      if (typeof answer === 'function') return answer(response, recorded);
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
      response.end(answer.text ?? JSON.stringify(answer.json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    requested: (count) =>
      requests.length >= count
        ? Promise.resolve(requests[count - 1]!)
        : new Promise((resolve) => waiting.push({ count, resolve })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const modelIds: Record<Vendor, string> = {
  openai: 'gpt-5.2',
  'openai-chat': 'gpt-4.1',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-3-pro-preview',
  compatible: 'org/some-model:8b',
};

export function modelAt(vendor: Vendor, url: string, rest: Partial<VendorModelSettings> = {}): Model {
  return createVendorModel({
    name: `${vendor}/${modelIds[vendor]}`,
    vendor,
    modelId: modelIds[vendor],
    baseUrl: vendor === 'google' ? `${url}/v1beta` : `${url}/v1`,
    apiKey: key,
    proxyFor: () => null,
    ...rest,
  });
}

export const search = {
  name: 'search',
  description: 'Searches.',
  effect: 'read',
  session: false,
  idempotent: false,
  inputSchema: toInputSchema('search', z.object({ query: z.string(), limit: z.number().optional() }), true),
} as const;

export function toRequest(messages: readonly PromptMessage[], rest: Partial<ModelRequest> = {}): ModelRequest {
  return {
    task: { kind: 'research', subagentId: 's1', question: 'q', goal: 'g', turn: 1, handBack: false },
    messages,
    tools: [search],
    toolChoice: 'auto',
    parallelToolCalls: true,
    maxOutputTokens: 1_000,
    ...rest,
  };
}

export const hello: readonly PromptMessage[] = [
  { role: 'system', text: 'Be brief.' },
  { role: 'user', text: 'Hello' },
];

export async function call(model: Model, request = toRequest(hello), onRequest = () => {}): Promise<ModelReply> {
  return model.call(request, { signal: new AbortController().signal, onRequest });
}

type AnswerFacts = {
  readonly text?: string;
  readonly calls?: readonly { name: string; arguments: unknown; id?: string }[];
  readonly finish?: string | null;
  /** In the vendor's own shape; `undefined` = not stated. */
  readonly usage?: unknown;
};

/** An answer in the vendor's shape. */
export function toAnswer(vendor: Vendor, facts: AnswerFacts): unknown {
  const { text, calls = [], usage } = facts;
  const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  switch (vendor) {
    case 'openai':
      return {
        id: 'resp_1',
        created_at: 1_700_000_000,
        model: 'gpt-5.2',
        status: facts.finish === undefined ? 'completed' : 'incomplete',
        incomplete_details: facts.finish == null ? null : { reason: facts.finish },
        output: [
          ...(text === undefined
            ? []
            : [
                {
                  type: 'message',
                  id: 'msg_1',
                  role: 'assistant',
                  content: [{ type: 'output_text', text, annotations: [] }],
                },
              ]),
          ...calls.map((each, index) => ({
            type: 'function_call',
            id: `fc_${index}`,
            call_id: each.id ?? `call_${index}`,
            name: each.name,
            arguments: asText(each.arguments),
          })),
        ],
        usage,
      };
    case 'openai-chat':
    case 'compatible':
      return {
        id: 'chat_1',
        created: 1_700_000_000,
        model: 'some',
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: text ?? null,
              ...(calls.length > 0 && {
                tool_calls: calls.map((each, index) => ({
                  id: each.id ?? `call_${index}`,
                  type: 'function',
                  function: { name: each.name, arguments: asText(each.arguments) },
                })),
              }),
            },
            finish_reason: facts.finish === undefined ? (calls.length > 0 ? 'tool_calls' : 'stop') : facts.finish,
          },
        ],
        usage,
      };
    case 'anthropic':
      return {
        type: 'message',
        id: 'msg_1',
        model: 'claude',
        role: 'assistant',
        content: [
          ...(text === undefined ? [] : [{ type: 'text', text }]),
          ...calls.map((each, index) => ({
            type: 'tool_use',
            id: each.id ?? `toolu_${index}`,
            name: each.name,
            input: each.arguments,
          })),
        ],
        stop_reason: facts.finish === undefined ? (calls.length > 0 ? 'tool_use' : 'end_turn') : facts.finish,
        usage,
      };
    case 'google':
      return {
        candidates: [
          {
            content: {
              role: 'model',
              parts: [
                ...(text === undefined ? [] : [{ text }]),
                ...calls.map((each) => ({ functionCall: { name: each.name, args: each.arguments } })),
              ],
            },
            finishReason: facts.finish === undefined ? 'STOP' : facts.finish,
          },
        ],
        usageMetadata: usage,
      };
  }
}

/** Usage of 100 in and 20 out, as the vendor states it. */
export function plainUsage(vendor: Vendor): unknown {
  switch (vendor) {
    case 'openai':
    case 'anthropic':
      return { input_tokens: 100, output_tokens: 20 };
    case 'openai-chat':
    case 'compatible':
      return { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    case 'google':
      return { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 };
  }
}
