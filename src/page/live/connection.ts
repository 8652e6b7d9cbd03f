/** Whether what is shown is current. Screens say what they know of their own source; the head of the page shows it. */
import { useEffect, useSyncExternalStore } from 'react';

export type Connection = 'connecting' | 'live' | 'reconnecting' | 'recorded';

let current: Connection = 'connecting';
const listeners = new Set<() => void>();

function setConnection(next: Connection): void {
  if (next === current) return;
  current = next;
  for (const listener of listeners) listener();
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

export function useReportConnection(connection: Connection): void {
  useEffect(() => setConnection(connection), [connection]);
}
