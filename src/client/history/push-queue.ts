/** A queue between callbacks and one `for await`: what is pushed comes out in order; `end` and `fail` come after it. */
export type PushQueue<T> = AsyncIterable<T> & {
  push(item: T): void;
  end(): void;
  /** The first failure or end decides; later ones are ignored. */
  fail(error: unknown): void;
};

export function createPushQueue<T>(): PushQueue<T> {
  const items: T[] = [];
  let last: { readonly error?: unknown } | null = null;
  let wake = () => {};
  return {
    push(item) {
      if (last) return;
      items.push(item);
      wake();
    },
    end() {
      last ??= {};
      wake();
    },
    fail(error) {
      last ??= { error };
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (items.length > 0) yield items.shift()!;
        if (last) {
          if ('error' in last) throw last.error;
          return;
        }
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
