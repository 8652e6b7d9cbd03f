import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ResearchClient } from '../../src/client/research-client.ts';
import { collect, Installation } from '../support/built-cli.ts';
import { startProvider } from '../support/providers/start-provider.ts';
import { toSettings } from './vendor.ts';

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.create();
});
afterAll(() => installation.destroy());

const subagents = 20;

test.each(['openai', 'anthropic', 'google', 'compatible'] as const)(
  'B35 · %s: a cancel closes the sockets of twenty requests that hang before the headers and in the body, and none follows',
  async (family) => {
    const provider = await startProvider(family, (_, index) => ({
      fault: index % 2 === 0 ? 'hang-before-headers' : 'hang-in-body',
    }));
    const { env, flags } = toSettings(family, provider);
    const worker = await installation.startWorker(env);
    const subtasks = Array.from({ length: subagents }, (_, index) => ['--subtask', `subtask ${index + 1}`]).flat();
    // Twenty allotments that each pay for a call.
    const budget = ['--budget-tokens', '4000000'];
    const started = await installation.run(['start', 'Q', ...flags, ...budget, ...subtasks], env);
    expect(started).toMatchObject({ code: 0 });
    const runId = started.stdout.trim();
    await provider.requested(subagents);

    const research = new ResearchClient({ client: await installation.client(), taskQueue: 'tributary' });
    const askedAt = performance.now();
    await research.getHandle(runId).cancel({ wait: true });
    await provider.aborted(subagents);
    const closed = provider.requests.map(({ abortedAt }) => abortedAt! - askedAt);
    expect(closed.every((ms) => Number.isFinite(ms))).toBe(true);
    // What each subagent says of its socket is what the API saw of it.
    const { tree } = await research.getHandle(runId).describe();
    const said = new Map(tree.map(({ goal, cancel }) => [goal, Date.parse(cancel!.lastSocketClosedAt!)]));
    const differences = provider.requests.map(({ raw, abortedAt }) =>
      Math.abs(said.get(/subtask \d+/.exec(raw)![0])! - (performance.timeOrigin + abortedAt!)),
    );
    expect(Math.max(...differences)).toBeLessThan(250);
    const result = await installation.run(['result', runId, '--json']);
    const { status, usage } = JSON.parse(result.stdout) as {
      status: string;
      usage: { tokens: number; estimated: boolean };
    };
    expect({ code: result.code, status }).toEqual({ code: 6, status: 'cancelled' });
    // What the vendor has read of them is paid, though nobody knows how much it is.
    expect({ estimated: usage.estimated, paid: usage.tokens > subagents }).toEqual({ estimated: true, paid: true });
    worker.kill('SIGTERM');
    await collect(worker);
    // The worker has ended: no request can follow any more.
    expect(provider.requests).toHaveLength(subagents);
    expect(provider.refusals).toEqual([]);
    await provider.close();
    if (process.env.DRILL_MOMENTS || process.env.DRILL_NUMBERS) {
      process.stderr.write(
        `${family}: ${closed.length} sockets closed, the last ${Math.round(Math.max(...closed))} ms after the cancel was asked for; they differ from what was said by at most ${Math.round(Math.max(...differences))} ms; 0 requests afterwards\n`,
      );
    }
  },
  120_000,
);
