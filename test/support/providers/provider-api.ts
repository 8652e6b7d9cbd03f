/** What a test says of an answer, in words that every provider's API can be made to say; and what each API must know to do so. */
import type { IncomingHttpHeaders } from 'node:http';

// What came out of JSON is looked into freely.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

export type Call = {
  readonly name: string;
  /** An object, or the text as the provider sends it. */
  readonly arguments: unknown;
  /** `null`: the provider gives none. */
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
  | 'invented';

export type UsageShape =
  | {
      readonly input: number;
      readonly output: number;
      readonly cacheRead?: number;
      readonly cacheWrite?: number;
      readonly reasoning?: number;
    }
  | 'missing'
  | 'null'
  | 'zeros'
  | 'negative'
  | 'strings';

/** A reply of the model. `signed`: with reasoning whose signature must come back. */
export type Turn = {
  readonly text?: string;
  readonly signed?: boolean;
  readonly calls?: readonly Call[];
  readonly stop?: Stop;
  readonly usage?: UsageShape;
};

export type Answer =
  | Turn
  | {
      /** The vendor's own words go into its own shape of an error; `body` replaces all of it. */
      readonly error: {
        readonly status: number;
        readonly code?: string;
        readonly message?: string;
        readonly headers?: Readonly<Record<string, string>>;
        readonly body?: string;
      };
    }
  | { readonly fault: 'hang-before-headers' | 'hang-in-body' | 'cut-body' | 'reset' | 'redirect' };

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

export type SignatureBook = {
  /** Makes a signature for a reply of these words and calls. */
  issue(text: string, calls: readonly { readonly name: string; readonly arguments: unknown }[]): string;
  /** The signatures that a message of these words and calls may bear; empty = it was never signed. */
  known(text: string, calls: readonly { readonly name: string; readonly arguments: unknown }[]): readonly string[];
};

export type ProviderApi = {
  readonly key: (headers: IncomingHttpHeaders) => string | undefined;
  readonly isCount: (path: string) => boolean;
  readonly isGenerate: (path: string) => boolean;
  /** The first rule that the request breaks, in words; `null` for a legal one. */
  readonly check: (body: Json, options: { readonly isCount: boolean; readonly book: SignatureBook }) => string | null;
  readonly read: (body: Json) => Asked;
  readonly render: (turn: Turn, book: SignatureBook) => Json;
  readonly renderCount: (tokens: number) => Json;
  readonly renderError: (status: number, code: string, message: string) => Json;
};

export function openSignatureBook(): SignatureBook {
  const issued = new Map<string, string[]>();
  let count = 0;
  const idOf = (text: string, calls: readonly { readonly name: string; readonly arguments: unknown }[]) =>
    JSON.stringify([text, calls.map(({ name, arguments: given }) => [name, toObject(given)])]);
  return {
    issue(text, calls) {
      const signature = Buffer.from(`signature ${(count += 1)} of ${idOf(text, calls).length}`).toString('base64');
      issued.set(idOf(text, calls), [...(issued.get(idOf(text, calls)) ?? []), signature]);
      return signature;
    },
    known: (text, calls) => issued.get(idOf(text, calls)) ?? [],
  };
}

/** Arguments as an object, whether they came as one or as a text. */
export function toObject(given: unknown): unknown {
  if (typeof given !== 'string') return given ?? {};
  try {
    return given.trim() === '' ? {} : JSON.parse(given);
  } catch {
    return {};
  }
}

export function toText(given: unknown): string {
  return typeof given === 'string' ? given : JSON.stringify(given);
}

/** Keys of the body that the API does not know. */
export function unknownKeys(body: Json, known: readonly string[]): string | null {
  const unknown = Object.keys(body).filter((key) => !known.includes(key));
  return unknown.length === 0 ? null : `unknown parameter: ${unknown.join(', ')}`;
}

/** Half a surrogate pair anywhere in the strings of a body. */
export function hasHalfPairs(value: Json): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, each]) => hasHalfPairs(key) || hasHalfPairs(each));
}

/** The first thing that is wrong, or `null`. */
export function firstProblem(problems: Iterable<string | null>): string | null {
  for (const problem of problems) if (problem !== null) return problem;
  return null;
}
