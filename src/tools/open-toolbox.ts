/** The tools of a run: those of its corpus, where it has one, the web's, where it may use it, and that of a fan-out. */
import type { OutlineEntry } from '../contract/model.ts';
import type { WebPolicy } from '../contract/request.ts';
import type { Delegation } from '../contract/tool.ts';
import { createCorpusTools } from './corpus/create-corpus-tools.ts';
import { openCorpus } from './corpus/open-corpus.ts';
import { createDelegateTool } from './create-delegate-tool.ts';
import type { Tool } from './tool.ts';
import { createWebTools, type WebSettings } from './web/create-web-tools.ts';

export type OpenToolbox = {
  readonly tools: readonly Tool[];
  outline(question: string, limit: number): readonly OutlineEntry[];
  readonly notes: readonly string[];
};

const empty: OpenToolbox = { tools: [], outline: () => [], notes: [] };
/** Skipped files are named up to this many, then counted. */
const maxNamed = 10;

type Scope = {
  readonly corpus?: string | undefined;
  readonly web?: WebPolicy | undefined;
  readonly delegation?: Delegation | undefined;
};
type OpenToolboxFunction = (scope: Scope, options?: { readonly refresh: boolean }) => Promise<OpenToolbox>;

/**
 * A corpus is opened once and shared by all calls; its index is kept in `indexDir`. `refresh` looks at the folder again,
 * which is cheap where nothing changed.
 */
export function createToolboxOpener(indexDir: string, web: WebSettings): OpenToolboxFunction {
  const opened = new Map<string, Promise<OpenToolbox>>();
  const openFolder = async (folder: string, refresh: boolean): Promise<OpenToolbox> => {
    const known = opened.get(folder);
    if (known && !refresh) return known;
    const opening = open(folder, indexDir);
    opened.set(folder, opening);
    // A folder that is mended must be readable again without a new worker.
    opening.catch(() => opened.delete(folder));
    return opening;
  };
  return async (scope, options) => {
    const corpus = scope.corpus === undefined ? empty : await openFolder(scope.corpus, options?.refresh ?? false);
    const added = [
      ...(scope.web ? createWebTools(web, scope.web) : []),
      ...(scope.delegation ? [createDelegateTool(scope.delegation.maxSubtasks)] : []),
    ];
    return added.length > 0 ? { ...corpus, tools: [...corpus.tools, ...added] } : corpus;
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
