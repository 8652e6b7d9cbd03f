/** The title of the window: what is here, and how much of it waits for a person. */
import { useEffect } from 'react';

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · tributary`;
  }, [title]);
}
