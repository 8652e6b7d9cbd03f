/** All that the histories of one run refer to, and since when its open activities may have stored what no history names yet. */
import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import { toSubagentWorkflowId } from '../../contract/ids.ts';
import type { ClientContext } from '../client-context.ts';
import { describeWorkflow } from '../execution.ts';
import { openRunReading } from '../history/run-reading.ts';
import { isNotFound } from '../call-service.ts';
import { findRefs, type FoundRef } from './find-refs.ts';

export type RunRefs = {
  readonly refs: readonly FoundRef[];
  /** Workflow ids of the run and of all below it. */
  readonly workflowIds: readonly string[];
  readonly openSubagents: readonly string[];
  /** The store that it said it uses; `null` where it has not said so. */
  readonly storeId: string | null;
  /** The run whose work it is about to take over, and has not yet. */
  readonly takesOver: string | null;
  /** When the oldest of its open activities was scheduled; `null` where none is open. */
  readonly pendingSinceMs: number | null;
};

/** `null` where the server has no history of it any more. */
export async function readRunRefs(
  context: ClientContext,
  run: { readonly runId: string; readonly firstRunId: string },
  signal?: AbortSignal,
): Promise<RunRefs | null> {
  const { runId, firstRunId } = run;
  const reading = openRunReading(context, runId, firstRunId);
  const isThere = await reading.readAvailable({ signal }).then(keepFacts, (error: unknown) => {
    if (isNotFound(error)) return null;
    throw error;
  });
  if (!isThere) return null;
  const openSubagents = [...reading.subagents].filter(([, each]) => !each.isDrained()).map(([id]) => id);
  const isOpen = !reading.run.isDrained();
  const open = [...(isOpen ? [runId] : []), ...openSubagents.map((id) => toSubagentWorkflowId(runId, id))];
  const pending = await Promise.all(open.map((workflowId) => readPending(context, workflowId, signal)));
  // What was done between the first reading and the look at what is open has its end in the history by now.
  const facts = [...isThere, ...(open.length > 0 ? keepFacts(await reading.readAvailable({ signal })) : [])];
  const scheduled = pending.flat();
  return {
    refs: findRefs(facts),
    workflowIds: [runId, ...[...reading.subagents.keys()].map((id) => toSubagentWorkflowId(runId, id))],
    openSubagents,
    storeId: findStoreId(facts),
    takesOver: isOpen ? findTakeOver(facts) : null,
    pendingSinceMs: scheduled.length === 0 ? null : Math.min(...scheduled),
  };
}

type Facts = Awaited<ReturnType<ReturnType<typeof openRunReading>['readAvailable']>>;
type Fact = Facts[number]['fact'];

function keepFacts(located: Facts): Fact[] {
  return located.map(({ fact }) => fact);
}

async function readPending(context: ClientContext, workflowId: string, signal?: AbortSignal): Promise<number[]> {
  const described = await describeWorkflow(context.client, workflowId, signal);
  return (described?.pendingActivities ?? []).flatMap(({ scheduledTime, lastStartedTime }) => {
    const times = [scheduledTime, lastStartedTime].flatMap((time) => optionalTsToDate(time)?.getTime() ?? []);
    return times.length === 0 ? [] : [Math.min(...times)];
  });
}

function findStoreId(facts: readonly Fact[]): string | null {
  for (const fact of facts) {
    if (fact.kind !== 'activity-completed' || fact.subagentId !== null) continue;
    const { storeId } = (fact.result ?? {}) as { readonly storeId?: unknown };
    if (typeof storeId === 'string') return storeId;
  }
  return null;
}

/** Its request names the run; once the adoption has been recorded, what it took is among its own references. */
function findTakeOver(facts: readonly Fact[]): string | null {
  const started = facts.find((fact) => fact.kind === 'workflow-started' && fact.subagentId === null);
  const input = (started as { readonly input?: unknown } | undefined)?.input;
  const runId = (input as { readonly origin?: { readonly runId?: unknown } } | null)?.origin?.runId;
  if (typeof runId !== 'string') return null;
  const adoptions = new Set(
    facts.flatMap((fact) =>
      fact.kind === 'activity-scheduled' && fact.subagentId === null && fact.activityType === 'adoptRunActivity'
        ? [fact.eventId]
        : [],
    ),
  );
  const isDone = facts.some(
    (fact) => fact.kind === 'activity-completed' && fact.subagentId === null && adoptions.has(fact.scheduledEventId),
  );
  return isDone ? null : runId;
}
