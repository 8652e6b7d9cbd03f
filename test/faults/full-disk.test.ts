import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { checkRun, statusesOf, toWords } from './check-run.ts';
import { openIn, startFaultRun, type FaultRun } from './fault-run.ts';
import { openFaultSite, tellNumbers, type FaultSite } from './fault-site.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';
import { waitFor } from './wait-for.ts';

let site: FaultSite;
let disk: SmallDisk | null;
beforeAll(async () => {
  site = await openFaultSite();
  disk = await mountSmallDisk(join(site.installation.dataDir, 'blobs'));
  await site.startWorker();
});
afterAll(async () => {
  await disk?.close();
  await site.close();
});

async function lastFailures(run: FaultRun): Promise<string[]> {
  const client = await site.installation.client();
  const all = await Promise.all(
    run.subagents.map(async (id) => (await client.workflow.getHandle(`${run.runId}/${id}`).describe()).raw),
  );
  return all.flatMap(({ pendingActivities }) =>
    (pendingActivities ?? []).flatMap(({ lastFailure }) => (lastFailure?.message ? [lastFailure.message] : [])),
  );
}

test('PROBE', async () => {
  const run = await startFaultRun(site, 'full', { latency: '500ms', subagents: 6 });
  await waitFor('model calls', async () => openIn(await run.modelRecord()).filter((e) => e.includes('turn 2')).length >= 4);
  await disk!.fill();
  for (let i = 0; i < 40; i++) {
    await new Promise((r) => setTimeout(r, 1000));
    const s = JSON.parse((await site.installation.run(['show', run.runId, '--json'])).stdout);
    process.stderr.write(i + ' ' + s.status + ' ' + JSON.stringify(s.subagents) + JSON.stringify([...new Set(await lastFailures(run))]).slice(0, 300) + '\n');
    if (!['running', 'synthesizing'].includes(s.status)) { process.stderr.write(JSON.stringify(s).slice(0,1500)); break; }
  }
  process.stderr.write(JSON.stringify((await run.modelRecord()).filter((x) => x.request).length));
  const r = await site.installation.run(['result', run.runId, '--json', '--timeout', '5s']);
  process.stderr.write(r.stdout.slice(0, 3000) + r.stderr);
}, 150_000);
