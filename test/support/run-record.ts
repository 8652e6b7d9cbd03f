/** A record of a run, as the store keeps it. */
import type { RunRecord } from '../../src/contract/run-record.ts';
import { researchRequestSchema } from '../../src/contract/request.ts';
import { budget, usage } from './fake-research-api.ts';

export function runRecord(runId: string, overrides: Partial<RunRecord> = {}): RunRecord {
  return {
    runId,
    firstRunId: `first of ${runId}`,
    title: 'Why?',
    tags: ['sky'],
    startedAt: '2026-11-30T12:00:00.000Z',
    closedAt: '2026-11-30T12:01:00.000Z',
    request: researchRequestSchema.parse({ runId, question: 'Why?' }),
    storeId: 'store_1',
    tools: ['read'],
    promptVersion: 1,
    result: {
      runId,
      status: 'completed',
      question: 'Why?',
      gaps: [],
      notes: ['a note'],
      usage: usage(100),
      budget: budget(100),
      toolCallsPerMessage: 1,
      subagents: [{ id: 's1', goal: 'first', status: 'done', usage: usage(80), turns: 2, toolCalls: 1 }],
      document: { report: 'So.', citations: [], sources: [] },
      documentRef: null,
    },
    subagents: [
      {
        id: 's1',
        goal: 'first',
        outcome: {
          ...{ id: 's1', status: 'done', usage: usage(80), turns: 2, toolCalls: 1, toolCallMessages: 1 },
          report: { summary: '', claims: [{ text: 'a', sourceId: 'd', quote: 'q' }], tried: [], failed: [] },
          reportRef: null,
          transcript: null,
        },
        resume: null,
      },
    ],
    ...overrides,
  };
}
