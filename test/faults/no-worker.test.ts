import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventsOf } from '../support/read-history.ts';
import { checkRun, statusesOf, toWords } from './check-run.ts';
import { startFaultRun } from './fault-run.ts';
import { end, openFaultSite, tellNumbers, type FaultSite } from './fault-site.ts';
import { waitFor } from './wait-for.ts';

let site: FaultSite;
beforeAll(async () => {
  site = await openFaultSite();
});
afterAll(() => site.close());

test('without a worker a run can be started and cancelled, and rests until a worker comes', async () => {
  const { installation } = site;
  const resting = await startFaultRun(site, 'resting');
  const unwanted = await startFaultRun(site, 'unwanted');
  const statusOf = async (runId: string) =>
    JSON.parse((await installation.run(['show', runId, '--json'])).stdout).status;
  expect(await statusOf(resting.runId)).toBe('queued');
  const cancelled = await installation.run(['cancel', unwanted.runId, '-y', '--json']);
  expect({ code: cancelled.code, stderr: cancelled.stderr }).toMatchObject({ code: 0 });
  // Nothing has happened to the one that rests.
  expect(eventsOf(await resting.history()).map(({ eventId }) => Number(eventId))).toEqual([1, 2]);

  const since = Date.now();
  const worker = await site.startWorker();
  const checked = await checkRun(site, resting, { since });
  expect(statusesOf(checked)).toEqual(['done']);
  await waitFor('the end of the cancelled run', async () => (await statusOf(unwanted.runId)) === 'cancelled');
  expect(await unwanted.modelRecord()).toEqual([]);
  tellNumbers(`no worker: ${toWords(checked)} of its start`);
  await end(worker, 'SIGTERM');
}, 150_000);
