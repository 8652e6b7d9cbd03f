/** What a screen reader is told of a run that goes on: one polite message in five seconds at most, the urgent ones at once. */
import { useEffect, useRef, useState } from 'react';

const everyMs = 5_000;

export function Announcer({ polite, urgent }: { readonly polite: string; readonly urgent: string }) {
  const [shown, setShown] = useState('');
  const lastMs = useRef(0);
  useEffect(() => {
    if (polite === '') return;
    const waitMs = Math.max(0, lastMs.current + everyMs - Date.now());
    const timer = setTimeout(() => {
      lastMs.current = Date.now();
      setShown(polite);
    }, waitMs);
    return () => clearTimeout(timer);
  }, [polite]);
  return (
    <>
      <p className="hidden" role="status" aria-live="polite" aria-atomic="true">
        {shown}
      </p>
      <p className="hidden" aria-live="assertive" aria-atomic="true">
        {urgent}
      </p>
    </>
  );
}
