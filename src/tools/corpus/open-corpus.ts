/** Opens a folder as a corpus: index built or reused, then surveyed, searched and read. */
import { realpath, stat } from 'node:fs/promises';
import { TributaryError } from '../../contract/failure.ts';
import type { SearchHit } from '../../domain/corpus-reading.ts';
import { toCorpusPath, toCorpusUrl, toSourceId } from './corpus-url.ts';
import type { Corpus, CorpusPassage } from './corpus.ts';
import { createDocumentCache } from './document-cache.ts';
import { extractDocument } from './extract/extract-document.ts';
import { findPassage, toSnippet } from './find-passage.ts';
import { readIndex, toIndexPath, writeIndex } from './index-file.ts';
import type { RankedDocument } from './rank-documents.ts';
import { createRanking } from './rank-documents.ts';
import { readInside } from './read-inside.ts';
import { readPassage } from './read-passage.ts';
import type { UpdatedIndex, UpdateOptions } from './update-index.ts';
import { updateIndex } from './update-index.ts';

export type OpenCorpusOptions = UpdateOptions & {
  /** Folder for index files; made when missing. */
  readonly indexDir: string;
};

const formats = 'Markdown, reStructuredText, HTML, plain text or PDF';
const maxOutlineHeadings = 24;
const maxHeadingChars = 120;
const minCoverage = 0.3;
const minRelativeCoverage = 0.4;

function refuse(folder: string, found: string): TributaryError {
  return new TributaryError(
    'CORPUS_UNREADABLE',
    `corpus "${folder}": wanted a folder of documents (${formats}), ${found}`,
  );
}

async function toRoot(folder: string): Promise<string> {
  if (folder.includes('\0')) throw refuse(folder.replaceAll('\0', '\\0'), 'the path holds a NUL');
  try {
    const root = await realpath(folder);
    if (!(await stat(root)).isDirectory()) throw refuse(folder, 'found a file; name the folder that it is in');
    return root;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'CORPUS_UNREADABLE') throw error;
    throw refuse(
      folder,
      code === 'ENOENT' ? 'there is nothing at this path' : `it cannot be opened (${code ?? String(error)})`,
    );
  }
}

async function loadUpdated(folder: string, root: string, options: OpenCorpusOptions): Promise<UpdatedIndex> {
  const path = toIndexPath(options.indexDir, root);
  const updated = await updateIndex(root, await readIndex(path), options).catch((error: unknown) => {
    if (options.signal?.aborted) throw error;
    throw refuse(folder, `it cannot be listed (${(error as Error).message})`);
  });
  if (updated.isChanged) {
    // An index that cannot be kept is built again next time; the corpus works all the same.
    await writeIndex(path, updated).catch(() => undefined);
  }
  return updated;
}

/** Leaves out documents that hardly speak of the question, or of far less of it than the best of them. */
function keepRelated(ranked: readonly RankedDocument[]): readonly RankedDocument[] {
  const best = Math.max(...ranked.map(({ coverage }) => coverage));
  return ranked.filter(({ coverage }) => coverage >= Math.max(minCoverage, best * minRelativeCoverage));
}

/**
 * Reads the folder (hidden files, `node_modules` and links left out), indexes what is new or changed since the last
 * time, and keeps the index in `indexDir`. One bad file among many is listed in `skipped`. Rejects with
 * `CORPUS_UNREADABLE` where there is no folder, no document in it, or none that can be read.
 */
export async function openCorpus(folder: string, options: OpenCorpusOptions): Promise<Corpus> {
  const root = await toRoot(folder);
  const { index, files, skipped } = await loadUpdated(folder, root, options);
  const documents = new Map([...files].flatMap(([path, file]) => ('document' in file ? [[path, file.document]] : [])));
  if (documents.size === 0) {
    const first = skipped[0];
    throw refuse(folder, first ? `none can be read: ${first.path}: ${first.why}` : 'found none in it');
  }
  const rank = createRanking(index, documents);
  const paths = new Map<string, string>();
  for (const path of documents.keys()) {
    paths.set(path.normalize('NFC'), path);
    paths.set(toSourceId(toCorpusUrl(path)), path);
  }
  const loadDocument = createDocumentCache(async (path) => extractDocument(path, await readInside(root, path)));

  return {
    documents: documents.size,
    skipped,
    outline: (question, limit) =>
      keepRelated(rank(question, limit)).map(({ path, score }) => ({
        url: toCorpusUrl(path),
        title: documents.get(path)!.title,
        headings: documents
          .get(path)!
          .headings.slice(0, maxOutlineHeadings)
          .map((heading) => toSnippet(heading, maxHeadingChars)),
        score: Math.round(score * 100) / 100,
      })),
    search: async (query, limit) =>
      Promise.all(
        rank(query, limit).map(async ({ path, score, matched, coverage }): Promise<SearchHit> => {
          const { title, lead } = documents.get(path)!;
          const passage = await loadDocument(path)
            .then((document) => findPassage(document, query))
            // Gone since it was indexed: the hit stands, reading it says what is wrong.
            .catch(() => ({ section: null, snippet: lead }));
          return {
            url: toCorpusUrl(path),
            title,
            ...(passage.section !== null && { section: passage.section }),
            snippet: passage.snippet,
            score: Math.round(score * 100) / 100,
            matched,
            coverage: Math.round(coverage * 100) / 100,
          };
        }),
      ),
    read: async (name, readOptions): Promise<CorpusPassage> => {
      const path = paths.get(toCorpusPath(name) ?? '');
      if (path === undefined) {
        throw new Error(
          `there is no document ${JSON.stringify(toSnippet(name.toWellFormed(), 200))} in the corpus; name one by the url of a search hit`,
        );
      }
      const url = toCorpusUrl(path);
      const document = await loadDocument(path).catch((error: unknown) => {
        throw new Error(`${url} cannot be read: ${(error as Error).message}`);
      });
      return { ...readPassage(document, readOptions), title: document.title, url, sourceId: toSourceId(url) };
    },
  };
}
