/**
 * One stream out of several histories, in an order that every watcher sees alike: a subagent's facts come after its
 * run's word that it started, and its run's word that it ended comes after all of them. Otherwise the server's clock decides.
 */
import { isClosing, type LocatedFact } from '../history/workflow-history.ts';

export type CausalOrder = {
  /** Takes facts, and gives those that may be told now. */
  add(located: readonly LocatedFact[]): LocatedFact[];
  /** These were told before. */
  skip(located: readonly LocatedFact[]): void;
  /** What is still held, when nothing more will come. */
  flush(): LocatedFact[];
};

/** `isLost` = the history of that attempt of the subagent is gone, so that its end will not come. */
export function createCausalOrder(isLost: (subagentId: string, attempt: number) => boolean): CausalOrder {
  const waiting = new Map<string | null, LocatedFact[]>();
  /** How many attempts of each subagent have been told to have started, and to have ended. */
  const started = new Map<string, number>();
  const ended = new Map<string, number>();
  const startsOf = (id: string) => started.get(id) ?? 0;

  function note({ fact }: LocatedFact): void {
    if (fact.kind === 'child-started') started.set(fact.childId, startsOf(fact.childId) + 1);
    if (fact.subagentId !== null && isClosing(fact)) ended.set(fact.subagentId, fact.ofAttempt ?? 1);
  }

  function mayBeTold({ fact }: LocatedFact): boolean {
    if (fact.subagentId !== null && startsOf(fact.subagentId) < (fact.ofAttempt ?? 1)) return false;
    const endsChild = fact.kind === 'child-completed' || fact.kind === 'child-failed';
    if (!endsChild) return true;
    const attempt = startsOf(fact.childId);
    return attempt === 0 || (ended.get(fact.childId) ?? 0) >= attempt || isLost(fact.childId, attempt);
  }

  function takeNext(isFree: (located: LocatedFact) => boolean): LocatedFact | null {
    let next: LocatedFact[] | null = null;
    for (const queue of waiting.values()) {
      const head = queue[0];
      if (head && isFree(head) && (!next || head.fact.at < next[0]!.fact.at)) next = queue;
    }
    const taken = next?.shift() ?? null;
    if (taken) note(taken);
    return taken;
  }

  function takeAll(isFree: (located: LocatedFact) => boolean): LocatedFact[] {
    const told: LocatedFact[] = [];
    for (let next = takeNext(isFree); next; next = takeNext(isFree)) told.push(next);
    for (const [id, queue] of waiting) if (queue.length === 0) waiting.delete(id);
    return told;
  }

  return {
    add(located) {
      for (const each of located) {
        const queue = waiting.get(each.fact.subagentId);
        if (queue) queue.push(each);
        else waiting.set(each.fact.subagentId, [each]);
      }
      return takeAll(mayBeTold);
    },
    skip: (located) => located.forEach(note),
    flush: () => takeAll(() => true),
  };
}
