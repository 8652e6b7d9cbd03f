/** A person's edits of a plan that waits for approval. Ids that are left keep their subtasks; a new one gets a new id. */
import type { PlanEdit } from '../contract/control.ts';
import type { Subtask } from '../contract/plan.ts';

export type PlanEditing =
  | { readonly kind: 'edited'; readonly subtasks: readonly Subtask[] }
  /** `problem` names the edit, what was wanted and what came. */
  | { readonly kind: 'refused'; readonly problem: string };

/** Applies `edits` in their order: all of them or none. A plan without a subtask, or with more than `maxSubagents`, is refused. */
export function editPlan(plan: readonly Subtask[], edits: readonly PlanEdit[], maxSubagents: number): PlanEditing {
  let subtasks = [...plan];
  // An id that a person has read stands for one subtask: it is not given again.
  let last = Math.max(0, ...plan.map(({ id }) => Number(id.slice(1))));
  for (const [index, edit] of edits.entries()) {
    const id = edit.op === 'add' ? edit.after : edit.id;
    const at = id === undefined ? subtasks.length - 1 : subtasks.findIndex((each) => each.id === id);
    if (id !== undefined && at < 0) {
      const have = subtasks.map((each) => each.id).join(', ') || 'none';
      return { kind: 'refused', problem: `edits.${index}: the plan has no subtask ${id}; it has ${have}` };
    }
    switch (edit.op) {
      case 'add':
        last += 1;
        subtasks = subtasks.toSpliced(at + 1, 0, { id: `s${last}`, goal: edit.goal });
        break;
      case 'edit':
        subtasks = subtasks.with(at, { id: edit.id, goal: edit.goal });
        break;
      case 'remove':
        subtasks = subtasks.toSpliced(at, 1);
        break;
      default:
        edit satisfies never;
    }
  }
  if (subtasks.length === 0) return { kind: 'refused', problem: 'edits: a plan needs at least one subtask' };
  if (subtasks.length > maxSubagents) {
    const problem = `edits: the plan would have ${subtasks.length} subtasks; this run takes at most ${maxSubagents}`;
    return { kind: 'refused', problem };
  }
  return { kind: 'edited', subtasks };
}
