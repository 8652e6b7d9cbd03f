/** A history event, decoded: all that the projection may know of Temporal. Plain JSON. */

/** `subagentId: null` = the run's own workflow. Facts of one workflow arrive in the order of their event ids. */
export type HistoryFact = {
  readonly subagentId: string | null;
  /** Of a subagent that was tried again: which attempt it is; absent = the first. */
  readonly ofAttempt?: number;
  readonly eventId: number;
  /** ISO 8601, from the server's clock. */
  readonly at: string;
} & (
  | { readonly kind: 'workflow-started'; readonly input: unknown; readonly firstRunId: string }
  | { readonly kind: 'workflow-completed'; readonly result: unknown }
  | { readonly kind: 'workflow-failed'; readonly code: string; readonly message: string; readonly details: unknown }
  | {
      readonly kind: 'workflow-cancel-requested';
      readonly reason: string;
      /** `true`: asked for by the parent workflow, not from outside. */
      readonly byRun?: boolean;
    }
  | { readonly kind: 'workflow-cancelled' }
  | { readonly kind: 'workflow-terminated'; readonly reason: string }
  | { readonly kind: 'workflow-timed-out' }
  | { readonly kind: 'workflow-continued'; readonly newRunId: string }
  | { readonly kind: 'activity-scheduled'; readonly activityType: string; readonly input: unknown }
  | {
      readonly kind: 'activity-completed';
      readonly scheduledEventId: number;
      readonly attempt: number;
      readonly result: unknown;
    }
  | {
      readonly kind: 'activity-failed';
      readonly scheduledEventId: number;
      readonly how: 'failed' | 'timed-out' | 'cancelled';
      readonly attempt: number;
      readonly code: string;
      readonly message: string;
      readonly details: unknown;
    }
  | {
      readonly kind: 'child-started';
      readonly childId: string;
      readonly workflowRunId: string;
      readonly input: unknown;
    }
  | { readonly kind: 'child-completed'; readonly childId: string; readonly result: unknown }
  | {
      readonly kind: 'child-failed';
      readonly childId: string;
      readonly how: 'failed' | 'timed-out' | 'cancelled' | 'terminated' | 'start-failed';
      readonly message: string;
      readonly details: unknown;
    }
  | { readonly kind: 'signalled'; readonly signal: string; readonly input: unknown }
  /** An update was accepted: its handlers are synchronous, so it has been done. */
  | { readonly kind: 'updated'; readonly update: string; readonly input: unknown }
  | { readonly kind: 'memo'; readonly memo: unknown }
);

/** What only a describe call knows of an open activity. Shown, never counted, never part of a cursor. */
export type LiveActivity = {
  readonly subagentId: string | null;
  readonly activityType: string;
  readonly state: 'scheduled' | 'started' | 'cancel-requested';
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly nextAttemptInMs: number | null;
  readonly lastFailure: string | null;
};
