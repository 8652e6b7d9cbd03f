/** The signatures that a stand-in has given out, so that it can tell whether they come back unchanged and in their place. */
import { toObject } from './provider-api.ts';

type SignedCall = { readonly name: string; readonly arguments?: unknown };

export type SignatureBook = {
  /** Makes a signature for a reply of these words and calls, which was reasoned about in the words `reasoning`. */
  issue(text: string, calls: readonly SignedCall[], reasoning?: string): string;
  /** The signatures that a message of these words and calls must bear one of; empty = it was never signed. */
  known(text: string, calls: readonly SignedCall[]): readonly string[];
  /** The words that were signed; `undefined` for a signature that was never given out. */
  reasoningOf(signature: unknown): string | undefined;
};

export function openSignatureBook(): SignatureBook {
  const issued = new Map<string, string[]>();
  const reasonings = new Map<unknown, string>();
  return {
    issue(text, calls, reasoning = '') {
      const id = idOf(text, calls);
      // Counted, so that the same conversation makes the same bytes.
      const signature = Buffer.from(`signature ${reasonings.size + 1} of ${id.length}`).toString('base64');
      issued.set(id, [...(issued.get(id) ?? []), signature]);
      reasonings.set(signature, reasoning);
      return signature;
    },
    known: (text, calls) => issued.get(idOf(text, calls)) ?? [],
    reasoningOf: (signature) => reasonings.get(signature),
  };
}

/** White space at the ends and the order of keys do not make another reply. */
function idOf(text: string, calls: readonly SignedCall[]): string {
  return JSON.stringify([text.trim(), calls.map(({ name, arguments: given }) => [name, sortKeys(toObject(given))])]);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, sortKeys(each)] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
