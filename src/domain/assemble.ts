/** A report body made from the findings alone, for when no model can write one: finished work is never thrown away. */
import type { SynthesisInput } from '../contract/model.ts';

/** Sections in plan order, one line per claim with its marker. */
export function assembleBody(inputs: readonly SynthesisInput[]): string {
  return inputs.map(toSection).join('\n\n');
}

function toSection(input: SynthesisInput): string {
  const head = `## ${input.goal.replace(/\s+/g, ' ')}`;
  if (!input.report)
    return `${head}\n\nNot answered: this subtask ended as ${input.status}${input.reason ? ` (${input.reason})` : ''}.`;
  const claims = input.report.claims.map((claim, index) => `- ${claim.text} [${input.claimIds[index]!}]`);
  return [head, input.report.summary, claims.join('\n')].filter((part) => part.trim() !== '').join('\n\n');
}
