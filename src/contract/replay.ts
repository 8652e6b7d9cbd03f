/** Recorded histories as files hold them, and what the workflow code of today does with them. */

/** As Temporal's own tools write it: protobuf JSON, payloads as they were recorded. */
export type HistoryJson = { readonly events: readonly HistoryEventJson[] };
export type HistoryEventJson = {
  readonly eventId: string;
  /** `EVENT_TYPE_TIMER_STARTED`; older tools write `TimerStarted`. */
  readonly eventType: string;
  readonly [attributes: string]: unknown;
};

/** One workflow of a run: the run itself, or a subagent. */
export type RecordedWorkflow = {
  readonly workflowId: string;
  /** More than one where it was continued as new or started again: in the order of their starts. */
  readonly histories: readonly HistoryJson[];
  /** Histories that the server has no more. */
  readonly gone: number;
};

/** The first event of a history that the code does not follow. */
export type Divergence = {
  readonly eventId: number;
  /** Such as `ActivityTaskScheduled`. */
  readonly eventType: string;
  /** `wants-other`: it asked for something else here. `fails`: it threw. `undecodable`: a payload could not be read. `no-end`: it did not answer. */
  readonly kind: 'wants-other' | 'fails' | 'undecodable' | 'no-end';
  /** What the history has there, such as `activity planActivity`; `null` where the event's type says it all. */
  readonly recorded: string | null;
  /** What the code wanted instead, such as `activity openRunActivity` or `nothing`; `null` where only `message` tells. */
  readonly wanted: string | null;
  /** In Temporal's words. */
  readonly message: string;
};

export type ReplayedHistory = {
  readonly workflowId: string;
  /** Of the execution; `null` where the history does not name it. */
  readonly runId: string | null;
  readonly events: number;
  readonly ok: boolean;
  readonly divergence?: Divergence;
};
