/** Fifty requests that hang, one cancel: what the run says of its sockets is held against what the server saw of them. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type { RunDescription } from '../../src/contract/run-view.ts';
import { collect, Installation } from '../support/built-cli.ts';
import { startProvider } from '../support/providers/start-provider.ts';
import { startPlainServer } from './plain-server.ts';
import { toSettings } from './vendor.ts';

let installation: Installation;
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  installation = await Installation.create();
});
afterAll(async () => {
  for (const end of ends) await end();
  await installation.destroy();
});

const subagents = 50;
/** The clocks of the two sides are the same; what lies between is the way of a closed connection. */
const toleranceMs = 250;

test.each([
  ['pushes cancels to workers', null],
  ['leaves them to heartbeats', startPlainServer],
] as const)(
  'a server that %s: fifty sockets are closed, none follows, and the proof agrees with what the model API saw',
  async (name, startServer) => {
    const server = await startServer?.(installation.folder);
    if (server) ends.push(() => server.stop());
    const provider = await startProvider('compatible', (_, index) => ({
      fault: index % 2 === 0 ? 'hang-before-headers' : 'hang-in-body',
    }));
    ends.push(() => provider.close());
    const { env: settings, flags } = toSettings('compatible', provider);
    const cluster = server && { TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: server.namespace };
    const env = { ...settings, ...cluster };
    const worker = await installation.startWorker(env);
    const subtasks = Array.from({ length: subagents }, (_, index) => ['--subtask', `subtask ${index + 1}`]).flat();
    // Fifty allotments that each pay for a call.
    const budget = ['--budget-tokens', '10000000'];
    const started = await installation.run(['start', 'Q', ...flags, ...budget, ...subtasks], env);
    expect(started).toMatchObject({ code: 0 });
    const runId = started.stdout.trim();
    await provider.requested(subagents);

    const told = await installation.run(['cancel', runId, '--wait'], env);
    expect(told).toMatchObject({ code: 0 });
    expect(told.stdout).toMatch(
      /stopped 50 of 50 subagents in [\d.]+s; last socket closed [\d.]+s after the request; [\d,]+ tokens paid after it \(estimated\)/,
    );
    await provider.aborted(subagents);
    const shown = await installation.run(['show', runId, '--json'], env);
    const { cancel, tree, usage, status } = JSON.parse(shown.stdout) as RunDescription;
    const ended = await endsOf(server?.address ?? (await installation.readServer()).address, runId);
    worker.kill('SIGTERM');
    await collect(worker);
    // The worker has ended: no request can follow any more.
    expect(provider.requests).toHaveLength(subagents);

    const seen = new Map(provider.requests.map(({ raw, abortedAt }) => [goalIn(raw), toEpoch(abortedAt!)]));
    const differences = tree.map((view) => Date.parse(view.cancel!.lastSocketClosedAt!) - seen.get(view.goal)!);
    const requestedAt = Date.parse(cancel!.requestedAt);
    const last = Date.parse(cancel!.lastSocketClosedAt!);
    const lastSeen = Math.max(...seen.values());
    if (process.env.DRILL_NUMBERS) {
      const since = (iso: string | null) => Date.parse(iso!) - requestedAt;
      const acknowledged = tree.map((view) => since(view.cancel!.acknowledgedAt)).sort((a, b) => a - b);
      process.stderr.write(
        [
          `a server that ${name}: ${subagents} requests in flight, ${provider.requests.length - subagents} afterwards`,
          `acknowledged after ${acknowledged[subagents / 2]} ms (median), ${acknowledged.at(-1)} ms (last)`,
          `last socket closed after ${last - requestedAt} ms, as the API saw it after ${lastSeen - requestedAt} ms`,
          `the two differ by ${Math.max(...differences.map(Math.abs))} ms at most`,
          `the run ended after ${since(cancel!.stoppedAt)} ms\n`,
        ].join('; '),
      );
    }
    expect(Math.max(...differences.map(Math.abs))).toBeLessThan(toleranceMs);
    expect(Math.abs(last - lastSeen)).toBeLessThan(toleranceMs);
    expect(status).toBe('cancelled');
    expect(cancel).toMatchObject({ subagents, stopped: subagents, openSockets: 0, mayStillRun: [], estimated: true });
    // All that the run ever paid for was in flight at the request.
    expect(cancel!.tokensAfter).toBe(usage.tokens);
    for (const { cancel: own } of tree) {
      expect(own!.requestedAt <= own!.acknowledgedAt!).toBe(true);
      expect(own!.acknowledgedAt! <= own!.lastSocketClosedAt!).toBe(true);
    }

    expect(ended.inRun).toHaveLength(subagents);
    expect(ended.children).toEqual(Array(subagents).fill('workflowExecutionCanceledEventAttributes'));
    expect(Math.max(...ended.inRun)).toBeLessThan(ended.run);
  },
  180_000,
);

const goalIn = (raw: string) => /subtask \d+/.exec(raw)![0];
const toEpoch = (ms: number) => Math.round(performance.timeOrigin + ms);

/** Event ids, in the run's history, of the end of each subagent and of its own; and the kind of each subagent's last event. */
async function endsOf(address: string, runId: string) {
  const connection = await Connection.connect({ address });
  const client = new Client({ connection, namespace: 'tributary' });
  const eventsOf = async (workflowId: string) =>
    (await client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
  const run = await eventsOf(runId);
  const ended = run.filter((event) => event.childWorkflowExecutionCanceledEventAttributes);
  const children: string[] = [];
  for (const { childWorkflowExecutionCanceledEventAttributes: attributes } of ended) {
    const last = (await eventsOf(attributes!.workflowExecution!.workflowId!)).at(-1)!;
    children.push(Object.keys(last).find((key) => key.endsWith('EventAttributes')) ?? '');
  }
  await connection.close();
  const isEnd = (event: (typeof run)[number]) => Boolean(event.workflowExecutionCanceledEventAttributes);
  return {
    inRun: ended.map((event) => Number(event.eventId)),
    run: Number(run.find(isEnd)?.eventId ?? 0),
    children,
  };
}
