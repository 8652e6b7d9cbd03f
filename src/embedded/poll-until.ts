/** Asks a question again and again until it is answered with yes or the time is up. */
import { setTimeout as delay } from 'node:timers/promises';

/** `false` = `timeoutMs` passed. The first question is asked at once, and always. */
export async function pollUntil(
  condition: () => Promise<boolean>,
  timeoutMs: number,
  intervalMs = 50,
): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    if (await condition()) return true;
    if (performance.now() >= end) return false;
    await delay(intervalMs);
  }
}
