/** What every drill asks of a run that went through a fault: nothing lost, nothing doubled, and the sums are right. */
import { expect } from '@jest/globals';
import type { ChildProcess } from 'node:child_process';
import type { ModelStep, ToolStep } from '../../src/contract/steps.ts';
import { timeOf } from '../support/built-cli.ts';
import { activitiesOf, eventsOf, requireCleanHistory, type History } from '../support/read-history.ts';
import type { FaultRun } from './fault-run.ts';
import type { FaultSite } from './fault-site.ts';

type Result = {
  readonly status: string;
  readonly subagents: readonly { readonly id: string; readonly status: string; readonly reason?: string }[];
  readonly usage: { readonly tokens: number; readonly wallClockMs: number };
  readonly budget: { readonly tokens: Record<'limit' | 'spent' | 'reserved' | 'remaining', number> };
};

export type CheckedRun = {
  readonly result: Result;
  /** Model requests that were made a second time, since nobody could know how the first one ended. */
  readonly repeated: number;
  readonly written: number;
  /** Writes that were reported as "outcome unknown". */
  readonly unknown: number;
  /** Those of them that had not been done: the fault took them on their way to the worker. */
  readonly undone: number;
  /** From `since` to the first work that a worker finished after it. */
  readonly resumedMs: number | null;
  readonly finishedMs: number;
};

export type CheckOptions = {
  /** When the fault was. */
  readonly since?: number;
  /** The worker that goes on with the run, where that is another one than before. */
  readonly by?: ChildProcess;
  readonly status?: string;
  /** `false`: the record of the model has times of a clock that jumped, so that not one request may be made again. */
  readonly rightClock?: boolean;
};

/** Waits for the end and checks it. */
export async function checkRun(
  site: FaultSite,
  run: FaultRun,
  { since = Date.now(), by, status = 'completed', rightClock = true }: CheckOptions = {},
): Promise<CheckedRun> {
  const args = ['result', run.runId, '--wait', '--json', '--allow-partial', '--timeout', '100s'];
  const finished = await site.installation.run(args);
  expect({ code: finished.code, stderr: finished.stderr }).toMatchObject({ code: 0 });
  const result = JSON.parse(finished.stdout) as Result;
  expect(result.status).toBe(status);
  expect(result.subagents.map(({ id }) => id)).toEqual(run.subagents);
  const { spent, reserved, remaining, limit } = result.budget.tokens;
  expect({ reserved, total: spent + remaining }).toEqual({ reserved: 0, total: limit });
  expect(result.usage.tokens).toBe(spent);

  const histories = new Map<string, History>();
  for (const id of run.subagents) histories.set(id, await run.history(id));
  const ofRun = await run.history();
  for (const [id, history] of [['run', ofRun], ...histories] as const) requireCleanHistory(id, history);
  const writes = await checkWrites(run, histories);
  const repeated = await checkModelCalls(run, ofRun, histories, rightClock);
  const worked = [ofRun, ...histories.values()]
    .flatMap(eventsOf)
    .filter((event) => {
      const done = event.workflowTaskCompletedEventAttributes ?? event.activityTaskCompletedEventAttributes;
      // What the dead one had just sent may be recorded after its death.
      return done && (by === undefined || done.identity?.startsWith(`${by.pid}@`));
    })
    .map(timeOf)
    .filter((at) => at > since);
  return {
    result,
    ...writes,
    repeated,
    resumedMs: worked.length === 0 ? null : Math.min(...worked) - since,
    finishedMs: timeOf(eventsOf(ofRun).at(-1)!) - since,
  };
}

/** Each line is there at most once; a call that is recorded as done has written, and one that is not says so. */
async function checkWrites(run: FaultRun, histories: Map<string, History>) {
  const lines = await run.lines();
  expect(lines.filter((line, index) => lines.indexOf(line) !== index)).toEqual([]);
  let unknown = 0;
  let undone = 0;
  for (const [id, history] of histories) {
    const writes = activitiesOf(history, 'callToolActivity').filter(
      ({ input }) => (input as ToolStep).name === 'append_line',
    );
    expect(writes.length).toBeLessThanOrEqual(1);
    const [write] = writes;
    if (!write) expect(lines).not.toContain(id);
    else if (write.end === 'completed') expect(lines).toContain(id);
    else if (write.end !== 'cancelled' && write.end !== 'open') {
      unknown += 1;
      if (!lines.includes(id)) undone += 1;
      const [told] = activitiesOf(history, 'callModelActivity')
        .map(({ input }) => (input as ModelStep).results.find(({ name }) => name === 'append_line'))
        .filter((each) => each !== undefined);
      expect({ id, told: told && 'text' in told.content ? told.content.text : told }).toEqual({
        id,
        told: expect.stringContaining('outcome is unknown'),
      });
    }
  }
  return { written: lines.length, unknown, undone };
}

/** A model call whose end is in a history is never asked for again, and no turn is in a history twice. */
async function checkModelCalls(
  run: FaultRun,
  ofRun: History,
  histories: Map<string, History>,
  rightClock: boolean,
): Promise<number> {
  const completedAt = new Map<string, number>();
  const note = (place: string, history: History, endId: number) => {
    expect(completedAt.has(place)).toBe(false);
    completedAt.set(place, timeOf(eventsOf(history)[endId - 1]!));
  };
  for (const [id, history] of histories) {
    for (const { end, endId, input } of activitiesOf(history, 'callModelActivity'))
      if (end === 'completed') note(`${id} turn ${(input as ModelStep).turn}`, history, endId);
  }
  for (const [type, place] of [
    ['planActivity', 'plan'],
    ['synthesizeActivity', 'synthesis'],
  ] as const)
    for (const { end, endId } of activitiesOf(ofRun, type)) if (end === 'completed') note(place, ofRun, endId);
  const requests = (await run.modelRecord()).filter(({ request }) => request !== undefined);
  const repeated = requests.length - new Set(requests.map(({ request }) => request)).size;
  const late = requests.filter(({ at, request }) => at > (completedAt.get(request!) ?? Infinity));
  if (rightClock) expect(late).toEqual([]);
  else expect(repeated).toBe(0);
  return repeated;
}

/** The figures of a drill as words. */
export function toWords({ repeated, written, unknown, undone, resumedMs, finishedMs }: CheckedRun): string {
  return `${repeated} requests made again, ${written} lines written, ${unknown} writes reported as unknown (${undone} of them not done), resumed after ${resumedMs ?? '–'} ms, finished after ${finishedMs} ms`;
}

export function statusesOf({ result }: CheckedRun, except: readonly string[] = []): string[] {
  return [...new Set(result.subagents.filter(({ id }) => !except.includes(id)).map(({ status }) => status))];
}
