import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkRun, statusesOf, toWords } from './check-run.ts';
import { startFaultRun } from './fault-run.ts';
import { end, openFaultSite, tellNumbers, type FaultSite } from './fault-site.ts';
import { moments } from './moments.ts';
import { waitFor } from './wait-for.ts';

let site: FaultSite;
beforeAll(async () => {
  site = await openFaultSite();
});
afterAll(() => site.close());

test('a subagent that is terminated from outside has its own outcome, and the run goes on as partial', async () => {
  const worker = await site.startWorker();
  const run = await startFaultRun(site, 'terminated');
  await waitFor('s7 at its second turn', () => moments['model call in flight'](run, 's7', 1));
  const since = Date.now();
  await (await site.installation.client()).workflow.getHandle(`${run.runId}/s7`).terminate('somebody else');
  const checked = await checkRun(site, run, { since, status: 'partial' });
  expect(checked.result.subagents.find(({ id }) => id === 's7')).toMatchObject({
    status: 'failed',
    reason: 'terminated',
  });
  expect(statusesOf(checked, ['s7'])).toEqual(['done']);
  expect(await run.lines()).not.toContain('s7');
  tellNumbers(`child terminated from outside: ${toWords(checked)}`);
  await end(worker, 'SIGTERM');
}, 150_000);
