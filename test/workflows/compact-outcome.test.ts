import { expect, test } from '@jest/globals';
import { defaults } from '../../src/contract/defaults.ts';
import { estimateTokens } from '../../src/domain/token-bound.ts';
import { eventsOf } from '../support/read-history.ts';
import { keyTool, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('compact outcome');

test('a parent gets at most 1,500 tokens of a long report, and the whole of it still reaches the synthesis', async () => {
  const read = keyTool('read', () => ({
    text: 'words of the source',
    sources: [{ id: 'd1', url: 'd1.md', title: 'D1' }],
  }));
  const claims = Array.from({ length: 60 }, (_, index) => ({
    text: `Claim ${index + 1}: ${'long '.repeat(40)}`,
    sourceId: 'd1',
    quote: 'words of the source',
  }));
  const model = scriptedModel({
    subagents: { s1: [{ calls: [{ tool: 'read' }] }, { report: { summary: 'many', claims } }] },
  });
  const run = await start({ question: 'Q', subtasks: subtasks(1) }, { model, tools: [read] });
  const result = await run.result();
  const outcomes = eventsOf(await run.history()).flatMap(
    (event) => event.childWorkflowExecutionCompletedEventAttributes?.result?.payloads ?? [],
  );
  expect(outcomes).toHaveLength(1);
  const outcome = new TextDecoder().decode(outcomes[0]!.data);
  expect(estimateTokens(outcome)).toBeLessThanOrEqual(defaults.reportTokens);
  const { report } = JSON.parse(outcome) as { report: { claims: unknown[]; failed: string[] } };
  expect(report.claims.length).toBeGreaterThan(0);
  expect(report.failed.at(-1)).toMatch(/^\d+ claims were left out to fit the size of a report$/);
  const { task } = model.requests.find(({ place }) => place === 'synthesize')!.request;
  expect(task.kind === 'synthesize' && task.inputs[0]!.report!.claims).toHaveLength(60);
  expect(result.document!.report).toContain('Claim 60:');
});
