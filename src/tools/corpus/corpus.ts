/** The port of a corpus: a folder of documents that can be surveyed, searched and read. */
import type { SearchHit } from '../../domain/corpus-reading.ts';
import type { OutlineEntry } from '../../contract/model.ts';

/** A file that looked like a document and could not be read as one. */
export type SkippedFile = { readonly path: string; readonly why: string };

export type CorpusPassage = {
  readonly title: string;
  /** `corpus:` and the relative path, URI-encoded. */
  readonly url: string;
  readonly sourceId: string;
  /** Heading of the section that was asked for; absent for a document from its beginning. */
  readonly section?: string;
  readonly text: string;
  /** Where `text` begins in the document or section, and how long that is, in UTF-16 code units. */
  readonly offset: number;
  readonly totalChars: number;
  /** Offset to go on with; `null` at the end. */
  readonly nextOffset: number | null;
};

export interface Corpus {
  /** Readable documents. */
  readonly documents: number;
  readonly skipped: readonly SkippedFile[];
  /** The documents that bear most on the question, best first, with their headings: what a planner needs to know. */
  outline(question: string, limit: number): readonly OutlineEntry[];
  /** Documents by relevance, each with its best passage. Words that stand nowhere find nothing. */
  search(query: string, limit: number): Promise<readonly SearchHit[]>;
  /**
   * Text of a document, named by relative path, `corpus:` URL or source id. Rejects in words for the model where there
   * is no such document or section; nothing outside the folder can be named.
   */
  read(
    document: string,
    options: { readonly section?: string; readonly offset?: number; readonly maxChars: number },
  ): Promise<CorpusPassage>;
}
