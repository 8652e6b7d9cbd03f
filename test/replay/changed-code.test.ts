/** An incompatible change of the workflow code, as somebody would make it: the change is in the code, not in the history. */
import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readHistories } from '../../src/client/history/histories-file.ts';
import type { Divergence, ReplayedHistory } from '../../src/contract/replay.ts';
import { replayHistories } from '../../src/replay/replay-histories.ts';
import { installTestRuntime } from '../support/temporal.ts';

installTestRuntime();

/** Replays the committed histories of a run against code with these edits in one file, each a text and what it becomes. */
async function replayAgainst(file: string, ...edits: string[]): Promise<ReplayedHistory[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-changed-'));
  try {
    const script = join(import.meta.dirname, '..', 'support', 'bundle-changed.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [script, folder, file, ...edits]);
    const path = join(import.meta.dirname, 'histories', 'completed.json');
    const all: ReplayedHistory[] = [];
    const code = { workflowBundle: { codePath: stdout } };
    for await (const each of replayHistories(readHistories(path, await readFile(path, 'utf8')), { code }))
      all.push(each);
    return all;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const run = 'recorded-completed';
const subagents = [`${run}/s1`, `${run}/s2`, `${run}/s3`];
const changes: [what: string, change: [string, string, string], wrong: string[], divergence: Partial<Divergence>][] = [
  [
    'plans before it opens the run',
    ['workflows/research.ts', "run.enter('planning');", "run.enter('planning'); await desks.plan.makePlan();"],
    [run],
    {
      eventId: 6,
      eventType: 'ActivityTaskScheduled',
      recorded: 'activity openRunActivity',
      wanted: 'activity planActivity',
    },
  ],
  [
    'says one thing less of its state, so that an activity comes in its place',
    ['workflows/research.ts', "run.enter('planning');", ''],
    [run],
    { eventId: 5, eventType: 'WorkflowPropertiesModified', recorded: null, wanted: 'activity openRunActivity' },
  ],
  [
    'starts one subagent fewer at once',
    ['workflows/fan-out.ts', 'const lanes = Math.min(', 'const lanes = Math.min(2, '],
    [run],
    {
      eventId: 21,
      eventType: 'StartChildWorkflowExecutionInitiated',
      recorded: `child workflow ${run}/s3`,
      wanted: 'nothing',
    },
  ],
  [
    'no longer exports a kind of workflow',
    ['workflows/index.ts', 'subagentWorkflow', 'subagentWorkflow as renamedWorkflow'],
    subagents,
    { kind: 'fails', wanted: null },
  ],
];

test.each(changes)(
  'an incompatible change of the workflow code is caught and named: it %s',
  async (_, change, wrong, divergence) => {
    const all = await replayAgainst(...change);
    expect(all).toHaveLength(1 + subagents.length);
    expect(
      all
        .filter(({ ok }) => !ok)
        .map(({ workflowId }) => workflowId)
        .sort(),
    ).toEqual(wrong);
    for (const each of all) if (!each.ok) expect(each.divergence).toMatchObject(divergence);
  },
);

test('a change behind `patched` is followed', async () => {
  const imported = "workflowInfo } from '@temporalio/workflow';";
  const all = await replayAgainst(
    'workflows/research.ts',
    imported,
    `patched, ${imported}`,
    "run.enter('planning');",
    "if (patched('opens-first')) await desks.plan.makePlan(); run.enter('planning');",
  );
  expect(all.map(({ ok }) => ok)).toEqual([true, true, true, true]);
});
