/** How a goal names a document or a section, so that a subagent knows it again. */

/** The name between double quotes; quotes inside it become single ones. */
export function nameInQuotes(name: string): string {
  return `"${name.replaceAll('"', "'")}"`;
}

/** Whether the goal names this document or section. */
export function namesInQuotes(goal: string, name: string): boolean {
  return name !== '' && goal.includes(nameInQuotes(name));
}
