/** The tools of a run: those of its corpus, where it has one. A corpus is opened once and shared by all calls. */
import type { OutlineEntry } from '../contract/model.ts';
import { createCorpusTools } from './corpus/create-corpus-tools.ts';
import { openCorpus } from './corpus/open-corpus.ts';
import type { Tool } from './tool.ts';

export type OpenToolbox = {
  readonly tools: readonly Tool[];
  outline(question: string, limit: number): readonly OutlineEntry[];
  readonly notes: readonly string[];
};

const empty: OpenToolbox = { tools: [], outline: () => [], notes: [] };
/** Skipped files are named up to this many, then counted. */
const maxNamed = 10;

type OpenToolboxFunction = (
  corpus: string | undefined,
  options?: { readonly refresh: boolean },
) => Promise<OpenToolbox>;

/** Indexes are kept in `indexDir`. `refresh` looks at the folder again, which is cheap where nothing changed. */
export function createToolboxOpener(indexDir: string): OpenToolboxFunction {
  const opened = new Map<string, Promise<OpenToolbox>>();
  return async (folder, options) => {
    if (folder === undefined) return empty;
    const known = opened.get(folder);
    if (known && !options?.refresh) return known;
    const opening = open(folder, indexDir);
    opened.set(folder, opening);
    // A folder that is mended must be readable again without a new worker.
    opening.catch(() => opened.delete(folder));
    return opening;
  };
}

async function open(folder: string, indexDir: string): Promise<OpenToolbox> {
  const corpus = await openCorpus(folder, { indexDir });
  const named = corpus.skipped.slice(0, maxNamed).map(({ path, why }) => `not read: ${path} (${why})`);
  const more = corpus.skipped.length - named.length;
  return {
    tools: createCorpusTools(corpus),
    outline: (question, limit) => corpus.outline(question, limit),
    notes: more > 0 ? [...named, `not read: ${more} more files`] : named,
  };
}
