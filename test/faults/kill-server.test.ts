import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ChildProcess } from 'node:child_process';
import { checkRun, statusesOf, toWords } from './check-run.ts';
import { startFaultRun } from './fault-run.ts';
import { end, openFaultSite, tellNumbers, type FaultSite } from './fault-site.ts';
import { createDice, strikeAt } from './moments.ts';

let site: FaultSite;
let worker: ChildProcess;
beforeAll(async () => {
  site = await openFaultSite();
  worker = await site.startWorker();
});
afterAll(async () => {
  await end(worker, 'SIGTERM');
  await site.close();
});

const seed = Number(process.env.DRILL_SEED ?? 5);
const names = [
  'workflow task completed',
  'child started',
  'model call in flight',
  'write in flight',
  'synthesis in flight',
] as const;

test.each(names.map((name, index) => [name, index] as const))(
  'kill -9 of the server at "%s": the worker brings it back, and nothing is lost or done twice',
  async (name, index) => {
    const dice = createDice(seed * 1_000 + index);
    const run = await startFaultRun(site, `server-${index}`);
    const struck = await strikeAt(name, run, run.subagents[dice(20)]!, dice);
    const since = Date.now();
    process.kill(await site.installation.serverPid(), 'SIGKILL');
    const checked = await checkRun(site, run, { since });
    expect(statusesOf(checked)).toEqual(['done']);
    expect(checked.written + checked.undone).toBe(20);
    tellNumbers(`server killed at "${name}" (seed ${seed}, ${struck}): ${toWords(checked)}`);
  },
  150_000,
);
