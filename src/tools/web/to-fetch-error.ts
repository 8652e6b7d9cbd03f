/** What went wrong on the way to a server, in words that hold no address, header or key that was not in the question. */
import { TributaryError } from '../../contract/failure.ts';

/** Errors are nested: fetch wraps what the socket said. */
const maxDepth = 5;
/** A repeat may find another state of the network or of the server. */
const transient = [
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
];
/** A wait that a server asks for counts up to this; a tool call is not worth more. */
const maxWaitSeconds = 10;

/** What it looks like from any realm. */
type Thrown = {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
};

/** An error whose words were written here, for the model to read; everything else is put into words below. */
export class PlainError extends Error {
  override readonly name = 'PlainError';
}

/** `TOOL_FAILED` where a repeat may help; what was put into words already stays as it is. `whose`: a host or a service. */
export function toFetchError(error: unknown, whose: string): Error {
  const chain = toChain(error);
  const worded = chain.find(({ name }) => name === 'PlainError' || name === 'TributaryError');
  if (worded) return worded as Error;
  const proxyStatus = chain.map(readProxyStatus).find((status) => status !== null);
  if (proxyStatus !== undefined) return toProxyError(proxyStatus, whose);
  const code = chain.map((each) => each.code).find((each) => typeof each === 'string' && /^[A-Z_]{3,40}$/.test(each));
  const said = code === undefined ? '' : ` (${code as string})`;
  if (code === 'ENOTFOUND') return new PlainError(`no address is known for ${whose}${said}`);
  if (transient.includes(code as string)) {
    return new TributaryError('TOOL_FAILED', `the connection to ${whose} failed${said}`);
  }
  return new PlainError(`${whose} could not be read${said}`);
}

/** For an answer that says "not now": 429 and everything from 500 on; `null` for any other. */
export function toBusyError(status: number, retryAfter: string | null, whose: string): TributaryError | null {
  if (status !== 429 && status < 500) return null;
  const seconds = /^\d{1,6}$/.test(retryAfter ?? '') ? Math.min(Number(retryAfter), maxWaitSeconds) : 0;
  return new TributaryError('TOOL_FAILED', `${whose} answered ${status}; it may work later`, {
    ...(seconds > 0 && { retryAfterMs: seconds * 1_000 }),
  });
}

function toProxyError(status: number, whose: string): Error {
  return (
    toBusyError(status, null, `the proxy, asked for ${whose},`) ??
    new PlainError(`the proxy does not let through to ${whose}: it answered ${status}`)
  );
}

/** The client for proxies says what a proxy answered in prose alone. */
function readProxyStatus({ message }: Thrown): number | null {
  if (typeof message !== 'string') return null;
  const status = /^Proxy (?:response \((\d{3})\)|Authentication Required \((407)\))/.exec(message);
  return status ? Number(status[1] ?? status[2]) : null;
}

/** The innermost first. */
function toChain(error: unknown): Thrown[] {
  const chain: Thrown[] = [];
  for (let each = error; typeof each === 'object' && each !== null && chain.length < maxDepth;) {
    chain.unshift(each);
    each = (each as Thrown).cause;
  }
  return chain;
}
