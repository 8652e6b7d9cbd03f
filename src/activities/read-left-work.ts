/** What a subagent that is tried again goes on from: read from its history, kept in the store. */
import type { ReadLeftWorkResult, ReadLeftWorkStep } from '../contract/left-work.ts';
import { runCancellable } from './cancellable.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { putJson, requireStore } from './transcript.ts';

export function createReadLeftWorkActivity(dependencies: ActivityDependencies) {
  return async function readLeftWorkActivity({ runId, id, storeId }: ReadLeftWorkStep): Promise<ReadLeftWorkResult> {
    return runCancellable(async ({ signal }) => {
      const { store } = dependencies;
      await requireStore(store, storeId);
      const { resume, delegated } = await dependencies.readLeftWork(runId, id, signal);
      return { resumeRef: resume && (await putJson(store, resume)), delegated };
    });
  };
}
