import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkRun, statusesOf, toWords } from './check-run.ts';
import { openIn, startFaultRun, type FaultRun } from './fault-run.ts';
import { openFaultSite, tellNumbers, type FaultSite } from './fault-site.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';
import { waitFor } from './wait-for.ts';

let site: FaultSite;
let blobs: string;
let disk: SmallDisk | null;
beforeAll(async () => {
  site = await openFaultSite();
  blobs = join(site.installation.dataDir, 'blobs');
  disk = await mountSmallDisk(blobs);
  if (disk) await site.startWorker();
  else process.stderr.write('skipped: this user may not mount a file system, so no disk can be full\n');
});
afterAll(async () => {
  await disk?.close();
  await site.close();
});

/** Why open activities of subagents are made again. */
async function retriesOf(run: FaultRun): Promise<string[]> {
  const client = await site.installation.client();
  const all = await Promise.all(
    run.subagents.map(async (id) =>
      client.workflow
        .getHandle(`${run.runId}/${id}`)
        .describe()
        .then(
          ({ raw }) => raw.pendingActivities ?? [],
          () => [], // it has not started
        ),
    ),
  );
  return all.flat().flatMap(({ lastFailure }) => (lastFailure?.message ? [lastFailure.message] : []));
}

/** How often the worker has said that it waits for the store. */
async function waitsOf(): Promise<number> {
  const folder = join(site.installation.dataDir);
  const logs = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.log'));
  const texts = await Promise.all(logs.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.join('').split('the store takes nothing').length - 1;
}

/** Blobs whose content is not what their name says, and what was left half written. */
async function brokenBlobs(): Promise<string[]> {
  const files = (await readdir(blobs, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const broken = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const hash = createHash('sha256')
        .update(await readFile(join(parentPath, name)))
        .digest('hex');
      return hash === name ? [] : [name];
    }),
  );
  return broken.flat();
}

test('a disk that is full before the first model call: nothing is paid, the reason can be seen, and with room the run completes', async () => {
  if (!disk) return;
  await disk.fill();
  const run = await startFaultRun(site, 'full-first');
  const reasons = await waitFor('refused blobs', async () => {
    const found = await retriesOf(run);
    return found.length === run.subagents.length && found;
  });
  for (const reason of reasons) expect(reason).toMatch(/the store .* cannot be used: ENOSPC/);
  expect((await run.modelRecord()).filter(({ request }) => request !== 'plan' && request !== undefined)).toEqual([]);
  const since = Date.now();
  await disk.empty();
  const checked = await checkRun(site, run, { since });
  expect(statusesOf(checked)).toEqual(['done']);
  expect(checked).toMatchObject({ repeated: 0, written: 20, unknown: 0 });
  expect(await brokenBlobs()).toEqual([]);
  tellNumbers(`disk full before the first call: ${toWords(checked)} of the room`);
}, 150_000);

test('a disk that becomes full during model calls: answers that were paid for are kept until there is room', async () => {
  if (!disk) return;
  const run = await startFaultRun(site, 'full-later', { latency: '700ms' });
  await waitFor('model calls of the second turn', async () =>
    openIn(await run.modelRecord()).some((place) => place.endsWith('turn 2')),
  );
  const before = await waitsOf();
  await disk.fill();
  await waitFor('answers that find no room', async () => (await waitsOf()) > before);
  const since = Date.now();
  await disk.empty();
  const checked = await checkRun(site, run, { since });
  expect(statusesOf(checked)).toEqual(['done']);
  expect(checked).toMatchObject({ repeated: 0, written: 20, unknown: 0 });
  expect(await brokenBlobs()).toEqual([]);
  tellNumbers(`disk full during calls: ${toWords(checked)} of the room`);
}, 150_000);
