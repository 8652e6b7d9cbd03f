import { expect, test } from '@jest/globals';
import { researchRequestSchema } from '../../src/contract/request.ts';
import { toCurrentDetails, toStaticDetails } from '../../src/domain/workflow-details.ts';

const requestOf = (question: string) =>
  researchRequestSchema.parse({
    runId: 'run_1',
    question,
    models: { planner: 'extractive', subagent: 'vendor/m`x`', synthesis: 'extractive' },
  });

test('Temporal’s own page tells what a run was asked to do, and how to follow and to stop it', () => {
  const details = toStaticDetails(requestOf('Why is the sky blue?'));
  expect(details.split('\n')[0]).toBe('> Why is the sky blue?');
  expect(details).toContain("- models: `extractive, vendor/m'x'`");
  expect(details).toContain('tributary cancel run_1');
});

test.each(['# heading\n\n[x](javascript:alert(1))', '<img src=x onerror=alert(1)>', '![x](https://e.example/p.png)'])(
  'the words of a question stay words there: %j',
  (question) => {
    const [quote] = toStaticDetails(requestOf(question)).split('\n');
    expect(quote).toMatch(/^> /);
    expect(quote!.slice(2)).not.toMatch(/(?<!\\)[#<[!]/);
  },
);

test('it tells how far the run is', () => {
  const memo = {
    status: 'running',
    planned: 6,
    settled: { done: 2, failed: 1 },
    spentTokens: 12_000,
    limitTokens: 50_000,
  };
  expect(toCurrentDetails(memo)).toBe(
    '**running** · subagents: 6 planned, 2 done, 1 failed · tokens: 12,000 of 50,000',
  );
  expect(toCurrentDetails({})).toBe('**queued** · tokens: 0 of 0');
});
