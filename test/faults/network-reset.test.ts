import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openCuttableProxy, type CuttableProxy } from '../support/cuttable-proxy.ts';
import { checkRun, statusesOf, toWords } from './check-run.ts';
import { openIn, startFaultRun } from './fault-run.ts';
import { end, openFaultSite, tellNumbers, type FaultSite } from './fault-site.ts';
import { waitFor } from './wait-for.ts';

/** Shorter than the heartbeat time-out. */
const awayMs = 3_000;

let site: FaultSite;
let proxy: CuttableProxy;
beforeAll(async () => {
  site = await openFaultSite();
  proxy = await openCuttableProxy(site.server.server.address);
});
afterAll(async () => {
  await proxy.close();
  await site.close();
});

test('the connection between worker and server is reset during model calls and stays away for a while: nothing is lost or done twice', async () => {
  const worker = await site.startWorker({ flags: ['--address', proxy.address, '--namespace', 'tributary'] });
  const run = await startFaultRun(site, 'network', { latency: '1s' });
  await waitFor(
    'model calls',
    async () => openIn(await run.modelRecord()).filter((place) => place !== 'plan').length >= 10,
  );
  const since = Date.now();
  await proxy.cut();
  await new Promise((resolve) => setTimeout(resolve, awayMs));
  await proxy.mend();
  const checked = await checkRun(site, run, { since });
  expect(statusesOf(checked)).toEqual(['done']);
  expect(checked.written + checked.undone).toBe(20);
  tellNumbers(`network away for ${awayMs} ms: ${toWords(checked)}`);
  await end(worker, 'SIGTERM');
}, 150_000);
