/** Every row of the table of the joins, with each way in which a subagent can be lost. */
import { expect, test } from '@jest/globals';
import type { RunResult } from '../../src/contract/result.ts';
import { createClient } from '../support/client-world.ts';
import { Gate, waitUntil } from '../support/gate.ts';
import { childrenOf, closeOf } from '../support/read-history.ts';
import { answers, endsOf, keyTool, scriptedModel, subtasks } from '../support/scripts.ts';
import { type TestRun, useWorld } from '../support/temporal.ts';

const { start, world } = useWorld('join matrix');

/** What happens to s2: its model fails, an operator cancels or terminates it, or it is late for the deadline. */
type Fault = 'failed' | 'cancelled' | 'terminated' | 'late';
type Row = {
  readonly kind: 'all' | 'partial' | 'first';
  readonly minSuccess?: number;
  /** s1 answers before s2 is lost, the others after it; who is not named never does. */
  readonly answering: readonly string[];
  readonly deadline?: boolean;
  readonly status: 'completed' | 'partial' | 'failed';
  /** How the four end; `lost` is s2's end. */
  readonly ends: (lost: string) => readonly string[];
  readonly gaps: readonly string[];
  readonly notNeeded?: readonly string[];
};

/** Far enough for those that answer to do so on a slow machine. */
const deadline = '4s';
const exitCodes = { completed: 0, partial: 5, failed: 3 };
const lostAs: Record<Fault, string> = {
  failed: 's2 failed (provider)',
  cancelled: 's2 cancelled (operator)',
  terminated: 's2 failed (terminated)',
  late: 's2 timed-out (join)',
};

const early = { usage: { inputTokens: 700, outputTokens: 34 } };
const last = { usage: { inputTokens: 500, outputTokens: 66 } };
const look = keyTool('look', () => 'seen');
const toScript = (fault: Fault | null) => {
  const call = { calls: [{ tool: 'look' }], ...early };
  const fails = { fail: { code: 'MODEL_AUTH', message: 'no such key' } };
  const found = { report: { summary: 'found' }, ...last };
  return { subagents: { '*': [call, found], ...(fault === 'failed' && { s2: [call, fails] }) } };
};
/** Paid by how a subagent ended: to the token where nothing was in flight, and more than that where something was. */
const paidBy: Record<string, { readonly exactly?: number; readonly above?: number }> = {
  done: { exactly: 1_300 },
  'failed (provider)': { exactly: 734 },
  'failed (terminated)': { above: 734 },
  cancelled: { above: 734 },
  'timed-out': { above: 734 },
};

async function runRow(row: Row, fault: Fault | null): Promise<void> {
  const gate = new Gate();
  const model = scriptedModel(toScript(fault), async (place, signal) => {
    if (place.endsWith('turn 2')) await gate.pass(place, signal);
  });
  const { kind, minSuccess, answering } = row;
  const run = await start(
    {
      question: 'Q',
      subtasks: subtasks(4),
      join: { kind, ...(minSuccess && { minSuccess }), ...((row.deadline || fault === 'late') && { deadline }) },
    },
    { model, tools: [look] },
  );
  await gate.hold(4);
  const isEnded = async (id: string) =>
    childrenOf(await run.history()).some(
      ({ workflowId, end }) => workflowId === `${run.runId}/${id}` && end !== 'open',
    );
  const answer = async (id: string) => {
    gate.open(`${id} turn 2`);
    await waitUntil(() => isEnded(id));
  };
  if (answering.includes('s1')) await answer('s1');
  if (fault !== null && fault !== 'late') {
    const s2 = world().client.workflow.getHandle(`${run.runId}/s2`);
    if (fault === 'failed') gate.open('s2 turn 2');
    else await s2[fault === 'cancelled' ? 'cancel' : 'terminate']();
    await waitUntil(() => isEnded('s2'));
  }
  for (const id of answering.filter((each) => each !== 's1')) await answer(id);
  const recorded = await run.result();
  await expectNothingRuns(run, gate, () => model.requests.length);

  const result = await createClient(world()).getHandle(run.runId).result();
  expect(endsOf(recorded)).toEqual(row.ends(fault === null ? '' : lostAs[fault]));
  expectEnd(row, result);
  for (const { id, status, reason, usage } of recorded.subagents) {
    const paid = paidBy[`${status} (${reason})`] ?? paidBy[status]!;
    const isPaid = paid.exactly === undefined ? usage.tokens > paid.above! : usage.tokens === paid.exactly;
    expect({ id, isPaid, estimated: usage.estimated }).toEqual({ id, isPaid: true, estimated: !paid.exactly });
  }
}

function expectEnd(row: Row, result: RunResult): void {
  expect({
    status: result.status,
    exitCode: result.exitCode,
    gaps: result.gaps.map(({ subagentId }) => subagentId),
    notNeeded: result.subagents.filter(({ notNeeded }) => notNeeded).map(({ id }) => id),
    hasReport: result.report !== null,
  }).toEqual({
    status: row.status,
    exitCode: exitCodes[row.status],
    gaps: row.gaps,
    notNeeded: row.notNeeded ?? [],
    hasReport: row.status !== 'failed',
  });
  if (row.status === 'failed') expect(result.failure?.code).toBe('JOIN_UNMET');
}

/** No subagent, no activity and no request is left, and none comes afterwards. */
async function expectNothingRuns(run: TestRun, gate: Gate, requests: () => number): Promise<void> {
  const before = requests();
  for (const [workflowId, history] of await run.histories()) {
    const { raw } = await world().client.workflow.getHandle(workflowId).describe();
    const end = closeOf(history);
    // Of a terminated one the server forgets nothing and tells nobody: its worker learns of the end by a heartbeat.
    const pending = end === 'terminated' ? 0 : (raw.pendingActivities ?? []).length;
    expect({ workflowId, isOpen: end === 'open', pending }).toEqual({ workflowId, isOpen: false, pending: 0 });
  }
  await gate.hold(0);
  expect(requests()).toBe(before);
}

const all = { kind: 'all' as const };
const partial = { kind: 'partial' as const };
const first = { kind: 'first' as const };
const everybody = ['s1', 's2', 's3', 's4'];
const rest = ['s1', 's3', 's4'];
const faults = ['failed', 'cancelled', 'terminated', 'late'] as const;
const atOnce = ['failed', 'cancelled', 'terminated'] as const;
const whole = everybody.map((id) => `${id} done`);
const withOthers = (lost: string) => ['s1 done', lost, 's3 done', 's4 done'];
const withLosers = (lost: string) => ['s1 done', lost, 's3 cancelled (join)', 's4 cancelled (join)'];

test.each([all, partial])('join $kind, all answered: completed', (join) =>
  runRow({ ...join, answering: everybody, status: 'completed', ends: () => whole, gaps: [] }, null),
);

test('join first, enough answered: completed, and the losers are not needed', () =>
  runRow(
    {
      ...first,
      minSuccess: 2,
      answering: ['s1', 's3'],
      status: 'completed',
      ends: () => ['s1 done', 's2 cancelled (join)', 's3 done', 's4 cancelled (join)'],
      gaps: [],
      notNeeded: ['s2', 's4'],
    },
    null,
  ));

test.each(atOnce)('join all, one is %s: failed, and the others are stopped', (fault) =>
  runRow({ ...all, answering: ['s1'], status: 'failed', ends: withLosers, gaps: ['s2', 's3', 's4'] }, fault),
);

test('join all, one is late: failed, though all the others answered', () =>
  runRow({ ...all, answering: rest, status: 'failed', ends: withOthers, gaps: ['s2'] }, 'late'));

test.each(faults)('join partial, one is %s and enough answered: partial, with that one as the gap', (fault) =>
  runRow({ ...partial, minSuccess: 3, answering: rest, status: 'partial', ends: withOthers, gaps: ['s2'] }, fault),
);

test.each(faults)('join partial, one is %s and that leaves too few: failed, once all have ended', (fault) =>
  runRow({ ...partial, minSuccess: 4, answering: rest, status: 'failed', ends: withOthers, gaps: ['s2'] }, fault),
);

test.each(atOnce)('join first, one is %s before enough answered: completed, and that one is a gap', (fault) =>
  runRow(
    {
      ...first,
      minSuccess: 2,
      answering: ['s1', 's3'],
      status: 'completed',
      ends: (lost) => ['s1 done', lost, 's3 done', 's4 cancelled (join)'],
      gaps: ['s2'],
      notNeeded: ['s4'],
    },
    fault,
  ),
);

test.each(faults)('join first, one is %s and the deadline comes before enough answered: partial', (fault) =>
  runRow(
    {
      ...first,
      minSuccess: 3,
      answering: ['s1', 's3'],
      deadline: true,
      status: 'partial',
      ends: (lost) => ['s1 done', lost, 's3 done', 's4 timed-out (join)'],
      gaps: ['s2', 's4'],
    },
    fault,
  ),
);

test.each(atOnce)('join first, one is %s and enough can no longer answer: failed at once', (fault) =>
  runRow(
    { ...first, minSuccess: 4, answering: ['s1'], status: 'failed', ends: withLosers, gaps: ['s2', 's3', 's4'] },
    fault,
  ),
);

test.each([all, partial, first])('join $kind, all are late: failed', (join) =>
  runRow(
    {
      ...join,
      answering: [],
      status: 'failed',
      ends: () => everybody.map((id) => `${id} timed-out (join)`),
      gaps: everybody,
    },
    'late',
  ),
);

test.each([all, partial, first])('join $kind, none is usable: failed, whatever was lost how', async ({ kind }) => {
  const gate = new Gate();
  const fails = [{ fail: { code: 'MODEL_AUTH', message: 'no such key' } }];
  const model = scriptedModel({ subagents: { s1: fails, s2: fails, '*': answers('found') } }, async (place, signal) => {
    if (place.includes(' turn ')) await gate.pass(place, signal);
  });
  const run = await start({ question: 'Q', subtasks: subtasks(3), join: { kind } }, { model });
  await gate.hold(3);
  gate.open('s1 turn 1');
  const { workflow } = world().client;
  if (kind !== 'all') {
    await workflow.getHandle(`${run.runId}/s3`).terminate();
    await gate.hold(1);
    gate.open('s2 turn 1');
  }
  const recorded = await run.result();
  await expectNothingRuns(run, gate, () => model.requests.length);
  expect(endsOf(recorded)).toEqual(
    kind === 'all'
      ? ['s1 failed (provider)', 's2 cancelled (join)', 's3 cancelled (join)']
      : ['s1 failed (provider)', 's2 failed (provider)', 's3 failed (terminated)'],
  );
  const result = await createClient(world()).getHandle(run.runId).result();
  expect(result).toMatchObject({ status: 'failed', exitCode: 3, report: null, failure: { code: 'JOIN_UNMET' } });
  expect(result.gaps.map(({ subagentId }) => subagentId)).toEqual(['s1', 's2', 's3']);
  expect(model.requests.filter(({ place }) => place === 'synthesize')).toEqual([]);
});
