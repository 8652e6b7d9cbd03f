/** The plan of a run in its fold, and the notes of what became of it. */
import { toSubtasks } from '../to-subtasks.ts';
import { readText } from './read-payload.ts';
import { changeSubagent, type RunView } from './run-state.ts';

/** A plan that people changed takes the place of the one before: nothing of that has started. */
export function withPlan(view: RunView, plan: NonNullable<RunView['plan']>): RunView {
  const ids = new Set(plan.map(({ id }) => id));
  const isReplaced = view.plan?.some(({ id }) => !ids.has(id)) === true;
  const before = isReplaced ? { ...view, subagents: [], positions: {}, below: {} } : view;
  return plan.reduce<RunView>((state, { id, goal }) => changeSubagent(state, id, (each) => ({ ...each, goal })), {
    ...before,
    plan,
  });
}

/** A new plan, which waits for a person where the run says so. */
export function withNewPlan(view: RunView, plan: NonNullable<RunView['plan']>): RunView {
  return withPlan({ ...view, isProposed: view.request?.plan === 'review' }, plan);
}

/** The caller's own subtasks as the plan; none = a planner makes one. */
export function withGoals(view: RunView, subtasks: readonly unknown[]): RunView {
  const plan = toSubtasks(subtasks.map((subtask) => readText(subtask, 'goal')));
  return plan.length === 0 ? view : withNewPlan(view, plan);
}

export function withNotes(view: RunView, notes: readonly string[]): RunView {
  return notes.length === 0 ? view : { ...view, notes: [...view.notes, ...notes] };
}
