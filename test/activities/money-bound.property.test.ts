/** Random answers, losses, crashes and repeats against one subagent's ledger: money is never spent beyond what was set aside. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ModelAttempts, type CallBounds } from '../../src/activities/model-attempts.ts';
import { createMemoryBuckets } from '../../src/store/buckets/memory-buckets.ts';
import type { CallUsage } from '../../src/contract/budget.ts';
import { failureCodeOf, TributaryError } from '../../src/contract/failure.ts';
import type { ModelUsage } from '../../src/contract/model.ts';
import { boundMicroUsd, toMicroUsd } from '../../src/domain/money.ts';
import { settleCall } from '../../src/domain/usage.ts';
import type { Model, ModelRequest } from '../../src/models/model.ts';
import { priceUsage, ratesOf } from '../../src/models/price/price-catalogue.ts';
import { SubagentLedger } from '../../src/workflows/subagent-ledger.ts';

type Answer = {
  readonly kind: 'reply' | 'unstated' | 'refused' | 'lost' | 'crash';
  /** Requests of this attempt: a provider's client may make a further one by itself. */
  readonly requests: number;
  /** Percent of what the request may use, and of the input that a cache had. */
  readonly input: number;
  readonly output: number;
  readonly read: number;
  readonly write: number;
};
type Call = { readonly bytes: number; readonly answers: readonly Answer[] };

const percent = fc.integer({ min: 0, max: 100 });
const rate = fc.oneof(
  fc.constantFrom(0, 0.15, 1.25, 3, 15),
  fc.double({ min: 0, max: 200, noNaN: true, noDefaultInfinity: true }),
);
const answer: fc.Arbitrary<Answer> = fc.record({
  kind: fc.constantFrom('reply', 'unstated', 'refused', 'lost', 'crash'),
  requests: fc.integer({ min: 1, max: 3 }),
  input: percent,
  output: percent,
  read: percent,
  write: percent,
});
const programs = fc.record({
  price: fc.record(
    { input: rate, output: rate, cacheRead: rate, cacheWrite: rate },
    { requiredKeys: ['input', 'output'] },
  ),
  allotment: fc.record({ tokens: fc.nat(200_000), toolCalls: fc.constant(5), microUsd: fc.nat(3_000_000) }),
  maxOutputTokens: fc.integer({ min: 256, max: 8_000 }),
  attempts: fc.integer({ min: 1, max: 5 }),
  calls: fc.array(
    fc.record({
      bytes: fc.nat(60_000),
      answers: fc.array(answer, { minLength: 1, maxLength: 6 }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

const neverAborted = new AbortController().signal;
const unanswered = new Promise<never>(() => undefined);

/** Bytes / 4 are the tokens of this model, and it says so. */
function modelOf(next: () => Answer, onCrash: () => void): Model {
  const tokensIn = (request: ModelRequest) =>
    Math.ceil(request.messages.reduce((sum, each) => sum + ('text' in each ? each.text.length : 0), 0) / 4);
  return {
    name: 'random',
    countTokens: async (request) => tokensIn(request),
    async call(request, { onRequest }) {
      const each = next();
      for (let made = 0; made < each.requests; made += 1) onRequest();
      if (each.kind === 'crash') {
        onCrash();
        return unanswered;
      }
      if (each.kind === 'refused') throw new TributaryError('MODEL_RATE_LIMIT', 'later');
      if (each.kind === 'lost') throw new TributaryError('MODEL_NETWORK', 'cut');
      const share = (whole: number, part: number) => Math.floor((whole * part) / 100);
      const inputTokens = share(tokensIn(request), each.input) + 1;
      const cacheReadTokens = share(inputTokens, each.read);
      const usage: ModelUsage = {
        inputTokens: inputTokens * each.requests,
        outputTokens: share(request.maxOutputTokens, each.output),
        cacheReadTokens,
        cacheWriteTokens: share(inputTokens - cacheReadTokens, each.write),
      };
      return { text: 'x', toolCalls: [], finish: 'stop', usage: each.kind === 'reply' ? usage : null };
    },
  };
}

/** Attempts as the server makes them, until an answer or a failure that is not repeated. */
async function makeCall(call: Call, bounds: CallBounds, price: (usage: ModelUsage) => number | null) {
  let carried: unknown;
  let place = 0;
  for (let attempt = 1; ; attempt += 1) {
    const carry = (details: unknown) => void (carried = JSON.parse(JSON.stringify(details)));
    const frame = { signal: neverAborted, attempt, workflowId: '', carried, carry };
    const attempts = new ModelAttempts(frame, bounds, price, createMemoryBuckets());
    let crash = () => {};
    const crashed = new Promise<'crashed'>((resolve) => (crash = () => resolve('crashed')));
    const model = modelOf(
      () => call.answers[Math.min(place++, call.answers.length - 1)]!,
      () => crash(),
    );
    const request: ModelRequest = {
      task: { kind: 'plan', question: 'q', maxSubagents: 1, outline: [], attempt: 1 },
      messages: [{ role: 'user', text: 'x'.repeat(call.bytes) }],
      tools: [],
      toolChoice: 'none',
      parallelToolCalls: true,
      maxOutputTokens: bounds.maxOutputTokens,
    };
    const run = async (): Promise<CallUsage> => {
      const fitted = await attempts.fit(model, request);
      if (fitted.kind === 'fits') await attempts.request(model, fitted.request, fitted.requestTokens);
      return attempts.usage();
    };
    const ended = await Promise.race([
      crashed,
      run().catch((error: unknown) => {
        const { nonRetryable, details } = error as { nonRetryable?: boolean; details?: [CallUsage] };
        if (failureCodeOf(error) === 'MODEL_ATTEMPTS') return attempts.detailsOnEnd()[0];
        if (details === undefined) throw error;
        return nonRetryable ? details[0] : null;
      }),
    ]);
    if (ended !== null && ended !== 'crashed') return ended;
  }
}

test('whatever is answered, lost and repeated, no call costs more than its reservation and no subagent more than its allotment', async () => {
  let charged = 0;
  let stopped = 0;
  let lost = 0;
  await fc.assert(
    fc.asyncProperty(programs, async ({ price, allotment, maxOutputTokens, attempts, calls }) => {
      const choice = { model: 'compatible/random', price };
      const terms = { maxOutputTokens, rates: ratesOf(choice)! };
      const ledger = new SubagentLedger(allotment, 2_000, terms);
      for (const [index, call] of calls.entries()) {
        const isHandBack = index === calls.length - 1;
        const tokens = Math.min(call.bytes + maxOutputTokens * 2, ledger.openTokens(isHandBack));
        if (tokens < 600) {
          stopped += 1;
          continue;
        }
        const reserved = { tokens, microUsd: boundMicroUsd(tokens, maxOutputTokens, terms.rates) };
        ledger.reserveCall(reserved, isHandBack);
        const bounds = { attempts, maxSpendTokens: tokens, maxSpendMicroUsd: reserved.microUsd, ...terms };
        const usage = await makeCall(call, bounds, (each) => priceUsage(choice, each));
        const settled = settleCall(usage);
        expect(toMicroUsd(settled.usage.usd)).toBeLessThanOrEqual(reserved.microUsd);
        expect(settled.tokens).toBeLessThanOrEqual(tokens);
        expect(usage.requests).toBeLessThanOrEqual(attempts);
        ledger.settleCall(reserved, usage);
        expect(toMicroUsd(ledger.usage.usd)).toBeLessThanOrEqual(allotment.microUsd);
        if (toMicroUsd(settled.usage.usd) > 0) charged += 1;
        lost += usage.lost;
      }
      expect(ledger.usage.tokens).toBeLessThanOrEqual(allotment.tokens);
    }),
    { numRuns: 1_500 },
  );
  // Programs in which nothing is paid, nothing is lost or nothing runs out would prove nothing.
  expect(charged).toBeGreaterThan(500);
  expect(stopped).toBeGreaterThan(100);
  expect(lost).toBeGreaterThan(300);
});
