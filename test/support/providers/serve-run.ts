/** Answers all the requests of a research run, by what they ask for. */
import { fromReading } from '../../../src/domain/corpus-reading.ts';
import type { Answer, Call } from './provider-api.ts';
import type { ProviderRequest } from './start-provider.ts';

export type RunPlan = {
  readonly goals: readonly string[];
  /** Turns with tool calls before the findings are handed back. */
  readonly turns: number;
  /** The calls of one turn, from 1. */
  readonly calls: (goal: string, turn: number) => readonly Call[];
};

/** A run whose subagents all do the same: `callsPerTurn` (3 where nothing is said) calls of one tool, turn after turn. */
export function planRun(run: {
  readonly subagents: number;
  readonly turns: number;
  readonly toolName: string;
  /** Of one call; `place` counts all calls of a subagent, from 0. */
  readonly toolArguments: (goal: string, place: number) => unknown;
  readonly callsPerTurn?: number;
}): RunPlan {
  const { turns, toolName: name, toolArguments, callsPerTurn = 3 } = run;
  return {
    goals: Array.from({ length: run.subagents }, (_, index) => `Find out part ${index + 1} of ${run.subagents}.`),
    turns,
    calls: (goal, turn) =>
      Array.from({ length: callsPerTurn }, (_, index) => ({
        name,
        arguments: toolArguments(goal, (turn - 1) * callsPerTurn + index),
      })),
  };
}

export function serveRun(plan: RunPlan): (request: ProviderRequest) => Answer {
  return ({ asked }) => {
    const said = asked.user.join('\n');
    if (asked.system.startsWith('You plan')) {
      return { text: JSON.stringify({ subtasks: plan.goals.map((goal) => ({ goal })) }) };
    }
    if (asked.system.startsWith('You write')) {
      const ids = [...new Set([...said.matchAll(/^\[(s\d+\.\d+)\]/gm)].map(([, id]) => id))];
      return { text: `The answer.\n\n## Found\n\n${ids.map((id) => `A thing was found [${id}].`).join(' ')}` };
    }
    const goal = plan.goals.find((each) => said.includes(each)) ?? '';
    if (asked.turns < plan.turns && asked.mayCall) {
      return { text: `Turn ${asked.turns + 1}.`, signed: true, calls: plan.calls(goal, asked.turns + 1) };
    }
    return { signed: true, text: JSON.stringify(findings(asked.results)) };
  };
}

/** Claims that quote what really stands in the results. */
function findings(results: readonly string[]) {
  const read = results.map(fromReading).filter((reading) => reading !== null);
  const claims = read.flatMap(({ sourceId, body }) => {
    const line = body.replace(/^#.*$/gm, '').trim().split('\n')[0]!;
    // By characters, so that no pair is cut in half.
    const quote = [...line].slice(0, 120).join('');
    return quote === '' ? [] : [{ text: `It says: ${quote}`, sourceId, quote }];
  });
  const tried = ['the documents'];
  return { summary: `${read.length} passages were read.`, claims: claims.slice(0, 2), tried, failed: [] };
}
