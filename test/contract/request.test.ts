import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toMilliseconds } from '../../src/contract/duration.ts';
import { parseInput } from '../../src/contract/invalid-input.ts';
import { researchRequestSchema, type ResearchRequestInput } from '../../src/contract/request.ts';
import { samples } from './samples.ts';

const parse = (input: unknown) => parseInput(researchRequestSchema, input, 'request');
const least = { runId: 'run-1', question: 'Why?' };

/** The smallest legal request with `value` at `path`. */
function withValue(path: string, value: unknown): unknown {
  const models = { planner: 'extractive', subagent: 'extractive', synthesis: 'extractive' };
  const input: Record<string, unknown> = { ...least, models };
  const keys = path.split('.');
  let at = input;
  for (const key of keys.slice(0, -1)) at = (at[key] ??= {}) as Record<string, unknown>;
  at[keys.at(-1)!] = value;
  return input;
}

const notNumbers = [Number.NaN, Infinity, -Infinity, Number('1e309'), '5', 'lots', '', null, true, {}, [1]];
const notCounts = [...notNumbers, -5, 0, 1.5];
const notDurations = [NaN, Infinity, 0, -1, 1.5, '0', '0s', 'lots', '99abc', '', '10', '0x10', '1e3s', '-5m', '367d'];
const notTexts = ['', '   ', 'a\0b', null, 5, {}, ['a']];
const notModels = ['gpt', '', 'scripted:', 'a/b c', null, 5, `scripted:${'x'.repeat(5_000)}`];

const refusals: Record<string, readonly unknown[]> = {
  runId: ['', ' ', 'a b', '../x', '-a', 'a/b', 'é', 'x'.repeat(65), null, 5, {}],
  question: [...notTexts, 'x'.repeat(1_000_000)],
  instructions: [...notTexts, 'x'.repeat(20_001)],
  title: [...notTexts, 'x'.repeat(201)],
  tenant: [...notTexts, 'a b', 'a/b', 'é', 'x'.repeat(65)],
  tags: ['a', null, {}, Array(21).fill('a')],
  'tags.0': notTexts,
  subtasks: [[], 'a', null, {}, Array(1_001).fill({ goal: 'a' })],
  'subtasks.0': ['a', null],
  'subtasks.0.goal': [...notTexts, 'x'.repeat(4_001)],
  corpus: [...notTexts, 'docs', './docs', '../docs', 'x'.repeat(4_097)],
  'models.planner': notModels,
  'models.subagent': notModels,
  'models.synthesis': notModels,
  'budget.tokens': notCounts,
  'budget.toolCalls': notCounts,
  'budget.wallClock': [...notDurations, null, true, {}, []],
  'budget.onExhausted': ['stop', null],
  'budget.synthesisReserve': [...notNumbers, -0.1, 0.91],
  subagentTokens: notCounts,
  subagentWallClock: [...notDurations, null, true, {}, []],
  maxSubagents: [...notCounts, 1_001],
  maxDepth: [...notCounts, 4],
  maxConcurrency: [...notCounts, 2.9, 1_001],
  'join.kind': ['sometimes', '', null, 1],
  'join.minSuccess': [NaN, Infinity, 0, -1, 1.5, '0%', '101%', '50', '1.5%', '%', null, true, {}],
  'join.deadline': [...notDurations, null],
  'tools.policy': ['fast', null],
  'tools.maxConcurrency': notCounts,
  'tools.maxToolCallsPerTurn': [...notCounts, 1_001],
  'tools.overflow': ['drop', null],
  'tools.onFailure': ['ignore', null],
  'tools.stopOnFailure': ['yes', 1, null],
  'tools.callDeadline': [...notDurations, null],
  'tools.batchDeadline': [...notDurations, null],
  maxTurns: [...notCounts, 101],
  modelAttempts: [...notCounts, 21],
};

/** The value as a refusal shows it, as far as it is not cut. */
const shown = (value: unknown) => (typeof value === 'number' ? String(value) : JSON.stringify(value)).slice(0, 40);

describe('a refusal names the field, what was wanted and what came', () => {
  const cases = Object.entries(refusals).flatMap(([path, values]) => values.map((value) => ({ path, value })));
  test.each(cases.map((each) => ({ ...each, label: shown(each.value) })))('$path = $label', ({ path, value }) => {
    const input = path.includes('.0') ? inList(path, value) : withValue(path, value);
    const refuse = () => parse(input);
    expect(refuse).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
    let message = '';
    try {
      refuse();
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toMatch(new RegExp(`(^request: |; )${path.replaceAll('.', '\\.')}: wanted (?!another kind)`));
    expect(message).toContain(`, came ${shown(value)}`);
    expect(message.length).toBeLessThan(400);
  });

  function inList(path: string, value: unknown): unknown {
    const [list, , field] = path.split('.') as [string, string, string?];
    return { ...least, [list]: [field ? { [field]: value } : value] };
  }

  test('a missing field came as nothing, and all problems are told at once', () => {
    expect(() => parse({ maxTurns: 0, budget: { tokens: NaN } })).toThrow(
      /runId: wanted .*, came nothing; question: wanted .*, came nothing; budget\.tokens: wanted a number, came NaN; maxTurns: wanted a number of at least 1, came 0/,
    );
  });

  test.each(['', 'budget', 'join', 'tools', 'models'])(
    'an unknown field inside "%s" is refused by its name',
    (path) => {
      const input = withValue(path === '' ? 'tokenz' : `${path}.tokenz`, 1);
      expect(() => parse(input)).toThrow(`${path === '' ? 'input' : path}: unknown "tokenz"`);
    },
  );

  test.each([[null], [undefined], ['Why?'], [[]], [5]])('%p is no request', (input) => {
    expect(() => parse(input)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
  });

  test('a bounded policy without a bound names the bound', () => {
    expect(() => parse({ ...least, tools: { policy: 'bounded' } })).toThrow(
      /tools\.maxConcurrency: wanted a whole number of at least 1, since the policy is "bounded", came nothing/,
    );
  });
});

describe('durations', () => {
  test.each([
    ['90s', 90_000],
    ['10m', 600_000],
    ['2h', 7_200_000],
    ['20 minutes', 1_200_000],
    ['1.5h', 5_400_000],
    ['1 day', 86_400_000],
    ['250ms', 250],
    ['3 milliseconds', 3],
    [' 5 secs ', 5_000],
    ['1hr', 3_600_000],
    ['366d', 31_622_400_000],
  ])('"%s" is %i ms', (text, ms) => {
    expect(toMilliseconds(text)).toBe(ms);
    expect(parse({ ...least, subagentWallClock: text }).subagentWallClock).toBe(ms);
  });

  test.each(['', 's', '10', '10 weeks', '1h30m', '-1s', '+1s', '1e3s', '0x10s', 'NaNs', '1,5h', '1.h', '.5h', '10M'])(
    '"%s" is none',
    (text) => expect(toMilliseconds(text)).toBeNull(),
  );

  test('a number is milliseconds', () => {
    expect(parse({ ...least, budget: { wallClock: 1 } }).budget.wallClock).toBe(1);
  });
});

describe('what is accepted', () => {
  test('a question alone: every other field has its default, and the result needs no further filling in', () => {
    const request = parse(least);
    expect(request).toMatchObject({ maxSubagents: 6, maxTurns: 10, join: { kind: 'partial', minSuccess: 1 } });
    expect(request.tools).toMatchObject({ policy: 'serialize-writes', callDeadline: 30_000 });
    expect(parse(request)).toEqual(request);
  });

  test('text is trimmed, and a lone surrogate in it is replaced before it can reach a provider', () => {
    const { question, tags } = parse({ ...least, question: '  a \ud83d b 😀 ', tags: ['\udc00'] });
    expect(question).toBe('a \ufffd b 😀');
    expect(tags).toEqual(['\ufffd']);
  });

  test('shares from 1% to 100%, paths of POSIX and of Windows', () => {
    for (const minSuccess of ['1%', '99%', '100%'] as const) {
      expect(parse({ ...least, join: { minSuccess } }).join.minSuccess).toBe(minSuccess);
    }
    for (const corpus of ['/srv/docs', 'C:\\docs', 'c:/docs', '\\\\server\\docs']) {
      expect(parse({ ...least, corpus }).corpus).toBe(corpus);
    }
  });

  const count = (max: number) => fc.integer({ min: 1, max });
  const duration = fc.oneof(
    count(366 * 86_400_000),
    fc.tuple(count(360), fc.constantFrom('s', 'm', 'h', ' minutes', 'd')).map(([n, unit]) => `${n}${unit}`),
  );
  const text = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 60 })
    .filter((value) => value.trim() !== '' && !value.includes('\0'));
  const model = fc.constantFrom('extractive', 'scripted:a b.yaml', 'vendor/model-1');
  const request: fc.Arbitrary<ResearchRequestInput> = fc.record(
    {
      runId: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/),
      question: text,
      instructions: text,
      title: text,
      tags: fc.array(text, { maxLength: 3 }),
      subtasks: fc.array(fc.record({ goal: text }), { minLength: 1, maxLength: 3 }),
      corpus: text.map((path) => `/${path}`),
      models: fc.record({ planner: model, subagent: model, synthesis: model }),
      budget: fc.record(
        {
          tokens: count(1e9),
          toolCalls: count(1e6),
          wallClock: duration,
          synthesisReserve: fc.double({ min: 0, max: 0.9, noNaN: true }),
        },
        { requiredKeys: [] },
      ),
      subagentTokens: count(1e6),
      subagentWallClock: duration,
      maxSubagents: count(1_000),
      maxDepth: count(3),
      maxConcurrency: count(1_000),
      join: fc.record(
        {
          kind: fc.constantFrom('all', 'partial', 'first'),
          minSuccess: fc.oneof(
            count(50),
            count(100).map((share): `${number}%` => `${share}%`),
          ),
          deadline: duration,
        },
        { requiredKeys: [] },
      ),
      tools: fc.record(
        { policy: fc.constantFrom('parallel', 'sequential'), callDeadline: duration, batchDeadline: duration },
        { requiredKeys: [] },
      ),
      maxTurns: count(100),
      modelAttempts: count(20),
    },
    { requiredKeys: ['runId', 'question'] },
  );

  test('parsing twice is parsing once, also after a trip through JSON, and every text is well-formed', () => {
    fc.assert(
      fc.property(request, (input) => {
        const once = parse(input);
        expect(parse(once)).toEqual(once);
        expect(parse(JSON.parse(JSON.stringify(once)))).toEqual(once);
        for (const each of [once.question, once.title, once.instructions, ...once.tags]) {
          expect(each?.isWellFormed() ?? true).toBe(true);
        }
      }),
    );
    expect(parse(samples.researchRequestSchema![0])).toEqual(samples.researchRequestSchema![0]);
  });
});
