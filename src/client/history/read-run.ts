/** Reads a run from its histories, as it is now. */
import { defaults } from '../../contract/defaults.ts';
import { foldFact } from '../../domain/projection/fold-fact.ts';
import { openRunView, type RunView } from '../../domain/projection/run-state.ts';
import type { ClientContext } from '../client-context.ts';
import { openRunReading } from './run-reading.ts';
import type { LocatedFact } from './workflow-history.ts';

/**
 * The fold of the run. A run that recorded its own result needs no other history; with `runOnly` the subagents'
 * histories are left unread in any case, and their spending is unknown.
 */
export async function readRun(
  context: ClientContext,
  execution: { readonly workflowId: string; readonly firstRunId: string },
  options: { readonly signal?: AbortSignal; readonly runOnly?: boolean } = {},
): Promise<RunView> {
  const { signal, runOnly = false } = options;
  const reading = openRunReading(context, execution.workflowId, execution.firstRunId);
  const view = foldAll(
    openRunView(execution.workflowId, defaults),
    await reading.readAvailable({ signal, runOnly: true }),
  );
  if (runOnly || view.recorded) return view;
  return foldAll(view, await reading.readAvailable({ signal }));
}

/** The view after all of these. */
export function foldAll(view: RunView, located: readonly LocatedFact[]): RunView {
  return located.reduce((state, { fact }) => foldFact(state, fact).view, view);
}
