/** Before anything is spent: the models can be used and paid, the corpus can be read, and which store and tools the run has. */
import type { BudgetCeiling } from '../contract/budget.ts';
import { defaults } from '../contract/defaults.ts';
import { TributaryError } from '../contract/failure.ts';
import type { Rates } from '../contract/price.ts';
import type { OpenRunResult, OpenRunStep } from '../contract/steps.ts';
import type { ToolTraits } from '../contract/tool.ts';
import { planBound } from '../domain/concurrency.ts';
import type { Tool } from '../tools/tool.ts';
import { findAboveCeiling } from '../domain/budget-ceiling.ts';
import { runCancellable } from './cancellable.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { promptVersion } from './prompts.ts';

const terms = { headroom: defaults.rateHeadroom, latencyMs: defaults.modelLatencyMs };

export function createOpenRunActivity(dependencies: ActivityDependencies) {
  return async function openRunActivity(step: OpenRunStep): Promise<OpenRunResult> {
    return runCancellable(async () => {
      const { ceiling } = dependencies;
      if (ceiling && step.budget) requireBelow(step.budget, ceiling);
      const rates: Record<string, Rates> = {};
      const queues: Record<string, string> = {};
      const bounds: NonNullable<OpenRunResult['bounds']> = {};
      for (const choice of step.models) {
        await dependencies.openModel(choice);
        const known = dependencies.ratesOf(choice);
        if (known) rates[choice.model] = known;
        else if (step.needsPrices) throw priceUnknown(choice.model);
        const { taskQueue, limit } = dependencies.trafficOf(choice);
        if (taskQueue !== null) queues[choice.model] = taskQueue;
        const bound = limit && planBound(limit, terms);
        if (bound) bounds[choice.model] = bound;
      }
      const toolbox = await dependencies.openToolbox({ corpus: step.corpus, web: step.web }, { refresh: true });
      return {
        storeId: await dependencies.store.id(),
        tools: offered(toolbox.tools, step.offeredTools),
        rates,
        notes: [...toolbox.notes],
        promptVersion,
        ...(dependencies.maxHistoryEvents !== undefined && { maxHistoryEvents: dependencies.maxHistoryEvents }),
        ...(ceiling && { ceiling }),
        ...(Object.keys(queues).length > 0 && { queues }),
        ...(Object.keys(bounds).length > 0 && { bounds }),
      };
    });
  };
}

function requireBelow(budget: BudgetCeiling, ceiling: BudgetCeiling): void {
  const problem = findAboveCeiling(budget, ceiling);
  if (problem !== null) throw new TributaryError('BUDGET_CEILING', problem);
}

function offered(tools: readonly Tool[], names: readonly string[] | undefined): ToolTraits[] {
  const known = tools.map(({ description }) => description.name);
  const missing = (names ?? []).filter((name) => !known.includes(name));
  if (missing.length > 0) {
    throw new TributaryError(
      'INVALID_REQUEST',
      `offeredTools: this run has no tool ${missing.join(', ')}; it has ${known.join(', ') || 'none'}. web_search needs a search service, the corpus tools a corpus`,
    );
  }
  return tools
    .map(({ description: { name, effect, session, idempotent, asksFirst } }) => ({
      name,
      effect,
      session,
      idempotent,
      ...(asksFirst === true && { asksFirst }),
    }))
    .filter(({ name }) => !names || names.includes(name));
}

/** A limit in USD on a model whose price nobody knows would be no limit. */
function priceUnknown(model: string): TributaryError {
  return new TributaryError(
    'MODEL_PRICE_UNKNOWN',
    `the price of ${model} is not known, so a budget in USD cannot be kept. Give its price in a file (--prices FILE: {"${model}": {"input": 1.25, "output": 10}} in USD per million tokens), or limit the run by --budget-tokens`,
  );
}
