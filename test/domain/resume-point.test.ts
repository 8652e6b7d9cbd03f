import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { HistoryFact } from '../../src/contract/history-fact.ts';
import { resumeSchema } from '../../src/contract/resume.ts';
import { foldSubagentFact } from '../../src/domain/projection/subagent-fold.ts';
import { resumeOf } from '../../src/domain/projection/resume-point.ts';
import { openSubagent } from '../../src/domain/projection/subagent-state.ts';

const hashOf = (number: number) => number.toString(16).padStart(64, '0');
const headOf = (turn: number) => ({ hash: hashOf(turn), messages: 2 * turn, bytes: 100, knownTokens: 10 });
const refOf = (turn: number, call: number) => ({ hash: hashOf(turn * 100 + call), bytes: 5 });
const usage = { requests: 1, inputTokens: 10, outputTokens: 5, usd: 0, lost: 0, requestTokens: 20, requestUsd: 0 };

type Told = { readonly facts: HistoryFact[]; readonly add: (body: object) => number };

function tell(): Told {
  const facts: HistoryFact[] = [];
  const add = (body: object) => {
    facts.push({ subagentId: 's1', eventId: facts.length + 1, at: '2026-01-01T00:00:00.000Z', ...body } as HistoryFact);
    return facts.length;
  };
  return { facts, add };
}

const callIdOf = (turn: number, call: number) => `t${turn}c${call}`;
const resumeAfter = (facts: readonly HistoryFact[]) =>
  resumeOf(facts.reduce(foldSubagentFact, openSubagent('s1', 'goal')).resumePoint);

/** A history of one turn after another, each with its calls, of which the last may be open. */
function tellTurns(turns: readonly { readonly calls: readonly ('done' | 'error' | 'failed')[] }[]): HistoryFact[] {
  const { facts, add } = tell();
  turns.forEach(({ calls }, index) => {
    const turn = index + 1;
    const before = turns[index - 1]?.calls ?? [];
    const results = before.map((_, call) => ({
      callId: callIdOf(turn - 1, call + 1),
      name: 'look',
      isError: false,
      content: { ref: refOf(turn - 1, call + 1) },
    }));
    const head = turn === 1 ? null : headOf(turn - 1);
    const asked = add({
      kind: 'activity-scheduled',
      activityType: 'callModelActivity',
      input: { turn, head, results },
    });
    const planned = calls.map((_, call) => ({
      callId: callIdOf(turn, call + 1),
      name: 'look',
      argumentsPreview: '',
      argumentsHash: hashOf(call),
    }));
    add({
      kind: 'activity-completed',
      scheduledEventId: asked,
      attempt: 1,
      result: { kind: 'reply', head: headOf(turn), calls: planned, finish: 'tool-calls', usage },
    });
    const ids = planned.map(({ callId }) =>
      add({ kind: 'activity-scheduled', activityType: 'callToolActivity', input: { callId, name: 'look' } }),
    );
    calls.forEach((end, call) => {
      const scheduledEventId = ids[call]!;
      const callId = callIdOf(turn, call + 1);
      if (end === 'failed')
        add({
          kind: 'activity-failed',
          scheduledEventId,
          how: 'failed',
          attempt: 1,
          code: 'X',
          message: '',
          details: [],
        });
      else
        add({
          kind: 'activity-completed',
          scheduledEventId,
          attempt: 1,
          result: {
            callId,
            isError: end === 'error',
            ref: refOf(turn, call + 1),
            sources: [{ id: `d${call}`, url: 'u', title: 't' }],
          },
        });
    });
  });
  return facts;
}

test('wherever a history is cut: no reply with calls is lost, every call is answered or open, and only what was read is a source', () => {
  const turn = fc.record({
    calls: fc.array(fc.constantFrom('done' as const, 'error' as const, 'failed' as const), {
      minLength: 1,
      maxLength: 4,
    }),
  });
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), fc.nat(), (turns, cut) => {
      const facts = tellTurns(turns);
      const known = facts.slice(0, cut % (facts.length + 1));
      const replies = known.filter((fact) => fact.kind === 'activity-completed' && 'head' in (fact.result as object));
      const resume = resumeAfter(known);
      if (replies.length === 0) return expect(resume).toBeNull();
      expect(resumeSchema.parse(resume)).toEqual(resume);
      expect(resume!.turns).toBe(replies.length);
      expect(resume!.head).toEqual(headOf(replies.length));
      const answered = resume!.results.map(({ callId }) => callId);
      if (resume!.calls.length > 0) {
        const all = resume!.calls.map(({ callId }) => callId);
        const last = turns[replies.length - 1]!.calls;
        expect(all).toHaveLength(last.length);
        expect(answered.every((id) => all.includes(id))).toBe(true);
        expect(resume!.begun.every((id) => all.includes(id) && !answered.includes(id))).toBe(true);
        // One that failed is as open as one that never ended: a read is made again, a write is not.
        const failed = last.flatMap((end, call) => (end === 'failed' ? [callIdOf(replies.length, call + 1)] : []));
        expect(failed.some((id) => answered.includes(id))).toBe(false);
      } else {
        expect(answered).toHaveLength(turns[replies.length - 1]!.calls.length);
      }
      const read = known.filter(
        (fact) => fact.kind === 'activity-completed' && (fact.result as { isError?: boolean }).isError === false,
      );
      expect(resume!.sources.reduce((sum, { contents }) => sum + contents.length, 0)).toBe(read.length);
    }),
    { numRuns: 500 },
  );
});

describe('the point to go on from', () => {
  test('is before a hand-back, and before a turn that failed', () => {
    const facts = tellTurns([{ calls: ['done'] }]);
    const whole = { facts: [...facts] };
    const asked = {
      subagentId: 's1',
      eventId: 90,
      at: '2026-01-01T00:00:00.000Z',
      kind: 'activity-scheduled',
      activityType: 'callModelActivity',
      input: {
        turn: 2,
        head: headOf(1),
        handBack: 'budget',
        results: [{ callId: 't1c1', name: 'look', isError: false, content: { text: 'seen' } }],
      },
    } as HistoryFact;
    const base = { subagentId: 's1', eventId: 91, at: asked.at, scheduledEventId: 90, attempt: 1 };
    const report = { kind: 'reply', head: headOf(2), calls: [], report: {}, usage };
    const handedBack = { ...base, kind: 'activity-completed', result: report } as unknown as HistoryFact;
    const failed = {
      ...base,
      kind: 'activity-failed',
      how: 'failed',
      code: 'X',
      message: '',
      details: [],
    } as HistoryFact;
    for (const end of [handedBack, failed])
      expect(resumeAfter([...whole.facts, asked, end])).toMatchObject({
        head: headOf(1),
        turns: 1,
        calls: [],
        results: [{ callId: 't1c1' }],
      });
  });

  test('is before a reply that was cut short: its calls are never made', () => {
    const facts = tellTurns([{ calls: ['done'] }, { calls: [] }]).map((fact) =>
      fact.kind === 'activity-completed' && 'head' in (fact.result as object)
        ? { ...fact, result: { ...(fact.result as object), finish: 'length' } }
        : fact,
    );
    expect(resumeAfter(facts.slice(0, 2))).toBeNull();
    expect(resumeAfter(facts)).toMatchObject({ head: headOf(1), turns: 1, calls: [] });
  });

  test('of a subagent that went on itself is the one that it was given, until it has a turn of its own', () => {
    const given = resumeAfter(tellTurns([{ calls: ['done', 'failed'] }]))!;
    const { facts, add } = tell();
    const loaded = add({ kind: 'activity-scheduled', activityType: 'loadResumeActivity', input: {} });
    add({ kind: 'activity-completed', scheduledEventId: loaded, attempt: 1, result: given });
    expect(resumeAfter(facts)).toEqual(given);
  });

  test('never rests on a call that hands work on: those below it answer that one', () => {
    const facts = tellTurns([{ calls: ['done'] }]).map((fact) =>
      fact.kind === 'activity-completed' && 'ref' in (fact.result as object)
        ? { ...fact, result: { ...(fact.result as object), delegated: ['a goal'] } }
        : fact,
    );
    expect(resumeAfter(facts)).toMatchObject({ results: [], begun: ['t1c1'] });
  });
});
