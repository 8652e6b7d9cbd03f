/** Each limit of the file beside what the server keeps for its task queue: for `limits show` and `doctor`. */
import { defaults } from '../../contract/defaults.ts';
import type { RateLimit } from '../../contract/rate-limits.ts';
import { planBound } from '../../domain/concurrency.ts';
import type { Backend, Installation } from '../cli-dependencies.ts';

/** What the server does with requests a minute. */
export type ServerState =
  | { readonly kind: 'kept' }
  | { readonly kind: 'differs'; readonly rpm: number | null; readonly tenantRpm: number | null }
  /** It does not answer the question; workers limit the queue themselves. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Nothing to keep, no key here that would name the queue, or no server up. */
  | { readonly kind: 'not-asked'; readonly why: 'no requests a minute' | 'no key here' | 'no server up' };

export type LimitState = {
  readonly name: string;
  readonly limit: RateLimit;
  /** Subagents at once of a run that says nothing; `null` where requests a minute are not known. */
  readonly maxConcurrency: number | null;
  readonly taskQueue: string | null;
  readonly server: ServerState;
};

/** In the order of the file. `backend`: `null` where no server is up. */
export async function readLimitStates(
  { limits }: Installation,
  backend: Pick<Backend, 'readQueueLimit'> | null,
): Promise<LimitState[]> {
  const entries = Object.entries(await limits.read());
  return Promise.all(
    entries.map(async ([name, limit]) => {
      const taskQueue = hasRequestLimit(limit) ? limits.queueOf(name) : null;
      const terms = { headroom: defaults.rateHeadroom, latencyMs: defaults.modelLatencyMs };
      const maxConcurrency = planBound(limit, terms)?.maxConcurrency ?? null;
      return { name, limit, maxConcurrency, taskQueue, server: await readServerState(limit, taskQueue, backend) };
    }),
  );
}

/** Tokens a minute are no business of a queue. */
function hasRequestLimit({ rpm, tenantRpm }: RateLimit): boolean {
  return rpm !== undefined || tenantRpm !== undefined;
}

async function readServerState(
  limit: RateLimit,
  taskQueue: string | null,
  backend: Pick<Backend, 'readQueueLimit'> | null,
): Promise<ServerState> {
  const { rpm, tenantRpm } = limit;
  if (!hasRequestLimit(limit)) return { kind: 'not-asked', why: 'no requests a minute' };
  if (taskQueue === null) return { kind: 'not-asked', why: 'no key here' };
  if (!backend) return { kind: 'not-asked', why: 'no server up' };
  try {
    const kept = await backend.readQueueLimit(taskQueue);
    const isKept = kept.rpm === (rpm ?? null) && kept.tenantRpm === (tenantRpm ?? null);
    return isKept ? { kind: 'kept' } : { kind: 'differs', ...kept };
  } catch (error) {
    return { kind: 'refused', message: (error as Error).message };
  }
}

/** `the server keeps it`, for people. */
export function tellServerState(server: ServerState): string {
  switch (server.kind) {
    case 'kept':
      return 'the server keeps it';
    case 'differs':
      return `the server keeps ${server.rpm ?? 'no'} requests a minute${server.tenantRpm === null ? '' : `, ${server.tenantRpm} of a tenant`}; a worker that starts corrects it`;
    case 'refused':
      return `the server does not keep limits (${server.message}); workers set them, and tenants have no share`;
    case 'not-asked':
      return { 'no requests a minute': '', 'no key here': 'no key here', 'no server up': 'no server up' }[server.why];
    default:
      return server satisfies never;
  }
}
