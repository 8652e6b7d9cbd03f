/** The time, once a second while somebody looks. `isOn: false` keeps it as it is. */
import { useEffect, useState } from 'react';

export function useNow(isOn = true): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now());
    }, 1_000);
    return () => clearInterval(timer);
  }, [isOn]);
  return now;
}
