import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { collect, Installation, timeOf } from '../support/built-cli.ts';
import { moments, momentsOf, startDrillRun, wait } from './drill.ts';

let installation: Installation;
beforeAll(async () => {
  installation = await Installation.create();
});
afterAll(() => installation.destroy());

/** After the kill: completes, repeats no finished model call, adds up. Returns how many requests were made again. */
async function finish(run: Awaited<ReturnType<typeof startDrillRun>>): Promise<{ repeated: number; status: string }> {
  const result = await installation.run(['result', run.runId, '--wait', '--json', '--timeout', '90s']);
  expect(result).toMatchObject({ code: 0 });
  const document = JSON.parse(result.stdout);
  const { tokens } = document.budget;
  expect(tokens.spent + tokens.reserved + tokens.remaining).toBe(tokens.limit);
  expect(tokens.reserved).toBe(0);
  expect(document.usage.tokens).toBe(tokens.spent);
  expect(document.citations).toHaveLength(6);

  const requests = await run.requests();
  const completed = new Map<string, number>();
  for (const [workflowId, events] of await installation.histories(run.runId)) {
    for (const event of events) {
      const done = event.activityTaskCompletedEventAttributes;
      if (!done) continue;
      const scheduled = events.find((each) => Number(each.eventId) === Number(done.scheduledEventId))!;
      const { activityType, input } = scheduled.activityTaskScheduledEventAttributes!;
      if (activityType?.name === 'planActivity') completed.set('plan', timeOf(event));
      if (activityType?.name !== 'callModelActivity') continue;
      const step = JSON.parse(new TextDecoder().decode(input!.payloads![0]!.data));
      const place = `${workflowId.split('/')[1]} turn ${step.turn}`;
      expect(completed.has(place)).toBe(false); // recorded once
      completed.set(place, timeOf(event));
    }
  }
  expect(completed.size).toBe(1 + 6 * 4);
  const late = requests.filter(({ at, request }) => request && at > (completed.get(request) ?? Infinity));
  expect(late).toEqual([]);
  const made = requests.filter(({ request }) => request);
  return { repeated: made.length - new Set(made.map(({ request }) => request)).size, status: document.status };
}

test.each([
  ['worker', 11],
  ['server', 23],
] as const)(
  'kill -9 of the %s at any moment: the run completes, repeats no finished model call, and adds up',
  async (what, seed) => {
    let worker = await installation.startWorker();
    const report: string[] = [];
    for (const [index, ms] of momentsOf(seed, moments, 3_500).entries()) {
      const run = await startDrillRun(installation, `${what}-${index}`);
      await wait(ms);
      const killedAt = Date.now();
      if (what === 'worker') {
        worker.kill('SIGKILL');
        await collect(worker);
        worker = await installation.startWorker();
      } else {
        process.kill(await installation.serverPid(), 'SIGKILL');
      }
      const { repeated, status } = await finish(run);
      report.push(
        `${what} killed at ${ms} ms: ${status}, ${repeated} requests made again, finished ${Date.now() - killedAt} ms after the kill`,
      );
    }
    worker.kill('SIGTERM');
    await collect(worker);
    if (process.env.DRILL_MOMENTS) process.stderr.write(`${report.join('\n')}\n`);
  },
  60_000 * moments,
);
