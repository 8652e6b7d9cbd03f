import { afterAll, beforeAll, expect, test } from '@jest/globals';
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
  ['model calls', 'turn', { latency: '900ms' }],
  ['writes that have not written yet', 'append_line', { beforeWriteMs: 1_500 }],
] as const)(
  'a worker that freezes during %s and wakes up when another one has taken over doubles nothing',
  async (what, place, options) => {
    const frozen = await site.startWorker();
    const run = await startFaultRun(site, `frozen-${place}`, options);
    const record = async () => [...(await run.modelRecord()), ...(await run.toolRecord())];
    await waitFor(what, async () => openIn(await record()).filter((each) => each.includes(place)).length >= 5);
    const since = Date.now();
    frozen.kill('SIGSTOP');
    const open = openIn(await record());
    const second = await site.startWorker();
    await waitFor('the second worker to take over', async () =>
      (await run.modelRecord()).some(({ at, request }) => request !== undefined && at > since),
    );
    frozen.kill('SIGCONT');
    const missing = async () => {
      const ends = (await record()).filter(({ request }) => request === undefined);
      return open.filter((each) => !ends.some(({ answered, ended }) => each === (answered ?? ended)));
    };
    // One that leaves by itself, since its connection was too long silent, has no late results.
    const hasLeft = () => frozen.exitCode !== null || frozen.signalCode !== null;
    await waitFor(
      'the first worker to come to its late results',
      async () => hasLeft() || (await missing()).length === 0,
    ).catch(async (error: unknown) => {
      throw new Error(`${String(error)}; missing: ${(await missing()).join(', ')}`);
    });
    // The first worker lives on, with what it held: its late answers must find nobody.
    const checked = await checkRun(site, run, { since, by: second });
    expect(statusesOf(checked)).toEqual(['done']);
    await end(frozen, 'SIGTERM');
    const lines = await run.lines();
    expect(lines.length).toBe(new Set(lines).size);
    expect(lines.length).toBeGreaterThanOrEqual(20 - checked.unknown);
    tellNumbers(`worker frozen during ${what}: ${open.length} in flight, ${toWords(checked)}`);
    await end(second, 'SIGTERM');
  },
  150_000,
);
