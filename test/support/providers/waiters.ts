/** Promises that resolve once a condition holds; it is looked at whenever something has happened. */

export type Waiters = {
  until(isOver: () => boolean): Promise<void>;
  /** Something has happened. */
  look(): void;
  /** Nothing more will happen: those who still wait are told `reason`. */
  end(reason: string): void;
};

export function openWaiters(): Waiters {
  type Waiter = { isOver: () => boolean; resolve: () => void; reject: (error: Error) => void };
  const waiting = new Set<Waiter>();
  const look = () => {
    for (const each of waiting) {
      if (!each.isOver()) continue;
      waiting.delete(each);
      each.resolve();
    }
  };
  return {
    until(isOver) {
      const promise = new Promise<void>((resolve, reject) => waiting.add({ isOver, resolve, reject }));
      look();
      return promise;
    },
    look,
    end(reason) {
      for (const { reject } of waiting) reject(new Error(reason));
      waiting.clear();
    },
  };
}
