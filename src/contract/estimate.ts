/** What a run may use, as far as that can be said before it is started. */

/** From what little work takes to what much work takes; both ends count. */
export type Range = { readonly low: number; readonly high: number };

export type Estimate = {
  readonly subagents: Range;
  readonly tokens: Range;
  /** `null` where the price of a model is not known. */
  readonly usd: Range | null;
  readonly toolCalls: Range;
  /** Of the whole run; `null` where no run has shown it. */
  readonly wallClockMs: Range | null;
  /** What the figures rest on: what the request allows, or this many finished runs of the model of its subagents. */
  readonly basis: { readonly kind: 'bounds' } | { readonly kind: 'past-runs'; readonly runs: number };
};
