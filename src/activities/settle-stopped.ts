/** What subagents used that closed without saying so: read from their own histories. */
import type { SettleStoppedStep, StoppedUsage } from '../contract/stopped-usage.ts';
import { runCancellable } from './cancellable.ts';
import type { ActivityDependencies } from './dependencies.ts';

export function createSettleStoppedActivity(dependencies: ActivityDependencies) {
  return async function settleStoppedActivity(step: SettleStoppedStep): Promise<StoppedUsage[]> {
    return runCancellable(() =>
      Promise.all(step.subagentIds.map((id) => dependencies.readStoppedUsage(step.runId, id))),
    );
  };
}
