/** Whole sentences of a paragraph, each exactly as it stands there. */

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
/** Full stops that end no sentence. */
const abbreviation =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|cf|vs|viz|approx|resp|incl|ca|no|nos|fig|sec|ch|vol|ed|eds|al|dr|mr|mrs|ms|st|jr|inc|ltd|[A-Z])\.\s*$/i;

/** Sentences in order, trimmed; each is a substring of `paragraph`. */
export function splitSentences(paragraph: string): string[] {
  const sentences: string[] = [];
  let open = '';
  for (const { segment } of segmenter.segment(paragraph)) {
    open += segment;
    if (abbreviation.test(open)) continue;
    sentences.push(open);
    open = '';
  }
  sentences.push(open);
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== '');
}
