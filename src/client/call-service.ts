/** Calls the Temporal service directly, with a deadline and an abort signal, and tells errors apart. */
import { isGrpcServiceError, ServiceError, type Client } from '@temporalio/client';
import { TributaryError } from '../contract/failure.ts';

/** Of the gRPC codes, those that decisions hang on. */
const grpcCode = {
  cancelled: 1,
  unknown: 2,
  deadline: 4,
  notFound: 5,
  exhausted: 8,
  aborted: 10,
  internal: 13,
  unavailable: 14,
};
const transientCodes: readonly number[] = [
  grpcCode.cancelled,
  grpcCode.unknown,
  grpcCode.deadline,
  grpcCode.exhausted,
  grpcCode.aborted,
  grpcCode.internal,
  grpcCode.unavailable,
];
const defaultDeadlineMs = 10_000;

export type ServiceOptions = { readonly signal?: AbortSignal; readonly deadlineMs?: number };
export type TemporalService = Client['workflowService'];

/** Rejects with the signal's reason once it has fired; otherwise with what gRPC says. */
export async function callService<T>(
  client: Client,
  options: ServiceOptions,
  call: (service: TemporalService) => Promise<T>,
): Promise<T> {
  const { signal } = options;
  signal?.throwIfAborted();
  // The SDK adds a listener to the signal for each call and never takes it off: so each call has a signal of its own.
  const own = new AbortController();
  const abort = () => own.abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const deadline = Date.now() + (options.deadlineMs ?? defaultDeadlineMs);
    return await client.withDeadline(deadline, () =>
      client.withAbortSignal(own.signal, () => call(client.workflowService)),
    );
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

export function isNotFound(error: unknown): boolean {
  return grpcCodeOf(error) === grpcCode.notFound;
}

/** A later attempt may succeed: the server is away, restarts, or is busy. */
export function isTransient(error: unknown): boolean {
  const code = grpcCodeOf(error);
  return code !== null && transientCodes.includes(code);
}

function grpcCodeOf(error: unknown): number | null {
  const inner = toInner(error);
  if (isGrpcServiceError(inner)) return inner.code;
  // A worker's own connection has errors of its own, with the code but without gRPC's details.
  const { code } = inner instanceof ServiceError ? (inner as { readonly code?: unknown }) : {};
  return typeof code === 'number' ? code : null;
}

/** The SDK's own methods wrap what gRPC says. */
function toInner(error: unknown): unknown {
  return error instanceof ServiceError && error.cause !== undefined ? error.cause : error;
}

/** For callers: a server that does not answer becomes `SERVER_UNREACHABLE`; everything else stays what it is. */
export function toClientError(client: Client, error: unknown): unknown {
  if (!isTransient(error)) return error;
  const address = (client.connection as { options?: { address?: string } }).options?.address ?? 'its address';
  const inner = toInner(error);
  const { details: told } = inner as { readonly details?: unknown };
  const details = typeof told === 'string' && told !== '' ? told : String(inner);
  return new TributaryError('SERVER_UNREACHABLE', `no answer from the Temporal server at ${address}: ${details}`, {
    cause: error,
  });
}
