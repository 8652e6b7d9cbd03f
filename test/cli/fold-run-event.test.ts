import { expect, test } from '@jest/globals';
import { foldRunEvent } from '../../src/cli/follow/fold-run-event.ts';
import type { RunDescription } from '../../src/contract/run-view.ts';
import { budget, description, subagent, usage, type EmittedEvent } from '../support/fake-research-api.ts';

const at = (second: number) => `2026-11-30T12:00:${String(second).padStart(2, '0')}.000Z`;
const fold = (run: RunDescription | null, ...events: EmittedEvent[]) =>
  events.reduce(
    (state, event, index) => foldRunEvent(state, { runId: 'run_1', cursor: 'c', at: at(index), ...event }),
    run,
  );

test('there is nothing to show before the first snapshot', () => {
  expect(fold(null, { type: 'run-status', status: 'running' })).toBeNull();
});

test('an end never turns back into work', () => {
  const run = fold(
    description('run_1', { tree: [subagent('s1')] }),
    { type: 'subagent-status', subagentId: 's1', status: 'done', attempt: 1 },
    { type: 'subagent-status', subagentId: 's1', status: 'running', attempt: 1 },
    { type: 'subagent-live', subagentId: 's1', live: 'retry 2/3' },
  )!;
  expect(run.tree[0]).toMatchObject({ status: 'done', closedAt: at(0) });
  expect(run.tree[0]!.live).toBeUndefined();
});

test('one that is started again is at work again, and what was told of the attempt before it changes nothing', () => {
  const failed = subagent('s1', { status: 'failed', reason: 'provider', closedAt: at(0), findings: 2 });
  const run = fold(
    description('run_1', { tree: [failed] }),
    { type: 'subagent-status', subagentId: 's1', status: 'queued', attempt: 2 },
    { type: 'subagent-status', subagentId: 's1', status: 'running', attempt: 2 },
    { type: 'subagent-status', subagentId: 's1', status: 'failed', attempt: 1, reason: 'provider' },
  )!;
  expect(run.tree[0]).toMatchObject({
    status: 'running',
    attempt: 2,
    startedAt: at(1),
    findings: 0,
    usage: failed.usage,
  });
  for (const key of ['reason', 'closedAt']) expect(run.tree[0]).not.toHaveProperty(key);
});

test('an older snapshot does not undo what events have told since', () => {
  const now = description('run_1', { lastEventAt: at(30), tree: [subagent('s1', { status: 'done' })] });
  const old = description('run_1', { lastEventAt: at(10), tree: [subagent('s1')] });
  expect(fold(now, { type: 'snapshot', run: old })!.tree[0]!.status).toBe('done');
});

test('a retried call shows as retrying until it is answered', () => {
  const start = description('run_1', { tree: [subagent('s1')] });
  const retrying = fold(start, { type: 'subagent-live', subagentId: 's1', live: 'retry 2/3 in 8s' })!;
  expect(retrying.tree[0]).toMatchObject({ status: 'retrying', live: 'retry 2/3 in 8s' });
  const again = fold(retrying, { type: 'subagent-live', subagentId: 's1', live: null })!;
  expect(again.tree[0]!.status).toBe('running');
});

test('spending is kept for the run and for the subagent that spent', () => {
  const run = fold(description('run_1', { tree: [subagent('s1')] }), {
    type: 'budget-updated',
    subagentId: 's1',
    budget: budget(7_000),
    usage: { ...usage(5_000), toolCalls: 9 },
  })!;
  expect(run.spentTokens).toBe(7_000);
  expect(run.tree[0]).toMatchObject({ usage: { tokens: 5_000 }, toolCalls: 9 });
});

test('a subagent that nobody announced is there from its first event on', () => {
  const run = fold(
    description('run_1'),
    { type: 'plan-approved', subtasks: [{ id: 's1', goal: 'one' }] },
    { type: 'subagent-status', subagentId: 's2', status: 'running', attempt: 1 },
    { type: 'finding-added', subagentId: 's2', findingId: 's2.1', text: 'x', sourceIds: [] },
  )!;
  expect(run.tree).toMatchObject([
    { id: 's1', goal: 'one', status: 'queued' },
    { id: 's2', status: 'running', findings: 1 },
  ]);
});

test('the answer to an older call leaves the newest call alone', () => {
  const run = fold(
    description('run_1', { tree: [subagent('s1')] }),
    { type: 'tool-call-started', subagentId: 's1', toolCallId: 't1c1', tool: 'a', input: '' },
    { type: 'tool-call-started', subagentId: 's1', toolCallId: 't1c2', tool: 'b', input: '' },
    { type: 'tool-call-finished', subagentId: 's1', toolCallId: 't1c1', tool: 'a', ok: true, durationMs: 1 },
  )!;
  expect(run.tree[0]!.lastCall).toMatchObject({ callId: 't1c2', tool: 'b' });
  expect(run.tree[0]!.lastCall!.finishedAt).toBeUndefined();
});

test('a subagent that another one started appears behind it, with its goal', () => {
  const run = fold(
    description('run_1', { tree: [subagent('s1'), subagent('s2')] }),
    { type: 'subagent-status', subagentId: 's1.2', parentId: 's1', status: 'running', attempt: 1, goal: 'second' },
    { type: 'subagent-status', subagentId: 's1.1', parentId: 's1', status: 'running', attempt: 1, goal: 'first' },
  )!;
  expect(run.tree.map(({ id }) => id)).toEqual(['s1', 's1.1', 's1.2', 's2']);
  expect(run.tree[1]).toMatchObject({ parentId: 's1', goal: 'first', status: 'running' });
});

test('what is taken over of another run says whose it is, and the rest why it is done again', () => {
  const start = description('run_2', {
    tree: [subagent('s1', { status: 'queued' }), subagent('s2', { status: 'queued' })],
  });
  const run = fold(
    start,
    { type: 'subagent-status', subagentId: 's1', status: 'reused', attempt: 1, reusedFrom: 'run_1' },
    { type: 'subagent-status', subagentId: 's2', status: 'running', attempt: 1, again: 'it failed (provider)' },
  )!;
  expect(run.tree[0]).toMatchObject({ status: 'reused', reusedFrom: 'run_1', closedAt: at(0) });
  expect(run.tree[1]).toMatchObject({ status: 'running', again: 'it failed (provider)' });
});
