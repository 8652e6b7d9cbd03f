/** An error as a person reads it: what it says, its code, and a way to go on. */
import { failureCodeOf } from '../../contract/failure.ts';

export function toMessage(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'something went wrong';
}

export function Problem({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  if (error === null || error === undefined) return null;
  const code = failureCodeOf(error);
  return (
    <div className="notice tone-edge-bad" role="alert">
      <span className="grow">
        {toMessage(error)} {code && <span className="muted mono">{code}</span>}
      </span>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
