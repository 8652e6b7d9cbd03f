/** What went wrong on the way to a server, in words that hold no address, header or key that was not in the question. */
import { TributaryError } from '../../contract/failure.ts';

/** Errors are nested: fetch wraps what the socket said. */
const maxDepth = 5;
/** A repeat may find another state of the network or of the server. */
const transient = [
  'ECONNRESET',
  'ECONNREFUSED',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
];

/** `TOOL_FAILED` where a repeat may help; refusals of ours as they are. */
export function toFetchError(error: unknown, host: string): Error {
  const refusal = find(error, (each) => each.message.startsWith('not fetched: ') || each.name === 'TributaryError');
  if (refusal) return refusal;
  const ours = error instanceof Error && error.cause === undefined && !('code' in error) && error.name === 'Error';
  if (ours) return error;
  const code = find(error, (each) => typeof (each as { code?: unknown }).code === 'string') as { code?: string } | null;
  const said = code?.code !== undefined && /^[A-Z_]{3,40}$/.test(code.code) ? ` (${code.code})` : '';
  if (code?.code === 'ENOTFOUND') return new Error(`there is no site ${host}${said}`);
  if (code?.code !== undefined && transient.includes(code.code)) {
    return new TributaryError('TOOL_FAILED', `the connection to ${host} failed${said}`);
  }
  return new Error(`${host} could not be read${said}`);
}

/** The innermost error that fits. */
function find(error: unknown, fits: (error: Error) => boolean, depth = maxDepth): Error | null {
  if (!(error instanceof Error) || depth === 0) return null;
  return find(error.cause, fits, depth - 1) ?? (fits(error) ? error : null);
}
