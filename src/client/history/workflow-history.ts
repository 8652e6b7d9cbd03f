/** Reads the history of one workflow id, over all the executions that it continued as, and was started again as. Each fact is yielded once. */
import type { Client } from '@temporalio/client';
import type { HistoryFact } from '../../contract/history-fact.ts';
import { callService, isNotFound } from '../call-service.ts';
import type { HistoryEvent } from './event-parts.ts';
import { createFactDecoder, type FactDecoder } from './to-history-fact.ts';

/** Where a fact stands: which execution of all (0 = the first), and its event id there. */
export type Position = readonly [chain: number, eventId: number];
export type LocatedFact = { readonly fact: HistoryFact; readonly position: Position };

/** The server ends a long poll by itself after 20 s; this is for a connection that has gone silent. */
const pollDeadlineMs = 45_000;

export type WorkflowHistory = {
  readonly subagentId: string | null;
  /** The facts that are there and have not been read yet. Does not wait. */
  readAvailable(signal?: AbortSignal): Promise<LocatedFact[]>;
  /** Waits for the next facts; may resolve with none. */
  poll(signal?: AbortSignal): Promise<LocatedFact[]>;
  /** Forgets where the server's pages stand, after an error; what was read stays read. */
  reconnect(): void;
  /** It was started again, as another attempt: that is read once the one before it has been. */
  goOnWith(firstRunId: string): void;
  /** The last execution has closed and everything of it was read; also when the server has it no more. */
  isDrained(): boolean;
  /** The server has deleted it, as it may a subagent's history before its run's. The facts of this attempt (absent = of the last) will not come any more. */
  isLost(attempt?: number): boolean;
  /** When it closed, by the server's clock; `null` before. */
  drainedAt(): string | null;
  /** The place of the last event that was read. */
  position(): Position;
  readonly notes: () => readonly string[];
};

export function comparePositions(a: Position, b: Position): number {
  return a[0] - b[0] || a[1] - b[1];
}

export function openWorkflowHistory(
  client: Client,
  workflow: {
    readonly runId: string;
    readonly subagentId: string | null;
    readonly workflowId: string;
    readonly firstRunId: string;
  },
): WorkflowHistory {
  const earlierNotes: string[] = [];
  let executionRunId = workflow.firstRunId;
  let chain = 0;
  let attempt = 1;
  /** First executions of attempts that are known of and not reached yet. */
  const further: string[] = [];
  const lost = new Set<number>();
  let lastEventId = 0;
  let pageToken: Uint8Array | null = null;
  let drainedAt: string | null = null;
  let decoder = openDecoder();

  function openDecoder(): FactDecoder {
    const { runId, subagentId } = workflow;
    return createFactDecoder({ converter: client.options.loadedDataConverter, runId, subagentId, attempt });
  }

  function moveTo(runId: string): void {
    earlierNotes.push(...decoder.notes);
    executionRunId = runId;
    chain += 1;
    lastEventId = 0;
    pageToken = null;
    drainedAt = null;
    decoder = openDecoder();
  }

  function tryNextAttempt(): boolean {
    const next = further.shift();
    if (next === undefined) return false;
    attempt += 1;
    moveTo(next);
    return true;
  }

  const isDrained = () => drainedAt !== null || lost.has(attempt);

  async function readPage(waitNewEvent: boolean, signal?: AbortSignal): Promise<LocatedFact[]> {
    try {
      return await fetchPage(waitNewEvent, signal);
    } catch (error) {
      if (workflow.subagentId === null || !isNotFound(error)) throw error;
      lost.add(attempt);
      pageToken = null;
      tryNextAttempt();
      return [];
    }
  }

  async function fetchPage(waitNewEvent: boolean, signal?: AbortSignal): Promise<LocatedFact[]> {
    const response = await callService(
      client,
      { signal, ...(waitNewEvent && { deadlineMs: pollDeadlineMs }) },
      (service) =>
        service.getWorkflowExecutionHistory({
          namespace: client.options.namespace,
          execution: { workflowId: workflow.workflowId, runId: executionRunId },
          waitNewEvent,
          ...(pageToken && { nextPageToken: pageToken }),
        }),
    );
    pageToken = response.nextPageToken?.length ? response.nextPageToken : null;
    const located: LocatedFact[] = [];
    for (const event of response.history?.events ?? []) {
      const one = await take(event);
      if (one) located.push(one);
    }
    return located;
  }

  async function take(event: HistoryEvent): Promise<LocatedFact | null> {
    const eventId = Number(event.eventId);
    if (eventId <= lastEventId) return null;
    const position: Position = [chain, eventId];
    lastEventId = eventId;
    const fact = await decoder.decode(event);
    if (fact?.kind === 'workflow-continued') {
      moveTo(fact.newRunId);
    } else if (fact && isClosing(fact)) {
      drainedAt = fact.at;
      tryNextAttempt();
    }
    return fact && { fact, position };
  }

  return {
    subagentId: workflow.subagentId,
    async readAvailable(signal) {
      const located: LocatedFact[] = [];
      pageToken = null;
      if (isDrained()) return located;
      let before: number;
      do {
        before = chain;
        located.push(...(await readPage(false, signal)));
      } while (pageToken !== null || before !== chain);
      return located;
    },
    async poll(signal) {
      while (!isDrained()) {
        const located = await readPage(true, signal);
        if (located.length > 0 || pageToken === null) return located;
      }
      return [];
    },
    reconnect() {
      pageToken = null;
    },
    goOnWith(firstRunId) {
      further.push(firstRunId);
      if (isDrained()) tryNextAttempt();
    },
    isDrained,
    isLost: (ofAttempt = attempt) => lost.has(ofAttempt),
    drainedAt: () => drainedAt,
    position: () => [chain, lastEventId],
    notes: () => [...earlierNotes, ...decoder.notes],
  };
}

/** The last fact of a workflow: nothing comes after it. */
export function isClosing(fact: HistoryFact): boolean {
  return closingKinds.has(fact.kind);
}

const closingKinds: ReadonlySet<HistoryFact['kind']> = new Set([
  'workflow-completed',
  'workflow-failed',
  'workflow-cancelled',
  'workflow-terminated',
  'workflow-timed-out',
]);
