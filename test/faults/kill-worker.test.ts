import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ChildProcess } from 'node:child_process';
import { checkRun, statusesOf, toWords } from './check-run.ts';
import { startFaultRun } from './fault-run.ts';
import { end, openFaultSite, tellNumbers, type FaultSite } from './fault-site.ts';
import { createDice, momentNames, moments, strikeAt } from './moments.ts';
import { waitFor } from './wait-for.ts';

let site: FaultSite;
let worker: ChildProcess;
beforeAll(async () => {
  site = await openFaultSite();
  worker = await site.startWorker();
});
afterAll(() => site.close());

/** Added to the budget by the drill of an update. */
const raised = 7;
const seed = Number(process.env.DRILL_SEED ?? 5);

test.each(momentNames.map((name, index) => [name, index] as const))(
  'kill -9 of the worker at "%s": all twenty outcomes, no finished model call again, no write twice',
  async (name, index) => {
    const dice = createDice(seed * 100 + index);
    const run = await startFaultRun(site, `worker-${index}`);
    const pick = run.subagents[dice(20)]!;
    const stopped = name === 'signal' ? [pick] : [];
    if (name === 'signal') {
      // A subagent that is cancelled from outside tells its run what it used.
      await waitFor(`${pick} at work`, () => moments['model call in flight'](run, pick, 0));
      await (await site.installation.client()).workflow.getHandle(`${run.runId}/${pick}`).cancel();
    }
    const handle = (await site.installation.client()).workflow.getHandle(run.runId);
    if (name === 'update') {
      await waitFor(`${pick} at work`, () => moments['model call in flight'](run, pick, 0));
      await handle.executeUpdate('addBudget', { args: [{ add: { tokens: raised }, by: 'drill' }], updateId: 'drill' });
    }
    const struck = await strikeAt(name, run, pick, dice);
    const since = Date.now();
    await end(worker, 'SIGKILL');
    worker = await site.startWorker();
    const checked = await checkRun(site, run, {
      since,
      by: worker,
      status: name === 'signal' ? 'partial' : 'completed',
    });
    expect(statusesOf(checked, stopped)).toEqual(['done']);
    // What was acknowledged before the kill is there after it, once.
    const { limitTokens } = (await handle.describe()).memo as { limitTokens: number };
    expect(limitTokens % 100_000).toBe(name === 'update' ? raised : 0);
    expect(checked.written + checked.undone).toBeGreaterThanOrEqual(20 - stopped.length);
    tellNumbers(`worker killed at "${name}" (seed ${seed}, ${struck}): ${toWords(checked)}`);
  },
  150_000,
);
