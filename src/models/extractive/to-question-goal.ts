/** The goal of the subagent that answers the question itself. */
import { maxGoalChars } from '../../contract/plan.ts';
import { sliceText } from '../../domain/text.ts';

/** The question on one line, as long as a goal may be: by this the planner writes it and the others know it again. */
export function toQuestionGoal(question: string): string {
  return sliceText(question.replace(/\s+/g, ' ').trim(), maxGoalChars);
}
