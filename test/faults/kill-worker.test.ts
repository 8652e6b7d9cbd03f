import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkRun } from './check-run.ts';
import { startFaultRun } from './fault-run.ts';
import { end, openFaultSite, tellNumbers, type FaultSite } from './fault-site.ts';
import { createDice, moments, type MomentName } from './moments.ts';
import { waitFor } from './wait-for.ts';

let site: FaultSite;
beforeAll(async () => {
  site = await openFaultSite();
});
afterAll(() => site.close());

const seed = Number(process.env.DRILL_SEED ?? 5);

test.each((Object.keys(moments) as MomentName[]).map((name, index) => [name, index] as const))(
  'kill -9 of the worker at "%s": all twenty outcomes, no finished model call again, no write twice',
  async (name, index) => {
    const dice = createDice(seed * 100 + index);
    const worker = await site.startWorker();
    const run = await startFaultRun(site, `worker-${index}`);
    const pick = run.subagents[dice(20)]!;
    const nth = dice(60);
    if (name === 'signal') {
      // A subagent that is cancelled from outside tells its run what it used.
      await waitFor(`${pick} at work`, () => moments['model call in flight'](run, pick, 0));
      await (await site.installation.client()).workflow.getHandle(`${run.runId}/${pick}`).cancel();
    }
    await waitFor(`"${name}" of ${pick}`, () => moments[name](run, pick, nth));
    const offsetMs = dice(120);
    await new Promise((resolve) => setTimeout(resolve, offsetMs));
    const since = Date.now();
    await end(worker, 'SIGKILL');
    const second = await site.startWorker();
    const checked = await checkRun(site, run, { since, status: name === 'signal' ? 'partial' : 'completed' });
    const others = checked.result.subagents.filter(({ id }) => name !== 'signal' || id !== pick);
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 'done'));
    expect(checked.written + checked.unknown).toBeGreaterThanOrEqual(others.length);
    tellNumbers(
      `worker killed at "${name}" (seed ${seed}, ${pick}, +${offsetMs} ms): ${checked.repeated} requests made again, ${checked.written} lines written, ${checked.unknown} of them reported as unknown, resumed after ${checked.resumedMs} ms, finished after ${checked.finishedMs} ms`,
    );
    await end(second, 'SIGTERM');
  },
  150_000,
);
