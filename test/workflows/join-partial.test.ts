import { expect, test } from '@jest/globals';
import { createClient } from '../support/client-world.ts';
import { Gate } from '../support/gate.ts';
import { answers, callsOf, endsOf, holdTurns, keyTool, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start, world } = useWorld('join partial');
const broken = [{ fail: { code: 'MODEL_AUTH', message: 'no such key' } }];

test('B29 · waits for all: a failed, a cancelled and a terminated child are gaps, and the others still answer', async () => {
  const gate = new Gate();
  const subagents = { s1: broken, '*': answers('found') };
  const model = scriptedModel({ subagents }, holdTurns(gate, ['s2 turn 1', 's3 turn 1', 's4 turn 1']));
  const run = await start({ question: 'Q', subtasks: subtasks(5) }, { model });
  await gate.hold(3);
  const { workflow } = world().client;
  await workflow.getHandle(`${run.runId}/s2`).cancel();
  await workflow.getHandle(`${run.runId}/s3`).terminate();
  await gate.hold(1);
  gate.open();
  const result = await run.result();
  expect(result.status).toBe('partial');
  expect(endsOf(result)).toEqual([
    's1 failed (provider)',
    's2 cancelled (operator)',
    's3 failed (terminated)',
    's4 done',
    's5 done',
  ]);
  expect(result.gaps.map(({ subagentId, goal }) => `${subagentId}: ${goal}`)).toEqual([
    's1: goal 1',
    's2: goal 2',
    's3: goal 3',
  ]);
  for (const { id, usage } of result.subagents.slice(1, 3))
    expect({ id, free: usage.tokens === 0 }).toEqual({ id, free: false });
  expect(result.document?.report).toContain('## Gaps');
});

test('B26 · one that failed, one that reached its cap and one that recovered from an error are each told as what they are', async () => {
  const goesOn = [1, 2, 3].map((key) => callsOf('look', [key]));
  const model = scriptedModel({
    subagents: {
      s1: answers('all of one'),
      s2: [{ fail: { code: 'MODEL_BAD_REQUEST', message: '404: no such model' } }],
      s3: { turns: goesOn, handBack: { report: { summary: 'a part of three' } } },
      s4: [callsOf('look', ['broken']), ...answers('all of four')],
    },
  });
  const look = keyTool('look', (key) => {
    if (key === 'broken') throw new Error('cannot be read');
    return 'seen';
  });
  const run = await start({ question: 'Q', subtasks: subtasks(4), maxTurns: 3 }, { model, tools: [look] });
  const result = await run.result();
  expect(result.status).toBe('partial');
  expect(endsOf(result)).toEqual(['s1 done', 's2 failed (provider)', 's3 partial (max-turns)', 's4 done']);
  expect(result.subagents[1]!.message).toContain('404');
  const { report } = result.document!;
  for (const text of ['all of one', 'a part of three', 'all of four']) expect(report).toContain(text);
  expect(report).toContain('- s2 goal 2: failed (provider)');
  expect(report).toContain('- s3 goal 3: partial (max-turns)');
  expect(report).not.toMatch(/- s[14] goal/);
  expect(await createClient(world()).getHandle(run.runId).result()).toMatchObject({ status: 'partial', exitCode: 5 });
});

test('a failed tool from which the subagent recovers does not make it a failure', async () => {
  const recovers = [{ calls: [{ tool: 'no_such_tool' }] }, ...answers('found all the same')];
  const model = scriptedModel({ subagents: { '*': recovers } });
  const result = await (await start({ question: 'Q', subtasks: subtasks(1) }, { model })).result();
  expect(result.status).toBe('completed');
  expect(result.gaps).toEqual([]);
});

test('minSuccess is a count or a share: met makes the run partial, unmet makes it fail', async () => {
  const script = { subagents: { s1: broken, s2: broken, '*': answers('found') } };
  const cases = [
    [2, 'partial'],
    [3, 'failed'],
    ['50%', 'partial'],
    ['51%', 'failed'],
  ] as const;
  await Promise.all(
    cases.map(async ([minSuccess, status]) => {
      const join = { kind: 'partial' as const, minSuccess };
      const run = await start({ question: 'Q', subtasks: subtasks(4), join }, { model: scriptedModel(script) });
      const result = await run.result();
      expect({ minSuccess, status: result.status }).toEqual({ minSuccess, status });
      expect(endsOf(result).slice(2)).toEqual(['s3 done', 's4 done']);
      expect(result.document === null).toBe(status === 'failed');
    }),
  );
});

test('B26 · all failed: the run failed, under every policy, and no report is made from nothing', async () => {
  await Promise.all(
    (['all', 'partial', 'first'] as const).map(async (kind) => {
      const model = scriptedModel({ subagents: { '*': broken } });
      const result = await (await start({ question: 'Q', subtasks: subtasks(2), join: { kind } }, { model })).result();
      expect({ kind, status: result.status }).toEqual({ kind, status: 'failed' });
      expect(result.failure?.code).toBe('JOIN_UNMET');
      expect(result.document).toBeNull();
      expect(model.requests.filter(({ place }) => place === 'synthesize')).toEqual([]);
    }),
  );
});
