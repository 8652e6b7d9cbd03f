/** Turns the claim markers of a draft into numbered citations. A marker that names no claim never looks like a citation. */
import type { Citation } from '../contract/result.ts';
import { cleanText } from './text.ts';

/** A claim as citations know it; its id is `<subagent>.<number>`, such as `s1.2`. */
export type CitableClaim = { readonly sourceId: string; readonly quote: string; readonly verified: boolean };

export type CitedText = {
  readonly text: string;
  /** In the order of their markers: `[1]`, `[2]`, … */
  readonly citations: Citation[];
  /** Claim ids that the draft cites and nobody made, each once. */
  readonly unknown: string[];
};

/** `[s1.2]`, `[s1.2, s3.1]`. */
const claimMarker = /\[(\s*s\d+(?:\.\d+)+(?:\s*[,;]\s*s\d+(?:\.\d+)+)*)\s*\]/g;
/** Code, or a number in brackets that is no index (`a[0]`) and no link (`[1](url)`). */
const codeOrNumber = /(```[\s\S]*?```|`[^`\n]*`)|(?<![\w\])])\[(\d{1,4})\](?!\()/g;

/**
 * Numbers the claims that `draft` cites by first appearance; a claim cited again keeps its number. A claim whose quote was
 * not found is followed by `(unverified)`; an unknown id is struck out: `~~[s9.9]~~ (no such source)`. A number that
 * already stood in brackets is put in parentheses, since it would pass for a citation.
 */
export function numberCitations(draft: string, claims: Readonly<Record<string, CitableClaim>>): CitedText {
  const citations: Citation[] = [];
  const markers = new Map<string, string>();
  const unknown = new Set<string>();

  const cite = (claimId: string): string => {
    if (!Object.hasOwn(claims, claimId)) {
      unknown.add(claimId);
      return `~~[${claimId}]~~ (no such source)`;
    }
    const { sourceId, quote, verified } = claims[claimId]!;
    let marker = markers.get(claimId);
    if (marker === undefined) {
      marker = `[${citations.length + 1}]`;
      markers.set(claimId, marker);
      citations.push({ marker, sourceId, quote, verified });
    }
    return verified ? marker : `${marker} (unverified)`;
  };

  const text = withoutBareNumbers(draft).replace(claimMarker, (_, ids: string) =>
    ids
      .split(/[,;]/)
      .map((id) => cite(id.trim()))
      .join(''),
  );
  return { text, citations, unknown: [...unknown] };
}

/**
 * Does `quote` stand in `text`, word for word? Unicode composition and white space do not matter, so a quote may run over
 * line breaks; letter case does. An empty quote stands nowhere.
 */
export function quoteStandsIn(quote: string, text: string): boolean {
  const wanted = fold(quote);
  return wanted !== '' && fold(text).includes(wanted);
}

function withoutBareNumbers(draft: string): string {
  return draft.replace(codeOrNumber, (_, code: string | undefined, number: string) => code ?? `(${number})`);
}

function fold(text: string): string {
  return cleanText(text).normalize('NFC').replace(/\s+/g, ' ').trim();
}
