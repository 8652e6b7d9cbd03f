import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { HistoryFact } from '../../src/contract/history-fact.ts';
import type { LocatedFact, Position } from '../../src/client/history/workflow-history.ts';
import { createCausalOrder } from '../../src/client/watch/causal-order.ts';
import { type Cursor, decodeCursor, encodeCursor, hasSeen } from '../../src/client/watch/cursor.ts';
import { createFactBuilder, openStory, tellWholeRun } from '../support/fact-builder.ts';

const position = fc.tuple(fc.nat(3), fc.nat(50_000));
const id = fc.integer({ min: 1, max: 9_999 }).map((number) => `s${number}`);
const cursors: fc.Arbitrary<Cursor> = fc.record(
  {
    firstRunId: fc.uuid(),
    run: position,
    drained: fc.array(fc.oneof(id, fc.constant('s2.1'))).map((ids) => new Set(ids)),
    open: fc.array(fc.tuple(id, position)).map((entries) => new Map<string, Position>(entries)),
    partial: fc.record({ subagentId: fc.option(id), told: fc.integer({ min: 1, max: 9 }) }),
    isEnd: fc.boolean(),
  },
  { requiredKeys: ['firstRunId', 'run', 'drained', 'open', 'isEnd'] },
);

describe('a cursor', () => {
  test('comes back as it was', () => {
    fc.assert(fc.property(cursors, (cursor) => expect(decodeCursor(encodeCursor(cursor))).toEqual(cursor)));
  });

  test('of any other text is none, and never an error', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(decodeCursor(text)).toBeNull()));
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(decodeCursor(Buffer.from(JSON.stringify(value)).toString('base64url'))).toBeNull();
      }),
    );
  });

  test('stays short for a thousand finished subagents', () => {
    const drained = new Set(Array.from({ length: 1_000 }, (_, index) => `s${index + 1}`));
    const text = encodeCursor({ firstRunId: 'x', run: [0, 9_000], drained, open: new Map(), isEnd: false });
    expect(text.length).toBeLessThan(100);
  });

  test('knows what it has told', () => {
    const cursor: Cursor = {
      firstRunId: 'x',
      run: [1, 5],
      drained: new Set(['s1']),
      open: new Map([['s2', [0, 4]]]),
      isEnd: false,
    };
    expect([
      hasSeen(cursor, null, [0, 99]),
      hasSeen(cursor, null, [1, 5]),
      hasSeen(cursor, null, [1, 6]),
      hasSeen(cursor, 's1', [9, 9]),
      hasSeen(cursor, 's1', [1, 1], 2),
      hasSeen(cursor, 's2', [0, 5]),
      hasSeen(cursor, 's3', [0, 1]),
    ]).toEqual([true, true, false, true, false, false, false]);
  });
});

describe('the order of several histories', () => {
  const located = tellWholeRun().facts.map((fact): LocatedFact => ({ fact, position: [0, fact.eventId] }));
  const places = (facts: readonly HistoryFact[], isIt: (fact: HistoryFact) => boolean) => facts.findIndex(isIt);

  test('has a start before what follows from it and an end after what led to it, however facts arrive', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2), { minLength: 80, maxLength: 80 }), (choices) => {
        const left = [null, 's1', 's2'].map((of) => located.filter(({ fact }) => fact.subagentId === of));
        const order = createCausalOrder(() => false);
        const told = choices.flatMap((choice) => order.add(left[choice]!.splice(0, 1))).map(({ fact }) => fact);
        told.push(...order.add(left.flat()).map(({ fact }) => fact));
        expect(told).toHaveLength(located.length);
        expect(order.flush()).toEqual([]);
        for (const child of ['s1', 's2']) {
          const own = places(told, (fact) => fact.subagentId === child);
          const ownEnd = places(told, (fact) => fact.subagentId === child && fact.kind === 'workflow-completed');
          expect(places(told, (fact) => fact.kind === 'child-started' && fact.childId === child)).toBeLessThan(own);
          expect(places(told, (fact) => fact.kind === 'child-completed' && fact.childId === child)).toBeGreaterThan(
            ownEnd,
          );
        }
      }),
    );
  });

  test('keeps each attempt of a subagent between the words of its run that it started and that it ended', () => {
    const story = openStory();
    const run = createFactBuilder(story, null);
    run.started({});
    for (const attempt of [1, 2]) {
      run.childStarted('s1', 100);
      const own = createFactBuilder(story, 's1', attempt);
      own.started({});
      own.completed(null);
      run.childCompleted('s1', null);
    }
    const facts = story.facts.map((fact): LocatedFact => ({ fact, position: [0, fact.eventId] }));
    const nameOf = ({ fact }: LocatedFact) => `${fact.kind} ${fact.ofAttempt ?? ''}`;
    fc.assert(
      fc.property(fc.array(fc.nat(1), { minLength: 30, maxLength: 30 }), (choices) => {
        const left = [null, 's1'].map((of) => facts.filter(({ fact }) => fact.subagentId === of));
        const order = createCausalOrder(() => false);
        const told = choices.flatMap((choice) => order.add(left[choice]!.splice(0, 1)));
        told.push(...order.add(left.flat()));
        expect(told.map(nameOf)).toEqual(facts.map(nameOf));
      }),
    );
  });

  test('does not wait for a history that is gone', () => {
    const ofRun = located.filter(({ fact }) => fact.subagentId === null);
    expect(createCausalOrder(() => true).add(ofRun)).toHaveLength(ofRun.length);
    expect(createCausalOrder(() => false).add(ofRun).length).toBeLessThan(ofRun.length);
  });
});
