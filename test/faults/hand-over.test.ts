import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventsOf } from '../support/read-history.ts';
import { checkRun, statusesOf, toWords } from './check-run.ts';
import { openIn, startFaultRun } from './fault-run.ts';
import { end, openFaultSite, tellNumbers, type FaultSite } from './fault-site.ts';
import { waitFor } from './wait-for.ts';

let site: FaultSite;
beforeAll(async () => {
  site = await openFaultSite();
});
afterAll(() => site.close());

test.each([
  ['model calls', 'turn', { latency: '2500ms' }],
  ['writes', 'append_line', { afterWriteMs: 3_000 }],
] as const)(
  'SIGTERM to the worker during %s hands the run over: another worker completes it, nothing is cancelled or done twice',
  async (what, place, options) => {
    const worker = await site.startWorker();
    const run = await startFaultRun(site, `hand-over-${place}`, options);
    const open = async () => openIn([...(await run.modelRecord()), ...(await run.toolRecord())]);
    await waitFor(what, async () => (await open()).filter((each) => each.includes(place)).length >= 10);
    const since = Date.now();
    await end(worker, 'SIGTERM');
    const leftMs = Date.now() - since;
    expect(worker.exitCode).toBe(0);
    const second = await site.startWorker();
    const checked = await checkRun(site, run, { since, by: second });
    expect(statusesOf(checked)).toEqual(['done']);
    for (const history of await Promise.all([run.history(), ...run.subagents.map((id) => run.history(id))])) {
      const cancels = eventsOf(history).filter(
        (event) =>
          event.workflowExecutionCancelRequestedEventAttributes ??
          event.activityTaskCancelRequestedEventAttributes ??
          event.activityTaskCanceledEventAttributes,
      );
      expect(cancels).toHaveLength(0);
    }
    tellNumbers(`SIGTERM during ${what}: the worker left after ${leftMs} ms, ${toWords(checked)}`);
    await end(second, 'SIGTERM');
  },
  150_000,
);
