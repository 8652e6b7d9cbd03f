/** Gathers items and hands them over once a frame: a burst of events is one change of the page. */
export type FrameBatch<T> = { readonly push: (item: T) => void; readonly stop: () => void };

/** A hidden page draws no frames; there it hands over a few times a second. */
const hiddenMs = 250;

export function createFrameBatch<T>(take: (items: readonly T[]) => void): FrameBatch<T> {
  let items: T[] = [];
  let cancel: (() => void) | null = null;
  const flush = () => {
    cancel = null;
    const batch = items;
    items = [];
    take(batch);
  };
  const schedule = () => {
    if (document.hidden) {
      const timer = setTimeout(flush, hiddenMs);
      return () => clearTimeout(timer);
    }
    const frame = requestAnimationFrame(flush);
    return () => cancelAnimationFrame(frame);
  };
  // A frame that was asked for before the page was hidden may never come.
  const onVisibility = () => {
    if (!cancel) return;
    cancel();
    cancel = schedule();
  };
  document.addEventListener('visibilitychange', onVisibility);
  return {
    push(item) {
      items.push(item);
      cancel ??= schedule();
    },
    stop() {
      cancel?.();
      document.removeEventListener('visibilitychange', onVisibility);
    },
  };
}
