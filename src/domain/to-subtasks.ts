import type { Subtask } from '../contract/plan.ts';

/** Subtasks with these goals, in their order: ids are ours, `s1`, `s2`, …. */
export function toSubtasks(goals: readonly string[]): Subtask[] {
  return goals.map((goal, index) => ({ id: `s${index + 1}`, goal }));
}
