/** The state of one watcher: the fold, how far it was told, and the live texts that are shown beside it. */
import { defaults } from '../../contract/defaults.ts';
import type { RunDescription, RunEvent } from '../../contract/run-view.ts';
import { toRunDescription } from '../../domain/projection/describe-run.ts';
import { foldFact } from '../../domain/projection/fold-fact.ts';
import { withLive } from '../../domain/projection/live-text.ts';
import { openRunView, type RunView, subagentOf } from '../../domain/projection/run-state.ts';
import { type Cursor, encodeCursor } from './cursor.ts';
import type { RunReading } from '../history/run-reading.ts';
import { isClosing, type LocatedFact, type Position } from '../history/workflow-history.ts';

/** By subagent. */
export type LiveTexts = Readonly<Record<string, string>>;
type Bare<Event> = Event extends RunEvent ? Omit<Event, 'cursor' | 'at' | 'runId'> : never;

export type RunWatcher = {
  view(): RunView;
  foldSilently(located: readonly LocatedFact[]): void;
  /** `skip` = events of the first fact that were told before. */
  fold(located: readonly LocatedFact[], skip?: number): Generator<RunEvent>;
  /** Shows these texts from now on; the events are for those that changed. */
  setLive(texts: LiveTexts): RunEvent[];
  description(): RunDescription;
  snapshot(): RunEvent;
  /** An event that no fact stands behind. */
  event(body: Bare<RunEvent>, isEnd?: boolean): RunEvent;
};

export function createRunWatcher(reading: RunReading): RunWatcher {
  const { runId, firstRunId } = reading;
  let view = openRunView(runId, defaults);
  let told: Position = [0, 0];
  let live: LiveTexts = {};
  const openPositions = new Map<string, Position>();
  const drained = new Set<string>();

  const cursor = (extra: Partial<Pick<Cursor, 'partial' | 'isEnd'>> = {}) =>
    encodeCursor({ firstRunId, run: told, drained, open: openPositions, isEnd: false, ...extra });
  const event = (body: Bare<RunEvent>, isEnd = false) =>
    ({ cursor: cursor({ isEnd }), at: view.lastEventAt, runId, ...body }) as RunEvent;

  function advanceCursor({ fact, position }: LocatedFact): void {
    const id = fact.subagentId;
    if (id === null) told = position;
    else if (isClosing(fact) && (fact.ofAttempt ?? 1) === 1) {
      openPositions.delete(id);
      drained.add(id);
    } else {
      openPositions.set(id, position);
      drained.delete(id);
    }
  }

  const description = () =>
    withLive(toRunDescription(view, { cursor: cursor(), workflowId: runId, atIso: new Date().toISOString() }), live);

  function setLive(texts: LiveTexts): RunEvent[] {
    const ids = [...new Set([...Object.keys(live), ...Object.keys(texts)])].filter((id) => live[id] !== texts[id]);
    live = texts;
    return ids.map((id) => event({ type: 'subagent-live', subagentId: id, live: texts[id] ?? null }));
  }

  return {
    view: () => view,
    foldSilently(located) {
      for (const each of located) {
        view = foldFact(view, each.fact).view;
        advanceCursor(each);
      }
    },
    *fold(located, skip = 0) {
      for (const [place, each] of located.entries()) {
        const folded = foldFact(view, each.fact);
        const { subagentId } = each.fact;
        const count = folded.events.length;
        const earlier = place === 0 ? Math.min(skip, count) : 0;
        // Only the last event of a fact moves the cursor past it, so that none is lost between two of them.
        const before = folded.events
          .slice(0, -1)
          .map((_, index) => cursor({ partial: { subagentId, told: index + 1 } }));
        view = folded.view;
        advanceCursor(each);
        for (let index = earlier; index < count; index += 1) {
          yield { ...folded.events[index]!, cursor: before[index] ?? cursor() };
        }
      }
      // What was live of an activity is over when the activity has closed.
      const still = Object.entries(live).filter(([id]) => Object.keys(subagentOf(view, id)?.open ?? {}).length > 0);
      yield* setLive(Object.fromEntries(still));
    },
    setLive,
    description,
    snapshot: () => event({ type: 'snapshot', run: description() }),
    event,
  };
}
