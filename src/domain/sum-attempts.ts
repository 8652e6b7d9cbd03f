/** What the attempts of one subagent come to: the last one's answer, and what all of them cost. */
import type { SubagentOutcome } from '../contract/outcome.ts';
import { addUsage } from './usage.ts';

export type Attempt = {
  readonly outcome: SubagentOutcome;
  /** It went on where the one before it had stood; then its turns count from there. */
  readonly isTakenUp: boolean;
};

/** Oldest first; at least one. */
export function sumAttempts(attempts: readonly Attempt[]): SubagentOutcome {
  const outcomes = attempts.map(({ outcome }) => outcome);
  const sum = (count: (outcome: SubagentOutcome) => number) => outcomes.reduce((all, each) => all + count(each), 0);
  return {
    ...outcomes.at(-1)!,
    usage: outcomes.map(({ usage }) => usage).reduce(addUsage),
    turns: sumTurns(attempts.map(({ outcome, isTakenUp }) => ({ turns: outcome.turns, isTakenUp }))),
    toolCalls: sum(({ toolCalls }) => toolCalls),
    toolCallMessages: sum(({ toolCallMessages }) => toolCallMessages),
  };
}

/** No turn is counted twice, though an attempt that goes on from another one counts that one's turns too. */
export function sumTurns(attempts: readonly { readonly turns: number; readonly isTakenUp: boolean }[]): number {
  let total = 0;
  let before = 0;
  for (const { turns, isTakenUp } of attempts) {
    total = isTakenUp ? Math.max(total, total - before + turns) : total + turns;
    before = turns;
  }
  return total;
}
