/** What a subagent that has ended left to go on with, from its own history. */
import type { HistoryFact } from '../../contract/history-fact.ts';
import type { LeftWork } from '../../contract/left-work.ts';
import { readBlobRef } from './read-payload.ts';
import { foldBelow, resumeOf } from './resume-point.ts';
import { foldSubagentFact } from './subagent-fold.ts';
import { openSubagent, type SubagentFold } from './subagent-state.ts';

/** `facts` are those of its last attempt, in the order of their events. */
export function leftWorkOf(id: string, facts: readonly HistoryFact[]): LeftWork {
  const subagent = facts.reduce<SubagentFold>(
    (before, fact) => {
      const after = foldSubagentFact(before, fact);
      if (fact.kind !== 'child-completed') return after;
      return { ...after, resumePoint: foldBelow(after.resumePoint, readBlobRef(fact.result, 'reportRef')) };
    },
    openSubagent(id, ''),
  );
  const ordinals = facts.flatMap((fact) =>
    fact.kind === 'child-started' ? [Number(fact.childId.slice(fact.childId.lastIndexOf('.') + 1))] : [],
  );
  return { resume: resumeOf(subagent.resumePoint), delegated: Math.max(subagent.delegatedBefore, ...ordinals) };
}
