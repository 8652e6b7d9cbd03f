/** What the end of one of the run's own activities says: the plan, what was taken over, drafts, notes, and what it cost. */
import type { HistoryFact } from '../../contract/history-fact.ts';
import { chargeCall } from '../charge.ts';
import { hasNoticeNote, toNoticeNote } from '../notice-note.ts';
import { addUsage } from '../usage.ts';
import { foldAdopted } from './adopted-fold.ts';
import { foldStopped } from './child-fold.ts';
import { type OpenActivity, usageInFailure } from './open-activity.ts';
import { withGoals, withNewPlan, withNotes, withPlan } from './plan-fold.ts';
import { type PlainRecord, readBlobRef, readCount, readList, readText, readTexts, toRecord } from './read-payload.ts';
import type { RunView } from './run-state.ts';

export function foldClosedActivity(
  view: RunView,
  activity: OpenActivity,
  fact: Extract<HistoryFact, { kind: 'activity-completed' | 'activity-failed' }>,
): RunView {
  const result = fact.kind === 'activity-completed' ? toRecord(fact.result) : {};
  const usage = fact.kind === 'activity-completed' ? result.usage : usageInFailure(fact);
  switch (activity.activityType) {
    case 'openRunActivity':
      return withNotes(
        fact.kind === 'activity-completed' ? { ...view, opened: readOpened(result) } : view,
        readTexts(result, 'notes'),
      );
    case 'adoptRunActivity': {
      const adopted = foldAdopted(view, result, fact.at);
      if (!adopted) return view;
      const told = withNotes(adopted.view, readTexts(result, 'notes'));
      // What is taken over was carried out before; the caller's own subtasks may wait for a person.
      return adopted.plan ? withPlan(told, adopted.plan) : withGoals(told, view.request?.subtasks ?? []);
    }
    case 'planActivity': {
      const charged = { ...view, planner: addUsage(view.planner, chargeCall(usage, activity.held)) };
      const subtasks = readList(result.plan, 'subtasks').map((subtask) => ({
        id: readText(subtask, 'id'),
        goal: readText(subtask, 'goal'),
      }));
      return subtasks.length === 0
        ? charged
        : withNewPlan(withNotes(charged, readTexts(result.plan, 'notes')), subtasks);
    }
    case 'synthesizeActivity': {
      const charged = { ...view, synthesis: addUsage(view.synthesis, chargeCall(usage, activity.held)) };
      if (!activity.draft) return withNotes(charged, readTexts(result, 'notes'));
      const documentRef = readBlobRef(result, 'documentRef');
      return documentRef ? { ...charged, drafts: [...view.drafts, { ...activity.draft, documentRef }] } : charged;
    }
    case 'notifyActivity': {
      if (fact.kind === 'activity-completed' || hasNoticeNote(view.notes)) return view;
      return withNotes(view, [toNoticeNote(fact.how === 'failed' ? fact.message : null)]);
    }
    case 'settleStoppedActivity':
      return fact.kind === 'activity-completed' && Array.isArray(fact.result) ? foldStopped(view, fact.result) : view;
    default:
      return view;
  }
}

function readOpened(result: PlainRecord): RunView['opened'] {
  const tools = readList(result, 'tools').map((tool) => readText(tool, 'name'));
  return { storeId: readText(result, 'storeId'), tools, promptVersion: readCount(result, 'promptVersion') || 1 };
}
