/** What refers to blobs: values of histories and records, and the blobs that name others. */
import { storedReportSchema } from '../../contract/outcome.ts';
import { resumeSchema } from '../../contract/resume.ts';
import { hashSchema, transcriptLinkSchema } from '../../contract/transcript.ts';

/** `isLeaf`: its bytes are words that were read, or a report; they name nothing. */
export type FoundRef = { readonly hash: string; readonly isLeaf: boolean };

/** Where only such bytes are named. */
const leafKeys: readonly string[] = ['ref', 'documentRef', 'contents'];

/** Every reference in a decoded value, however deep: heads of transcripts, and blobs with their size. */
export function findRefs(value: unknown, key = ''): FoundRef[] {
  if (Array.isArray(value)) return value.flatMap((each) => findRefs(each, key));
  if (typeof value !== 'object' || value === null) return [];
  const { hash, bytes, messages } = value as Readonly<Record<string, unknown>>;
  if (hashSchema.safeParse(hash).success) {
    if (typeof messages === 'number') return [{ hash: hash as string, isLeaf: false }];
    if (typeof bytes === 'number') return [{ hash: hash as string, isLeaf: leafKeys.includes(key) }];
  }
  return Object.entries(value).flatMap(([name, each]) => findRefs(each, name));
}

/** What a blob names: the link before it and the results of its message, the sources of a report, all of a resume. */
export function findRefsInBlob(bytes: Uint8Array): FoundRef[] {
  const value = parseJson(bytes);
  const link = transcriptLinkSchema.safeParse(value);
  if (link.success) {
    const { parent, message } = link.data;
    const before = parent === null ? [] : [{ hash: parent, isLeaf: false }];
    return [...before, ...(message.role === 'tool' ? findRefs(message.results) : [])];
  }
  const report = storedReportSchema.safeParse(value);
  if (report.success) return findRefs(report.data.sources);
  const resume = resumeSchema.safeParse(value);
  return resume.success ? findRefs(resume.data) : [];
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return null; // words
  }
}
