/** Before anything is spent: the models exist, the corpus can be read, and which store and tools the run has. */
import type { OpenRunResult, OpenRunStep } from '../contract/steps.ts';
import { runCancellable } from './cancellable.ts';
import type { ActivityDependencies } from './dependencies.ts';

export function createOpenRunActivity(dependencies: ActivityDependencies) {
  return async function openRunActivity(step: OpenRunStep): Promise<OpenRunResult> {
    return runCancellable(async () => {
      for (const model of new Set(step.models)) await dependencies.openModel(model);
      const toolbox = await dependencies.openToolbox(step.corpus, { refresh: true });
      return {
        storeId: await dependencies.store.id(),
        tools: toolbox.tools.map(({ description: { name, effect, session, idempotent } }) => ({
          name,
          effect,
          session,
          idempotent,
        })),
        notes: [...toolbox.notes],
      };
    });
  };
}
