/** How long to wait before a request is made again, where the provider asks for nothing longer (R4.5). */
const baseMs = 500;
const maxMs = 60_000;

/** After `made` requests: at least half a second, at most twice as much each time, anywhere in between. */
export function backoffMs(made: number): number {
  const most = Math.min(maxMs, baseMs * 2 ** made);
  return Math.round(baseMs + Math.random() * (most - baseMs));
}
