import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type OutcomeReason, type OutcomeStatus, outcomeStatuses } from '../../src/contract/outcome.ts';
import type { JoinOptions } from '../../src/contract/request.ts';
import {
  type Arrived,
  decideStop,
  isUsable,
  judgeJoin,
  type JoinVerdict,
  neededSuccesses,
  toGaps,
} from '../../src/domain/join.ts';

/** `'done failed:provider'` → outcomes s1, s2 … */
function outcomes(text: string): Arrived[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word, index) => {
      const [status, reason] = word.split(':') as [OutcomeStatus, OutcomeReason | undefined];
      return { id: `s${index + 1}`, status, reason };
    });
}

const join = (kind: JoinOptions['kind'], minSuccess: JoinOptions['minSuccess'] = 1): JoinOptions => ({
  kind,
  minSuccess,
  progressive: false,
});

function judge(options: JoinOptions, text: string, deadlinePassed = false): JoinVerdict {
  const list = outcomes(text);
  return judgeJoin(options, list.length, list, { deadlinePassed });
}

test('usable are done, reused and partial outcomes, and no others', () => {
  expect(outcomeStatuses.filter(isUsable)).toEqual(['done', 'partial', 'reused']);
});

describe('neededSuccesses', () => {
  test('takes a count as it is, even one that can never be met', () => {
    expect(neededSuccesses(3, 6)).toBe(3);
    expect(neededSuccesses(9, 6)).toBe(9);
  });

  test('rounds a share up, to at least one', () => {
    expect(neededSuccesses('50%', 5)).toBe(3);
    expect(neededSuccesses('100%', 7)).toBe(7);
    expect(neededSuccesses('7%', 100)).toBe(7);
    expect(neededSuccesses('1%', 6)).toBe(1);
  });
});

describe('decideStop', () => {
  test.each(['failed', 'timed-out', 'cancelled', 'skipped'] as const)('all stops at the first %s', (status) => {
    expect(decideStop(join('all'), 5, outcomes(`done partial ${status}`))).toEqual({ kind: 'stop', why: 'failed' });
  });

  test('all waits while every outcome is usable', () => {
    expect(decideStop(join('all'), 5, outcomes('done partial reused'))).toEqual({ kind: 'wait' });
    expect(decideStop(join('all'), 5, [])).toEqual({ kind: 'wait' });
  });

  test('first stops once enough have succeeded', () => {
    expect(decideStop(join('first', 3), 6, outcomes('done failed partial'))).toEqual({ kind: 'wait' });
    expect(decideStop(join('first', 3), 6, outcomes('done failed partial reused'))).toEqual({
      kind: 'stop',
      why: 'enough',
    });
  });

  test('first stops as soon as enough can no longer succeed', () => {
    expect(decideStop(join('first', 3), 5, outcomes('failed failed'))).toEqual({ kind: 'wait' });
    expect(decideStop(join('first', 3), 5, outcomes('failed failed timed-out'))).toEqual({
      kind: 'stop',
      why: 'unreachable',
    });
    expect(decideStop(join('first', 6), 5, [])).toEqual({ kind: 'stop', why: 'unreachable' });
  });

  test('partial never stops early', () => {
    expect(decideStop(join('partial', 5), 5, outcomes('failed failed failed failed'))).toEqual({ kind: 'wait' });
  });
});

describe('judgeJoin follows the table', () => {
  test.each<[string, JoinOptions, string, boolean, JoinVerdict['status']]>([
    ['all: every outcome done or reused', join('all'), 'done reused done', false, 'completed'],
    ['all: none failed, one partial', join('all'), 'done partial:max-turns reused', false, 'partial'],
    ['all: one failed', join('all'), 'done failed partial', false, 'failed'],
    ['all: one timed out', join('all'), 'done timed-out', false, 'failed'],
    ['all: one cancelled', join('all'), 'done cancelled:operator', false, 'failed'],
    ['all: one skipped', join('all'), 'done skipped:budget', false, 'failed'],
    ['all: the deadline passes', join('all'), 'done partial', true, 'failed'],
    ['partial: every outcome done or reused', join('partial'), 'done reused', false, 'completed'],
    ['partial: enough usable, one failed', join('partial', 2), 'done failed partial', false, 'partial'],
    ['partial: all usable, one in part', join('partial'), 'done partial', false, 'partial'],
    ['partial: fewer usable than wanted', join('partial', 2), 'done failed failed', false, 'failed'],
    ['partial: fewer than a share', join('partial', '50%'), 'done failed failed', false, 'failed'],
    ['partial: a share is met', join('partial', '50%'), 'done done failed', false, 'partial'],
    ['partial: enough at the deadline', join('partial', 1), 'done timed-out:wall-clock', true, 'partial'],
    ['partial: too few at the deadline', join('partial', 2), 'done timed-out:wall-clock', true, 'failed'],
    ['partial: more wanted than were planned', join('partial', 3), 'done done', false, 'failed'],
    ['first: enough usable', join('first', 2), 'done partial cancelled:join', false, 'completed'],
    ['first: too few at the deadline', join('first', 2), 'done timed-out timed-out', true, 'partial'],
    ['first: none at the deadline', join('first', 2), 'failed timed-out timed-out', true, 'failed'],
    ['first: no longer reachable', join('first', 2), 'done failed failed', false, 'failed'],
  ])('%s', (_, options, text, deadlinePassed, status) => {
    expect(judge(options, text, deadlinePassed).status).toBe(status);
  });

  test('nothing usable is failed under every policy, whatever else holds', () => {
    const unusable = fc.constantFrom('failed', 'cancelled', 'skipped', 'timed-out');
    fc.assert(
      fc.property(
        fc.constantFrom(...(['all', 'partial', 'first'] as const)),
        fc.array(unusable, { maxLength: 6 }),
        fc.boolean(),
        (kind, statuses, deadlinePassed) => {
          expect(judge(join(kind), statuses.join(' '), deadlinePassed).status).toBe('failed');
        },
      ),
    );
  });

  test('a run with a failed, timed out or skipped subagent is never completed under all or partial', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...(['all', 'partial'] as const)),
        fc.array(fc.constantFrom(...outcomeStatuses), { minLength: 1, maxLength: 8 }),
        (kind, statuses) => {
          const isWhole = statuses.every((status) => status === 'done' || status === 'reused');
          expect(judge(join(kind), statuses.join(' ')).status === 'completed').toBe(isWhole);
        },
      ),
    );
  });

  test('a subagent that was planned and has no outcome counts as missing', () => {
    expect(judgeJoin(join('partial'), 3, outcomes('done done'), { deadlinePassed: false }).status).toBe('partial');
    expect(judgeJoin(join('all'), 3, outcomes('done done'), { deadlinePassed: false }).status).toBe('failed');
  });
});

describe('the message of a join', () => {
  test('names the failed subagent before the siblings that were cancelled on its account', () => {
    expect(judge(join('all'), 'cancelled:join failed:provider done done partial:loop').message).toBe(
      'join all: s2 failed (provider), s1 cancelled (join); 3 of 5 usable',
    );
  });

  test('says how many were needed where they were not reached', () => {
    expect(judge(join('partial', 2), 'done failed:quota skipped').message).toBe(
      'join partial: s2 failed (quota), s3 skipped; 1 of 3 usable, 2 needed',
    );
  });

  test('says that the deadline passed', () => {
    expect(judge(join('all'), 'done timed-out:wall-clock', true).message).toBe(
      'join all: the deadline passed; s2 timed-out (wall-clock); 1 of 2 usable',
    );
  });

  test('does not list a thousand failures', () => {
    const { message } = judge(join('all'), Array.from({ length: 1_000 }, () => 'failed:provider').join(' '));
    expect(message).toContain('s10 failed (provider), 990 more; 0 of 1,000 usable');
  });
});

describe('what was not needed, and what is missing', () => {
  test('losers of first are not needed, a failed one and one that an operator cancelled are gaps', () => {
    const list = outcomes('done cancelled:join failed:provider cancelled:operator partial:max-turns skipped:join');
    const { notNeeded, message } = judgeJoin(join('first', 2), 6, list, { deadlinePassed: false });
    expect(notNeeded).toEqual(['s2', 's6']);
    expect(message).toBe('join first: s3 failed (provider), s4 cancelled (operator); 2 of 6 usable; 2 not needed');
    const gaps = toGaps(
      list.map((outcome) => ({ ...outcome, goal: `goal of ${outcome.id}` })),
      notNeeded,
    );
    expect(gaps).toEqual([
      { subagentId: 's3', goal: 'goal of s3', status: 'failed', reason: 'provider' },
      { subagentId: 's4', goal: 'goal of s4', status: 'cancelled', reason: 'operator' },
      { subagentId: 's5', goal: 'goal of s5', status: 'partial', reason: 'max-turns' },
    ]);
  });

  test('where first was not met, the cancelled ones were needed', () => {
    expect(judge(join('first', 2), 'done failed cancelled:join').notNeeded).toEqual([]);
  });

  test('under other policies nothing is unneeded', () => {
    expect(judge(join('partial'), 'done cancelled:join').notNeeded).toEqual([]);
  });

  test('a gap without a reason has no empty one', () => {
    expect(toGaps([{ id: 's1', status: 'failed', goal: 'g' }], [])).toStrictEqual([
      { subagentId: 's1', goal: 'g', status: 'failed' },
    ]);
  });
});
