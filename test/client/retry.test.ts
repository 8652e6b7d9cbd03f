import { describe, expect, test } from '@jest/globals';
import type { RetryOptions } from '../../src/client/research-api.ts';
import type { ModelReply } from '../../src/contract/model.ts';
import { TributaryError } from '../../src/contract/failure.ts';
import type { Model } from '../../src/models/model.ts';
import { createClient, createReader, readTool, toInput } from '../support/client-world.ts';
import { Gate } from '../support/gate.ts';
import { useWorld } from '../support/temporal.ts';

/** A reader that notes what it is asked, and fails where it is told to. */
function createNoted(options: { gate?: Gate } = {}) {
  const asked: string[] = [];
  const failing = new Set<string>();
  const reader = createReader(options.gate ? { gate: options.gate } : {});
  const model: Model = {
    ...reader,
    async call(request, callOptions): Promise<ModelReply> {
      const { task } = request;
      const place = task.kind === 'research' ? `${task.subagentId} turn ${task.turn}` : task.kind;
      asked.push(place);
      if (failing.has(place)) {
        callOptions.onRequest();
        throw new TributaryError('MODEL_AUTH', 'no such key');
      }
      return reader.call(request, callOptions);
    },
  };
  return { model, asked, failing };
}

const noted = createNoted();
const world = useWorld('client retry', { model: () => noted.model, tools: [readTool] });
const client = () => createClient(world.world(), { readBlob: async () => Buffer.from('') });
const goals = (count: number) => Array.from({ length: count }, (_, index) => ({ goal: `goal ${index + 1}` }));

describe('a retry', () => {
  test('of 20 subagents of which the 13th failed under "all": one subagent and the report are asked for, and all the rest is reused', async () => {
    noted.failing.add('s13 turn 2');
    const input = toInput({ subtasks: goals(20), join: { kind: 'all' }, maxConcurrency: 20 });
    const first = await client().start(input);
    const before = await first.result();
    expect(before.status).toBe('failed');
    noted.failing.clear();
    noted.asked.length = 0;
    const done = before.subagents.filter(({ status }) => status === 'done').map(({ id }) => id);
    const next = await first.retry();
    const after = await next.result();
    expect(after.status).toBe('completed');
    expect(after.runId).toBe(`${first.runId}-2`);
    for (const { id, status, reusedFrom } of after.subagents)
      expect({ id, status, reusedFrom }).toEqual(
        done.includes(id)
          ? { id, status: 'reused', reusedFrom: first.runId }
          : { id, status: 'done', reusedFrom: undefined },
      );
    expect(noted.asked.filter((place) => done.some((id) => place.startsWith(`${id} `)))).toEqual([]);
    expect(noted.asked.filter((place) => place === 'synthesize')).toHaveLength(1);
    expect(noted.asked).toContain('s13 turn 2');
    expect(noted.asked).not.toContain('s13 turn 1');
    const fresh = after.subagents.reduce((sum, { usage }) => sum + usage.tokens, 0);
    expect(after.origin).toMatchObject({ kind: 'retry', runId: first.runId, spent: { tokens: before.usage.tokens } });
    expect(after.usage.tokens).toBe(before.usage.tokens + fresh + 120);
    expect(after.budget.tokens.spent).toBe(after.usage.tokens);
  });
});
export type { RetryOptions };
