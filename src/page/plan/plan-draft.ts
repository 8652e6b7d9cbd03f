/** A plan that is being edited, and the edits that make it of the plan that was proposed. */
import type { PlanEdit } from '../../contract/control.ts';

export type DraftItem = {
  /** Of the proposed subtask; `null` for a new one. */
  readonly id: string | null;
  readonly goal: string;
  /** For lists on the page. */
  readonly key: string;
};
type Proposed = { readonly id: string; readonly goal: string };

export function toDraft(proposed: readonly Proposed[]): readonly DraftItem[] {
  return proposed.map(({ id, goal }) => ({ id, goal, key: id }));
}

/**
 * In their order, as `approvePlan` applies them. Where the order was kept, every subtask keeps its id; where it was
 * changed, the ids keep their places and the goals move, since a plan has no edit that moves a subtask.
 */
export function toPlanEdits(proposed: readonly Proposed[], draft: readonly DraftItem[]): PlanEdit[] {
  const items = draft.map((item) => ({ ...item, goal: item.goal.trim() })).filter(({ goal }) => goal !== '');
  return isInOrder(proposed, items) ? keepIds(proposed, items) : movedGoals(proposed, items);
}

/** Kept subtasks in their order, and the new ones behind them. */
function isInOrder(proposed: readonly Proposed[], items: readonly DraftItem[]): boolean {
  const firstNew = items.findIndex(({ id }) => id === null);
  if (firstNew >= 0 && items.slice(firstNew).some(({ id }) => id !== null)) return false;
  const places = items.filter(({ id }) => id !== null).map(({ id }) => proposed.findIndex((each) => each.id === id));
  return places.every((place, index) => index === 0 || place > places[index - 1]!);
}

function keepIds(proposed: readonly Proposed[], items: readonly DraftItem[]): PlanEdit[] {
  const edits: PlanEdit[] = [];
  // New ones first: a plan is never without a subtask on the way.
  for (const { id, goal } of items) if (id === null) edits.push({ op: 'add', goal });
  for (const { id, goal } of proposed) {
    const kept = items.find((item) => item.id === id);
    if (!kept) edits.push({ op: 'remove', id });
    else if (kept.goal !== goal) edits.push({ op: 'edit', id, goal: kept.goal });
  }
  return edits;
}

function movedGoals(proposed: readonly Proposed[], items: readonly DraftItem[]): PlanEdit[] {
  const edits: PlanEdit[] = [];
  for (const [index, { goal }] of items.entries()) {
    const place = proposed[index];
    if (!place) edits.push({ op: 'add', goal });
    else if (place.goal !== goal) edits.push({ op: 'edit', id: place.id, goal });
  }
  for (const { id } of proposed.slice(items.length)) edits.push({ op: 'remove', id });
  return edits;
}
