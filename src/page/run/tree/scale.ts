/** The part of a run's time that the timeline shows; zoomed in, it is the end of it. */
export type Scale = { readonly fromMs: number; readonly toMs: number };

export const zooms = [1, 2, 4, 8, 16] as const;

export function toScale(startMs: number, endMs: number, zoom: number): Scale {
  const spanMs = Math.max(1_000, endMs - startMs);
  return { fromMs: startMs + spanMs - spanMs / zoom, toMs: startMs + spanMs };
}

/** Where a time lies, from 0 to 1. */
export function placeOf(ms: number, { fromMs, toMs }: Scale): number {
  return Math.min(1, Math.max(0, (ms - fromMs) / (toMs - fromMs)));
}
