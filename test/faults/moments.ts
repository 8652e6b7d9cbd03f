/** Moments in the life of a run at which a drill strikes, one for each class of events, found by watching. */
import { activitiesOf, eventsOf } from '../support/read-history.ts';
import { openIn, type FaultRun } from './fault-run.ts';
import { waitFor } from './wait-for.ts';

/** Numbers below `below` that look random and are the same for the same seed. */
export function createDice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    // The generator "mulberry32": neighbouring seeds have nothing in common.
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

type Event = ReturnType<typeof eventsOf>[number];
/** Whether the moment has come; `pick` is the subagent, and `nth` the occurrence, that chance has chosen. */
export type Moment = (run: FaultRun, pick: string, nth: number) => Promise<boolean>;

const inRun =
  (most: number, isOne: (event: Event) => unknown): Moment =>
  async (run, _, nth) =>
    eventsOf(await run.history()).filter(isOne).length > nth % most;

const inSubagent =
  (type: string, isOver: boolean, nthOf: number): Moment =>
  async (run, pick, nth) => {
    const found = await run.history(pick).then(
      (history) => activitiesOf(history, type),
      () => [], // it has not started
    );
    return found.filter(({ end }) => !isOver || end === 'completed').length > nth % nthOf;
  };

export const moments = {
  'workflow task started': inRun(6, (event) => event.workflowTaskStartedEventAttributes),
  'workflow task completed': inRun(6, (event) => event.workflowTaskCompletedEventAttributes),
  'child initiated': inRun(20, (event) => event.startChildWorkflowExecutionInitiatedEventAttributes),
  'child started': inRun(20, (event) => event.childWorkflowExecutionStartedEventAttributes),
  'child completed': inRun(18, (event) => event.childWorkflowExecutionCompletedEventAttributes),
  'model call scheduled': inSubagent('callModelActivity', false, 3),
  'model call in flight': async (run, pick, nth) =>
    openIn(await run.modelRecord()).includes(`${pick} turn ${(nth % 3) + 1}`),
  'model call completed': inSubagent('callModelActivity', true, 3),
  'read in flight': async (run, pick) => openIn(await run.toolRecord()).includes(`look ${pick}`),
  'write in flight': async (run, pick) => openIn(await run.toolRecord()).includes(`append_line ${pick}`),
  'write completed': async (run, pick) =>
    (await run.toolRecord()).some(({ answered }) => answered === `append_line ${pick}`),
  'synthesis in flight': async (run) => openIn(await run.modelRecord()).includes('synthesis'),
  update: inRun(1, (event) => event.workflowExecutionUpdateAcceptedEventAttributes),
  signal: inRun(1, (event) => event.workflowExecutionSignaledEventAttributes),
} as const satisfies Record<string, Moment>;
export type MomentName = keyof typeof moments;
export const momentNames = Object.keys(moments) as MomentName[];

/** Waits for the moment, and a random while longer. Says where it ended up. */
export async function strikeAt(
  name: MomentName,
  run: FaultRun,
  pick: string,
  dice: (below: number) => number,
): Promise<string> {
  const nth = dice(60);
  await waitFor(`"${name}" of ${pick}`, () => moments[name](run, pick, nth));
  const offsetMs = dice(120);
  await new Promise((resolve) => setTimeout(resolve, offsetMs));
  return `${pick}, +${offsetMs} ms`;
}
