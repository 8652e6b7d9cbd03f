/** What a test says of an answer, in words that every provider's API can be made to say; and what each API must know to do so. */
import type { IncomingHttpHeaders } from 'node:http';
import type { SignatureBook } from './signature-book.ts';

// What came out of JSON is looked into freely.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

export type Call = {
  readonly name: string;
  /** An object, or the text as the provider sends it; left out, the provider sends none. */
  readonly arguments?: unknown;
  /** `null`: the provider gives none (Anthropic always gives one). Left out: ids that begin anew with every reply. */
  readonly id?: string | null;
};

export type Stop =
  | 'stop'
  | 'tool-calls'
  | 'length'
  | 'refusal'
  | 'content-filter'
  | 'pause'
  | 'context-exceeded'
  | 'malformed-call'
  | 'blocked-prompt'
  /** A success without any answer in it. */
  | 'no-choices'
  /** Responses: status 200, and the response says that it failed. */
  | 'failed'
  | 'invented';

export type UsageShape =
  | {
      /** Of all that was read, caches included, whatever the vendor's own field leaves out. */
      readonly input: number;
      /** Of all that was written, reasoning included. */
      readonly output: number;
      readonly cacheRead?: number;
      readonly cacheWrite?: number;
      readonly reasoning?: number;
      /** Gemini alone: what its own tools read, in no other count than the total. */
      readonly toolUse?: number;
    }
  /** The vendor's own object, as it is. */
  | { readonly raw: unknown }
  | 'missing'
  | 'null'
  | 'zeros'
  | 'negative'
  | 'strings';

/** A reply of the model. */
export type Turn = {
  readonly text?: string;
  /** With reasoning whose signature (or encrypted content) must come back. */
  readonly signed?: boolean;
  /** The words of the reasoning; `redacted` hides them, which only Anthropic does. */
  readonly reasoning?: string;
  readonly redacted?: boolean;
  readonly calls?: readonly Call[];
  readonly stop?: Stop;
  /** The vendor's own word for why it stopped, before what `stop` says. */
  readonly rawStop?: string;
  readonly usage?: UsageShape;
};

export type ErrorAnswer = {
  readonly status: number;
  /** The vendor's own type, code or status; left out, the one that goes with the HTTP status. */
  readonly code?: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces all of the vendor's shape. */
  readonly body?: string;
  /** Gemini: `RetryInfo` in the body, such as "37s". */
  readonly retryDelay?: string;
  /** Gemini: `QuotaFailure` in the body. */
  readonly quotaId?: string;
  /** The message quotes the key that the request came with. */
  readonly echoesKey?: boolean;
};

export type Fault = 'hang-before-headers' | 'hang-in-body' | 'cut-body' | 'reset' | 'redirect';

export type Answer = Turn | { readonly error: ErrorAnswer } | { readonly fault: Fault };

/** A request in words that do not depend on the provider. */
export type Asked = {
  readonly system: string;
  /** Texts of the user, oldest first. */
  readonly user: readonly string[];
  /** Replies of the model so far. */
  readonly turns: number;
  /** Texts of all tool results, oldest first. */
  readonly results: readonly string[];
  readonly tools: readonly string[];
  readonly mayCall: boolean;
};

export type CheckOptions = {
  readonly isCount: boolean;
  readonly book: SignatureBook;
  readonly headers: IncomingHttpHeaders;
  /** A gateway in front of the model takes fields that it does not know, and answers carelessly. */
  readonly isGateway: boolean;
};

export type ProviderApi = {
  readonly key: (headers: IncomingHttpHeaders) => string | undefined;
  readonly isCount: (path: string) => boolean;
  readonly isGenerate: (path: string) => boolean;
  /** The first rule that the request breaks, in words; `null` for a legal one. */
  readonly check: (body: Json, options: CheckOptions) => string | null;
  /** Of a legal request, be it for an answer or for a count. */
  readonly read: (body: Json) => Asked;
  readonly render: (turn: Turn, request: { body: Json; book: SignatureBook; isGateway: boolean }) => Json;
  readonly renderCount: (tokens: number) => Json;
  readonly renderError: (error: ErrorAnswer) => Json;
};

/** Arguments as an object, whether they came as one or as a text. */
export function toObject(given: unknown): unknown {
  if (typeof given !== 'string') return given ?? {};
  try {
    return given.trim() === '' ? {} : JSON.parse(given);
  } catch {
    return {};
  }
}

export function toText(given: unknown): string | undefined {
  return typeof given === 'string' ? given : JSON.stringify(given);
}

/** The text of a content that is one text, or a list of parts. */
export function contentText(content: Json): string {
  return typeof content === 'string' ? content : (content ?? []).map((part: Json) => part.text ?? '').join('');
}
