/** Asks until the answer is neither false nor nothing; what never comes is named. */
export async function waitFor<T>(
  what: string,
  ask: () => Promise<T | false | null | undefined>,
  limitMs = 60_000,
): Promise<T> {
  const until = performance.now() + limitMs;
  while (performance.now() < until) {
    const answer = await ask();
    if (answer !== false && answer !== null && answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`waited ${limitMs} ms for ${what}`);
}
