import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { activitiesOf, eventsOf } from '../support/read-history.ts';
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

const hourMs = 3_600_000;

test.each([
  ['forward', hourMs],
  ['back', -hourMs],
] as const)(
  'the clock of the worker jumps %s by an hour during model calls and tools: nothing times out, and no budget notices',
  async (name, shiftMs) => {
    const clock = join(site.installation.folder, `clock-${name}`);
    const worker = await site.startWorker({ env: { FAULT_CLOCK: clock } });
    const run = await startFaultRun(site, `clock-${name}`, { readMs: 1_000 });
    await waitFor('a read in flight', () => moments['read in flight'](run, 's3'));
    const since = Date.now();
    await writeFile(clock, String(shiftMs));
    const checked = await checkRun(site, run, { since, rightClock: false });
    expect(statusesOf(checked)).toEqual(['done']);
    expect(checked).toMatchObject({ written: 20, unknown: 0 });
    for (const history of await Promise.all([run.history(), ...run.subagents.map((id) => run.history(id))])) {
      expect(eventsOf(history).filter((event) => event.workflowTaskTimedOutEventAttributes)).toEqual([]);
      for (const { end, result } of activitiesOf(history)) {
        expect(end).toBe('completed');
        const { durationMs = 0 } = result as { durationMs?: number };
        expect(durationMs).toBeGreaterThanOrEqual(0);
        expect(durationMs).toBeLessThan(60_000);
      }
    }
    const { wallClockMs } = checked.result.usage;
    expect(wallClockMs).toBeGreaterThan(0);
    expect(wallClockMs).toBeLessThan(120_000);
    tellNumbers(`clock ${name} by an hour: ${toWords(checked)}, wall clock of the run ${wallClockMs} ms`);
    await end(worker, 'SIGTERM');
  },
  150_000,
);
