import { expect, test } from '@jest/globals';
import { TributaryError, type FailureCode } from '../../src/contract/failure.ts';
import { noUsage, addUsage } from '../../src/domain/usage.ts';
import { usageOfRunItself } from '../support/read-history.ts';
import { keyTool, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start, world } = useWorld('pool of a hundred');
/** More by hand: `POOL_SEEDS=50`. */
const seeds = Array.from({ length: Number(process.env.POOL_SEEDS ?? 2) }, (_, index) => index + 1);
const look = keyTool('look', (key) => `seen ${key} `.repeat(200));

/** mulberry32: the same numbers for the same seed, on every machine. */
function createDice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const failures: readonly FailureCode[] = ['MODEL_SERVER', 'MODEL_NETWORK', 'MODEL_BAD_RESPONSE', 'MODEL_AUTH'];

test.each(seeds)(
  'seed %i: a hundred subagents draw on one pool at once; it is never overdrawn, the parts are the whole, and nothing stays reserved',
  async (seed) => {
    const dice = createDice(seed);
    const turnsOf = () =>
      Array.from({ length: 1 + Math.floor(dice() * 4) }, () => ({
        calls: [{ tool: 'look', arguments: { key: String(Math.floor(dice() * 1_000)) } }],
        ...(dice() < 0.5 && {
          usage: dice() < 0.5 ? 'none' : { inputTokens: Math.floor(dice() * 400), outputTokens: 20 },
        }),
      }));
    const script = {
      subagents: Object.fromEntries(
        subtasks(100).map((_, index) => [
          `s${index + 1}`,
          { turns: [...turnsOf(), { report: { summary: 'found' } }], handBack: { report: { summary: 'what I have' } } },
        ]),
      ),
    };
    const model = scriptedModel(script, (place) => {
      if (!place.includes(' turn ') || dice() > 0.08) return;
      const code = failures[Math.floor(dice() * failures.length)]!;
      throw new TributaryError(code, 'by the dice', { retryAfterMs: 1 });
    });
    const tokens = 200_000 + Math.floor(dice() * 600_000);
    const run = await start(
      {
        question: 'Q',
        subtasks: subtasks(100),
        budget: { tokens, toolCalls: 150 + Math.floor(dice() * 200) },
        maxOutputTokens: 300,
        modelAttempts: 3,
      },
      { model, tools: [look] },
    );
    await world()
      .client.workflow.getHandle(`${run.runId}/s${1 + Math.floor(dice() * 100)}`)
      .cancel()
      .catch(() => undefined); // it may not have started, or have ended
    const result = await run.result();
    expect(result.subagents).toHaveLength(100);
    for (const meter of [result.budget.tokens, result.budget.toolCalls]) {
      expect(meter.spent).toBeLessThanOrEqual(meter.limit);
      expect(meter.reserved).toBe(0);
      expect(meter.spent + meter.remaining).toBe(meter.limit);
    }
    const parts = result.subagents.reduce((sum, { usage }) => addUsage(sum, usage), noUsage);
    const own = usageOfRunItself(await run.history());
    expect(parts.tokens + own.tokens).toBe(result.budget.tokens.spent);
    expect(parts.toolCalls).toBe(result.budget.toolCalls.spent);
  },
  180_000,
);
