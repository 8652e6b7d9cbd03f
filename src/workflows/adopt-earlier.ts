/** Takes over the work of the run that this one retries or reruns: what it has spent, its plan, and whatever has finished. */
import type { OpenRunResult } from '../contract/steps.ts';
import { toSpecification } from '../domain/adoption/specification.ts';
import { adoptRunActivity } from './activity-stubs.ts';
import type { RunState } from './run-state.ts';

/** Once, before anything of this run is spent. */
export async function adoptEarlier(run: RunState, opened: OpenRunResult): Promise<void> {
  const { request } = run;
  const { origin, runId, subtasks } = request;
  if (!origin) return;
  const tools = opened.tools.map(({ name }) => name);
  const adopted = await adoptRunActivity.executeWithOptions({ summary: `take over ${origin.runId}` }, [
    {
      runId,
      storeId: opened.storeId,
      origin,
      specification: toSpecification(request, { tools, promptVersion: opened.promptVersion ?? 1 }),
      ...(subtasks && { goals: subtasks.map(({ goal }) => goal) }),
    },
  ]);
  run.adopt(adopted);
}
