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

export function serveRun(plan: RunPlan): (request: ProviderRequest) => Answer {
  return ({ asked }) => {
    if (asked.system.startsWith('You plan')) {
      return { text: JSON.stringify({ subtasks: plan.goals.map((goal) => ({ goal })) }) };
    }
    if (asked.system.startsWith('You write')) {
      const ids = [...asked.user.join('\n').matchAll(/\[(s\d+\.\d+)\]/g)].map(([, id]) => id);
      return { text: `The answer.\n\n## Found\n\n${ids.map((id) => `A thing was found [${id}].`).join(' ')}` };
    }
    const goal = plan.goals.find((each) => asked.user.join('\n').includes(each)) ?? '';
    if (asked.turns < plan.turns && asked.mayCall) {
      return { text: `Turn ${asked.turns + 1}.`, signed: true, calls: plan.calls(goal, asked.turns + 1) };
    }
    return { signed: true, text: JSON.stringify(findings(asked.results)) };
  };
}

/** Claims that quote what really stands in the results. */
function findings(results: readonly string[]) {
  const read = results.map(fromReading).filter((reading) => reading !== null);
  const claims = read.slice(0, 2).map(({ sourceId, body }) => {
    const quote = body.replace(/^#.*$/gm, '').trim().split('\n')[0]!.slice(0, 120);
    return { text: `It says: ${quote}`, sourceId, quote };
  });
  return { summary: `${read.length} passages were read.`, claims, tried: ['the documents'], failed: [] };
}
