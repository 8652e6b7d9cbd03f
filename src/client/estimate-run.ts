/** Says what a run may use, before it is started. Nothing is started, and nothing is spent. */
import type { Estimate } from '../contract/estimate.ts';
import type { RatesOf } from '../contract/price.ts';
import type { ResearchRequest } from '../contract/request.ts';
import { estimateRun as estimate, type PastRun } from '../domain/estimate.ts';
import type { StartInput, StartOptions } from './research-api.ts';
import { toRequest } from './to-request.ts';

export type EstimateSources = {
  readonly ratesOf: RatesOf;
  /** Finished runs whose subagents had this model; none = the estimate is made from bounds. */
  readPastRuns(model: string): Promise<readonly PastRun[]>;
};

/** Rejects with `INVALID_REQUEST`, as `startRun` would. */
export async function estimateRun(
  sources: EstimateSources,
  input: StartInput,
  options: StartOptions = {},
): Promise<Estimate> {
  const request = toRequest(input, options);
  const rateOf = async (role: keyof ResearchRequest['models']) => {
    const model = request.models[role];
    return sources.ratesOf({ model, price: request.prices[model] });
  };
  const rates = {
    ...(!request.subtasks && { planner: await rateOf('planner') }),
    subagent: await rateOf('subagent'),
    synthesis: await rateOf('synthesis'),
  };
  return estimate(request, rates, await sources.readPastRuns(request.models.subagent));
}
