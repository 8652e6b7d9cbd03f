/** Random runs over one store: transcripts with shared beginnings, results, reports and sources that several of them use. */
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { TributaryError } from '../../src/contract/failure.ts';
import type { RunRecord } from '../../src/contract/run-record.ts';
import type { BlobRef, TranscriptHead } from '../../src/contract/transcript.ts';
import { canonicalJson } from '../../src/domain/canonical-json.ts';
import { runRecord } from './run-record.ts';
import { usage } from './fake-research-api.ts';

/** What one subagent left behind; small numbers, so that different runs often hit on the same. */
export type SubagentShape = {
  /** Each message by its text; `results` are words that a tool returned. */
  readonly messages: readonly { readonly text: number; readonly results: readonly number[] }[];
  readonly report: number | null;
  readonly sources: readonly number[];
  /** It can be gone on with after so many messages. */
  readonly resumeAt: number | null;
};
export type RunShape = {
  readonly subagents: readonly SubagentShape[];
  readonly below: readonly SubagentShape[];
  readonly document: number | null;
  readonly drafts: readonly number[];
};

const small = fc.integer({ min: 0, max: 4 });
const subagentShape: fc.Arbitrary<SubagentShape> = fc.record({
  messages: fc.array(fc.record({ text: small, results: fc.array(small, { maxLength: 2 }) }), { maxLength: 5 }),
  report: fc.option(small),
  sources: fc.array(small, { maxLength: 3 }),
  resumeAt: fc.option(fc.integer({ min: 1, max: 5 })),
});
export const runShapes: fc.Arbitrary<readonly RunShape[]> = fc.array(
  fc.record({
    subagents: fc.array(subagentShape, { maxLength: 3 }),
    below: fc.array(subagentShape, { maxLength: 2 }),
    document: fc.option(small),
    drafts: fc.array(small, { maxLength: 2 }),
  }),
  { minLength: 2, maxLength: 5 },
);

/** Builds runs into a store in memory, and knows by construction which blobs each of them needs. */
export function createBlobWorld() {
  const blobs = new Map<string, Uint8Array>();
  let needed = new Set<string>();

  function put(text: string): BlobRef {
    const bytes = new TextEncoder().encode(text);
    const hash = createHash('sha256').update(bytes).digest('hex');
    blobs.set(hash, bytes);
    needed.add(hash);
    return { hash, bytes: bytes.byteLength };
  }
  const putWords = (number: number) => put(`the words of ${number}`);
  const toResult = (number: number) => ({
    ...{ callId: `t1c${number}`, name: 'read', isError: false },
    content: { ref: putWords(number) },
  });

  function putTranscript(messages: SubagentShape['messages']): TranscriptHead | null {
    let parent: string | null = null;
    for (const { text, results } of messages) {
      const message =
        results.length > 0
          ? { role: 'tool', results: results.map(toResult) }
          : { role: 'user', text: `message ${text}` };
      parent = put(canonicalJson({ parent, message })).hash;
    }
    return parent === null ? null : { hash: parent, messages: messages.length, bytes: 1, knownTokens: 0 };
  }

  function toSubagent(shape: SubagentShape, id: string): RunRecord['subagents'][number] {
    const head = shape.resumeAt === null ? null : putTranscript(shape.messages.slice(0, shape.resumeAt));
    // What was read is named by a report or where the work can be gone on with.
    const read = head || shape.report !== null ? shape.sources : [];
    const sources = read.map((number) => ({
      ...{ id: `d${number}`, url: `d${number}.md`, title: `D${number}` },
      contents: [putWords(number)],
    }));
    const report = { summary: `report ${shape.report}`, claims: [], tried: [], failed: [] };
    const reportRef = shape.report === null ? null : put(canonicalJson({ report, sources }));
    return {
      id,
      goal: 'goal',
      outcome: {
        ...{ id, status: 'done', report: null, usage: usage(1), turns: 1, toolCalls: 1, toolCallMessages: 1 },
        reportRef,
        transcript: putTranscript(shape.messages),
      },
      resume: head && {
        ...{ head, turns: 1, calls: [], results: shape.sources.map(toResult), begun: [], sources },
        below: reportRef ? [reportRef] : [],
      },
    };
  }

  return {
    blobs,
    async readBlob(hash: string): Promise<Uint8Array> {
      const bytes = blobs.get(hash);
      if (!bytes) throw new TributaryError('TRANSCRIPT_MISSING', `no blob ${hash}`);
      return bytes;
    },
    build(shape: RunShape, runId: string): { readonly record: RunRecord; readonly needed: ReadonlySet<string> } {
      needed = new Set();
      const record = runRecord(runId);
      const subagents = shape.subagents.map((each, index) => toSubagent(each, `s${index + 1}`));
      const below = shape.below.map(
        (each, index) => toSubagent({ ...each, resumeAt: null }, `s1.${index + 1}`).outcome,
      );
      const toDocument = (number: number) => put(canonicalJson({ report: `${number}`, citations: [], sources: [] }));
      const documentRef = shape.document === null ? null : toDocument(shape.document);
      const drafts = shape.drafts.map((number, index) => ({
        ...{ number: index + 1, documentRef: toDocument(number), subagents: ['s1'] },
      }));
      const built = { ...record, subagents, below, result: { ...record.result, documentRef, drafts } };
      return { record: built, needed };
    },
  };
}
