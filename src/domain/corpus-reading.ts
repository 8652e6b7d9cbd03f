/** How the corpus tools write what they found, and how it is read back: one text for language models and for ours. */

export type SearchHit = {
  readonly url: string;
  readonly title: string;
  /** Heading of the best passage; absent where the document has none. */
  readonly section?: string;
  readonly snippet: string;
  /** Higher is better; comparable within one search only. */
  readonly score: number;
  /** Words of the query that stand in the document. */
  readonly matched: readonly string[];
  /** Share of the query that the document speaks of, from 0 to 1; a rare word counts more than a common one. */
  readonly coverage: number;
};

export type ReadingHead = { readonly sourceId: string; readonly title: string; readonly url: string };

/** What every hit has; a search of the web says no more. */
export type PlainHit = Pick<SearchHit, 'url' | 'title' | 'snippet'>;

/** A JSON array with one hit a line, so that a text that was cut still gives its first hits. */
export function toHitsText(hits: readonly PlainHit[]): string {
  return hits.length === 0 ? '[]' : `[\n${hits.map((hit) => JSON.stringify(hit)).join(',\n')}\n]`;
}

/** The hits in a text of `toHitsText`, whole or cut; what is no hit is left out. */
export function fromHitsText(text: string): SearchHit[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    try {
      const hit = JSON.parse(line.replace(/,\s*$/, '')) as SearchHit;
      return typeof hit.url === 'string' && typeof hit.title === 'string' ? [hit] : [];
    } catch {
      return [];
    }
  });
}

/** First line of what was read: `source: d-0123456789 | A title | corpus:a.md`. The id is what a claim cites. */
export function toReadingHead({ sourceId, title, url }: ReadingHead): string {
  return `source: ${sourceId} | ${title} | ${url}`;
}

export type ReadText = ReadingHead & {
  readonly body: string;
  /** The text begins where the document begins. */
  readonly isOpening: boolean;
};

/** The head and the words behind it (after the first blank line); `null` where the text begins otherwise. */
export function fromReading(text: string): ReadText | null {
  const match = /^source: (\S+) \| (.*) \| (\S+)(?:\n|$)/.exec(text);
  if (!match) return null;
  const bodyAt = text.indexOf('\n\n');
  const head = bodyAt < 0 ? text : text.slice(0, bodyAt);
  return {
    sourceId: match[1]!,
    title: match[2]!,
    url: match[3]!,
    body: bodyAt < 0 ? '' : text.slice(bodyAt + 2),
    isOpening: !/^(?:section: |part: characters [1-9])/m.test(head),
  };
}
