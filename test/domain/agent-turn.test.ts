import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { finishReasons } from '../../src/contract/model.ts';
import {
  decideAfterReply,
  decideHandBack,
  openAgent,
  stopAgent,
  type AgentState,
  type ReplyFacts,
} from '../../src/domain/agent-turn.ts';

const call = (name = 'search', argumentsHash = 'h1') => ({ name, argumentsHash });
const facts = (parts: Partial<ReplyFacts> = {}): ReplyFacts => ({
  calls: [],
  finish: (parts.calls?.length ?? 0) > 0 ? 'tool-calls' : 'stop',
  hasReport: false,
  ...parts,
});
const after = (reply: Partial<ReplyFacts>, state = openAgent(10), handBack = decideHandBack(state)) =>
  decideAfterReply(state, facts(reply), handBack);

describe('the last turn', () => {
  test('of those allowed is always a hand-back', () => {
    expect(decideHandBack(openAgent(10))).toBeNull();
    expect(decideHandBack({ ...openAgent(10), turns: 8 })).toBeNull();
    expect(decideHandBack({ ...openAgent(10), turns: 9 })).toBe('max-turns');
    expect(decideHandBack(openAgent(1))).toBe('max-turns');
  });

  test('is asked for by the first reason to stop, which stays', () => {
    const stopped = stopAgent(stopAgent(openAgent(10), 'budget'), 'wall-clock');
    expect(decideHandBack(stopped)).toBe('budget');
  });

  test('ends partial with what was handed back, and failed with nothing', () => {
    const state = stopAgent(openAgent(10), 'budget');
    expect(after({ hasReport: true }, state).decision).toEqual({ kind: 'end', status: 'partial', reason: 'budget' });
    expect(after({}, state).decision).toEqual({
      kind: 'end',
      status: 'failed',
      reason: 'budget',
      message: 'stopped (budget) and handed back nothing',
    });
  });

  test('executes no call that the model makes all the same', () => {
    const state = stopAgent(openAgent(10), 'max-turns');
    expect(after({ calls: [call()], hasReport: true }, state).decision).toMatchObject({
      kind: 'end',
      status: 'partial',
    });
    expect(after({ calls: [call()] }, state).decision).toMatchObject({ kind: 'end', status: 'failed' });
  });

  test('that was cut says so', () => {
    const state = stopAgent(openAgent(10), 'budget');
    expect(after({ finish: 'length', hasReport: true }, state).decision).toMatchObject({ reason: 'truncated' });
  });
});

describe('a working turn', () => {
  test('with calls runs them, whatever text came along', () => {
    expect(after({ calls: [call()], hasReport: true }).decision).toEqual({ kind: 'run-tools' });
  });

  test('with an answer is done', () => {
    expect(after({ hasReport: true }).decision).toEqual({ kind: 'end', status: 'done' });
  });

  test('with nothing at all is a failure, never an empty success', () => {
    expect(after({}).decision).toEqual({
      kind: 'end',
      status: 'failed',
      reason: 'provider',
      message: 'the model ended with an empty answer',
    });
  });

  test('that pauses goes on', () => {
    expect(after({ finish: 'pause', hasReport: true }).decision).toEqual({ kind: 'continue' });
  });

  test('counts itself, its calls, and the messages that held any', () => {
    let { state } = after({ calls: [call('a'), call('b')] });
    ({ state } = after({ hasReport: false, finish: 'pause' }, state));
    ({ state } = after({ calls: [call('c')] }, state));
    expect(state).toMatchObject({ turns: 3, toolCalls: 3, toolCallMessages: 2 });
  });
});

describe('a stop state that is no answer ends the subagent as failed, whatever came along', () => {
  test.each([
    ['refusal', 'refusal', 'the model refused (RAW)'],
    ['content-filter', 'content-filter', 'the provider filtered the answer (RAW)'],
    ['context-exceeded', 'context-exceeded', "the conversation is larger than the model's window (RAW)"],
    ['error', 'provider', 'the model ended with an error (RAW)'],
    ['unknown', 'provider', 'the model stopped for an unknown reason (RAW)'],
  ] as const)('%s', (finish, reason, message) => {
    const end = { kind: 'end', status: 'failed', reason, message };
    const reply = { finish, rawFinish: 'RAW', hasReport: true, calls: [call()] };
    expect(after(reply).decision).toEqual(end);
    expect(after(reply, stopAgent(openAgent(10), 'budget')).decision).toEqual(end);
  });
});

describe('a reply that the output limit cut', () => {
  test('executes none of its calls, and the model is told', () => {
    expect(after({ finish: 'length', calls: [call(), call()] }).decision).toEqual({
      kind: 'answer-calls',
      problem: 'truncated',
    });
    expect(after({ finish: 'length' }).decision).toEqual({ kind: 'continue', note: 'truncated' });
  });

  test.each([
    [true, 'partial'],
    [false, 'failed'],
  ] as const)('twice in a row ends the subagent as truncated (with a text: %s)', (hasReport, status) => {
    const { state } = after({ finish: 'length' });
    expect(after({ finish: 'length', hasReport }, state).decision).toEqual({
      kind: 'end',
      status,
      reason: 'truncated',
      message: 'the output limit cut 2 replies in a row',
    });
  });

  test('does not count further once a whole reply came in between', () => {
    let { state } = after({ finish: 'length' });
    ({ state } = after({ calls: [call()] }, state));
    expect(after({ finish: 'length' }, state).decision).toEqual({ kind: 'continue', note: 'truncated' });
  });
});

describe('a call that the provider could not read', () => {
  const reply = { finish: 'malformed-call', rawFinish: 'MALFORMED_FUNCTION_CALL', hasReport: true } as const;

  test('is asked for again, and the model is told', () => {
    expect(after(reply).decision).toEqual({ kind: 'continue', note: 'malformed-call' });
  });

  test('twice in a row ends the subagent as failed, with the provider’s word', () => {
    expect(after(reply, after(reply).state).decision).toEqual({
      kind: 'end',
      status: 'failed',
      reason: 'provider',
      message: 'the model made 2 calls in a row that cannot be read (MALFORMED_FUNCTION_CALL)',
    });
  });

  test('does not count further once another reply came in between', () => {
    const { state } = after({ calls: [call()] }, after(reply).state);
    expect(after(reply, state).decision).toMatchObject({ kind: 'continue' });
  });
});

describe('a loop', () => {
  const repeat = (batches: readonly (readonly ReturnType<typeof call>[])[]) => {
    let state: AgentState = openAgent(10);
    return batches.map((calls) => {
      const next = after({ calls }, state);
      state = next.state;
      return next.decision.kind === 'answer-calls' ? next.decision.problem : next.decision.kind;
    });
  };
  const a = [call('search', 'a')];
  const b = [call('search', 'b')];

  test('is the same batch three times in a row: the third is not executed, and the next turn hands back', () => {
    expect(repeat([a, a, a])).toEqual(['run-tools', 'run-tools', 'loop']);
    let { state } = after({ calls: a });
    ({ state } = after({ calls: a }, state));
    ({ state } = after({ calls: a }, state));
    expect(decideHandBack(state)).toBe('loop');
  });

  test('is none where other arguments, another tool or another batch came in between', () => {
    expect(repeat([a, a, b, a, a])).not.toContain('loop');
    expect(repeat([a, a, [call('read', 'a')]])).not.toContain('loop');
    expect(repeat([a, a, [...a, ...b]])).not.toContain('loop');
  });

  test('does not depend on the order of the calls in a batch', () => {
    expect(
      repeat([
        [...a, ...b],
        [...b, ...a],
        [...a, ...b],
      ]),
    ).toEqual(['run-tools', 'run-tools', 'loop']);
  });
});

test('whatever a model answers, a subagent ends within its turns, and never as done without an answer', () => {
  const reply = fc.record({
    calls: fc.array(fc.record({ name: fc.constantFrom('a', 'b'), argumentsHash: fc.constantFrom('1', '2', '3') }), {
      maxLength: 3,
    }),
    finish: fc.constantFrom(...finishReasons),
    hasReport: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.infiniteStream(reply), (maxTurns, replies) => {
      let state = openAgent(maxTurns);
      for (const each of replies) {
        const before = state;
        const handBack = decideHandBack(before);
        const { state: next, decision } = decideAfterReply(before, each, handBack);
        state = next;
        expect(state.turns).toBe(before.turns + 1);
        expect(state.turns).toBeLessThanOrEqual(maxTurns);
        if (decision.kind === 'run-tools' || decision.kind === 'answer-calls') {
          expect(each.calls.length).toBeGreaterThan(0);
          expect(handBack).toBeNull();
        }
        if (decision.kind !== 'end') continue;
        expect(['done', 'partial', 'failed']).toContain(decision.status);
        if (decision.status !== 'failed') expect(each.hasReport).toBe(true);
        if (decision.status === 'done') expect(handBack).toBeNull();
        else expect(decision.reason).toBeDefined();
        return;
      }
    }),
  );
});
