/** One thing that a person asks for: pending while it is on its way, then done or an error. It never guesses a status. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { failureCodeOf, isRetryable } from '../../contract/failure.ts';
import { toRequestId } from './to-request-id.ts';

export type Action = {
  readonly isPending: boolean;
  readonly error: unknown;
  /** `requestId` stays the same until the action has succeeded: whoever asks twice asks for one thing. */
  run(work: (requestId: string) => Promise<unknown>): Promise<boolean>;
};

export function useAction(): Action {
  const queries = useQueryClient();
  const requestId = useRef<string | null>(null);
  const isBusy = useRef(false);
  const [state, setState] = useState<{ isPending: boolean; error: unknown }>({ isPending: false, error: null });
  const run = useCallback(
    async (work: (requestId: string) => Promise<unknown>) => {
      if (isBusy.current) return false;
      isBusy.current = true;
      requestId.current ??= toRequestId();
      setState({ isPending: true, error: null });
      try {
        await work(requestId.current);
        requestId.current = null;
        setState({ isPending: false, error: null });
        await queries.invalidateQueries();
        return true;
      } catch (error) {
        // What was refused is another request when it is asked for again; one whose answer got lost stays the same.
        const code = failureCodeOf(error);
        if (code !== null && !isRetryable(code)) requestId.current = null;
        setState({ isPending: false, error });
        return false;
      } finally {
        isBusy.current = false;
      }
    },
    [queries],
  );
  return { ...state, run };
}
