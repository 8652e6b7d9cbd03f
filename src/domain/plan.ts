/** Reads a planner's reply. Nothing in it is trusted: ids are ours, goals are cut, and every change is noted. */
import type { maxGoalChars as maxGoalCharsOfContract, Plan } from '../contract/plan.ts';
import { jsonInText } from './json-in-text.ts';
import { cleanText, cutText, formatCount } from './text.ts';

/** The domain imports no values of the contract; its type keeps the two numbers equal. */
const maxGoalChars: typeof maxGoalCharsOfContract = 4_000;
const listKeys = ['subtasks', 'tasks'] as const;
const goalKeys = ['goal', 'task', 'description', 'question'] as const;

export type PlanReading =
  | { readonly kind: 'plan'; readonly plan: Plan }
  /** `problem` is for the next attempt and for the report. */
  | { readonly kind: 'unreadable'; readonly problem: string };

/**
 * The plan in a reply: JSON, bare or fenced or with prose around, of `{"subtasks": […]}`, `{"tasks": […]}` or a bare array,
 * with an entry a text or an object with a `goal`. Goals without text and repeated goals are dropped, too long ones cut, and
 * those beyond `maxSubagents` left out, each with a note in the plan. Ids are `s1`, `s2`, … in the order of the plan.
 * Never throws.
 */
export function readPlan(text: string, maxSubagents: number): PlanReading {
  let problem = 'the reply holds no plan: wanted JSON such as {"subtasks": ["…"]}';
  for (const value of jsonInText(text)) {
    const entries = toEntries(value);
    if (entries === null) continue;
    const plan = toPlan(entries, Math.max(1, maxSubagents));
    if (plan) return { kind: 'plan', plan };
    problem = 'the plan has no subtasks';
  }
  return { kind: 'unreadable', problem };
}

/** The list of subtasks in a value; `null` where it holds none. `null` itself is a planner's way to say "nothing". */
function toEntries(value: unknown): readonly unknown[] | null {
  if (value === null) return [];
  if (Array.isArray(value)) {
    const entries: readonly unknown[] = value;
    return entries.length === 0 || entries.some((entry) => toGoal(entry) !== null) ? entries : null;
  }
  if (typeof value !== 'object') return null;
  for (const key of listKeys) {
    const list = (value as Record<string, unknown>)[key];
    if (Array.isArray(list)) return list as unknown[];
  }
  return null;
}

/** Goals with a text, each once, cut to the length of a goal; for subtasks that are no plan of a run. */
export function readGoals(goals: readonly string[]): string[] {
  return toDistinct(goals.map(toGoal).filter((goal) => goal !== null)).map((goal) => cutText(goal, maxGoalChars));
}

function toDistinct(goals: readonly string[]): string[] {
  return [...new Map(goals.map((goal) => [goal.replace(/\s+/g, ' '), goal])).values()];
}

function toPlan(entries: readonly unknown[], maxSubagents: number): Plan | null {
  const goals = entries.map(toGoal).filter((goal) => goal !== null);
  const distinct = toDistinct(goals);
  const kept = distinct.slice(0, maxSubagents);
  if (kept.length === 0) return null;

  const notes: string[] = [];
  const note = (count: number, one: string, many: string) => {
    if (count > 0) notes.push(count === 1 ? `plan: 1 ${one}` : `plan: ${formatCount(count)} ${many}`);
  };
  note(entries.length - goals.length, 'subtask without a goal was dropped', 'subtasks without a goal were dropped');
  note(goals.length - distinct.length, 'repeated subtask was dropped', 'repeated subtasks were dropped');
  note(
    distinct.length - kept.length,
    `of ${formatCount(distinct.length)} subtasks was left out (limit ${formatCount(maxSubagents)})`,
    `of ${formatCount(distinct.length)} subtasks were left out (limit ${formatCount(maxSubagents)})`,
  );
  const subtasks = kept.map((goal, index) => {
    const id = `s${index + 1}`;
    if (goal.length > maxGoalChars) {
      notes.push(`plan: the goal of ${id} was cut from ${formatCount(goal.length)} characters`);
    }
    return { id, goal: cutText(goal, maxGoalChars) };
  });
  return { subtasks, notes };
}

function toGoal(entry: unknown): string | null {
  if (typeof entry === 'string') return cleanText(entry).trim() || null;
  if (typeof entry !== 'object' || entry === null) return null;
  for (const key of goalKeys) {
    const goal = (entry as Record<string, unknown>)[key];
    if (typeof goal === 'string' && cleanText(goal).trim() !== '') return cleanText(goal).trim();
  }
  return null;
}
