/** Waits for a promise or for a signal, whichever is first. */

/** Rejects with the signal's reason once it has fired. The promise itself goes on, and its late rejection is swallowed. */
export async function raceSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  promise.catch(() => undefined);
  signal.throwIfAborted();
  let stopListening = () => {};
  const fired = new Promise<never>((_, reject) => {
    const listener = () => reject(signal.reason as Error);
    signal.addEventListener('abort', listener, { once: true });
    stopListening = () => signal.removeEventListener('abort', listener);
  });
  try {
    return await Promise.race([promise, fired]);
  } finally {
    stopListening();
  }
}
