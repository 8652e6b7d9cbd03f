/** The port of a model: one request in, one reply out. Retries, budgets and transcripts are not its business. */
import type { ModelReply, ModelTask } from '../contract/model.ts';
import type { RateLimit } from '../contract/rate-limits.ts';
import type { ToolDescription } from '../contract/tool.ts';
import type { ToolCall } from '../contract/transcript.ts';

/** A message with every reference resolved to its text. */
export type PromptMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolCalls: readonly ToolCall[];
      readonly provider?: unknown;
    }
  | {
      readonly role: 'tool';
      readonly results: readonly {
        readonly callId: string;
        readonly name: string;
        readonly isError: boolean;
        readonly text: string;
      }[];
    };

export type ModelRequest = {
  /** The same request as data, for models without language. */
  readonly task: ModelTask;
  readonly messages: readonly PromptMessage[];
  /** The tools of the conversation. They are named also where none may be called: providers want to know those of earlier calls. */
  readonly tools: readonly ToolDescription[];
  readonly toolChoice: 'auto' | 'none';
  /** Off: the provider's own switch, where it has one. */
  readonly parallelToolCalls: boolean;
  readonly maxOutputTokens: number;
};

export type ModelCallOptions = {
  readonly signal: AbortSignal;
  /** To be called just before each request leaves, also those that a provider's client makes by itself. Throws where no more may. */
  readonly onRequest: () => void;
};

/** What the requests of a model are counted under. */
export type ModelRate = {
  /** Of the bucket; holds no secret. */
  readonly key: string;
  /** Without numbers where nothing is known: then only refusals slow it down. */
  readonly limit: RateLimit;
  /** What the user's file calls the limit; `null` = no limit is known. */
  readonly limitName: string | null;
};

export interface Model {
  /** As the user named it. */
  readonly name: string;
  /** Absent where nobody limits it. */
  readonly rate?: ModelRate;
  /** Exact input tokens of the request, or `null` where only the provider could tell and has no endpoint for it. */
  countTokens(request: ModelRequest, options: { signal: AbortSignal }): Promise<number | null>;
  /**
   * One answer, usually by one request. Rejects with a `TributaryError` whose code is one of `MODEL_*`, or with
   * `signal.reason` once the signal has fired, by which time its sockets are closed.
   */
  call(request: ModelRequest, options: ModelCallOptions): Promise<ModelReply>;
}
