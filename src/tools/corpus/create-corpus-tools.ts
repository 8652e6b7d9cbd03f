/** `corpus_search` and `corpus_read`: the corpus as tools for a model. */
import { z } from 'zod';
import { defaults } from '../../contract/defaults.ts';
import { toHitsText, toReadingHead } from '../../domain/corpus-reading.ts';
import type { Tool } from '../tool.ts';
import { defineTool } from '../tool.ts';
import type { Corpus, CorpusPassage } from './corpus.ts';

const defaultHits = 8;
const maxHits = 20;
const maxQueryChars = 1_000;
/** Room for the head, so that a whole answer stays under the cap that a run puts on tool outputs. */
const maxPassageChars = defaults.toolOutputChars - 1_000;

/** Head lines, a blank line, then the words themselves. */
function renderPassage(passage: CorpusPassage): string {
  const { section, offset, text, totalChars, nextOffset } = passage;
  const head = [toReadingHead(passage)];
  if (section !== undefined) head.push(`section: ${section}`);
  if (offset > 0 || nextOffset !== null) {
    const rest = nextOffset === null ? 'the end' : `go on with offset ${nextOffset}`;
    head.push(`part: characters ${offset} to ${offset + text.length} of ${totalChars}; ${rest}`);
  }
  return `${head.join('\n')}\n\n${text}`;
}

export function createCorpusTools(corpus: Corpus): readonly Tool[] {
  return [
    defineTool({
      name: 'corpus_search',
      description:
        'Searches the documents. Answers a JSON array of hits, best first: url, title, section (heading of the best passage), snippet, score, matched (words of the query found), coverage (share of the query found, 0 to 1). A hit is no source yet: read it before citing it.',
      effect: 'read',
      input: z.object({
        query: z.string().min(1).max(maxQueryChars).describe('what to look for, in words or as a question'),
        limit: z.number().int().min(1).max(maxHits).optional().describe(`hits at most; ${defaultHits} if absent`),
      }),
      run: async ({ query, limit }, { signal }) => {
        signal.throwIfAborted();
        return { text: toHitsText(await corpus.search(query, limit ?? defaultHits)) };
      },
    }),
    defineTool({
      name: 'corpus_read',
      description:
        'Reads a document or one of its sections. The first line of the answer is "source: <id> | <title> | <url>"; cite that id, and quote the words as they stand below it. Long texts come in parts.',
      effect: 'read',
      input: z.object({
        document: z.string().min(1).max(4_096).describe('url of a search hit'),
        section: z.string().min(1).max(500).optional().describe('heading of a section; the whole document if absent'),
        offset: z.number().int().min(0).optional().describe('where to go on in a text that comes in parts'),
        maxChars: z.number().int().min(500).max(maxPassageChars).optional().describe('length of the answer at most'),
      }),
      run: async ({ document, section, offset, maxChars }, { signal }) => {
        signal.throwIfAborted();
        const passage = await corpus.read(document, { section, offset, maxChars: maxChars ?? maxPassageChars });
        const { sourceId, url, title } = passage;
        return { text: renderPassage(passage), sources: [{ id: sourceId, url, title }] };
      },
    }),
  ];
}
