/** The failure of a request that got no answer, or not all of one: by the name of the error, never by its text. */
import { TributaryError } from '../../../contract/failure.ts';
import { vendorFacts, type VendorTarget } from '../vendor.ts';

/** Causes are nested: fetch wraps what the socket said, and several addresses of a name are an array of errors. */
const maxDepth = 5;

export function toNetworkFailure(error: unknown, { vendor, baseUrl }: VendorTarget): TributaryError {
  const code = findCode(error, maxDepth);
  const where = `${vendorFacts[vendor].label} at ${new URL(baseUrl).host}`;
  const advice = code === null ? undefined : advices[code];
  const what = code === null ? 'the connection failed' : `the connection failed (${code})`;
  return new TributaryError(
    'MODEL_NETWORK',
    `${where}: ${what}; ${advice ?? 'check the network and the proxy variables'}`,
  );
}

const advices: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no such host; check the address',
  EAI_AGAIN: 'its name could not be looked up',
  ECONNREFUSED: 'nothing listens there; check the address, and that the server runs',
  ECONNRESET: 'it was closed from the other side',
  UND_ERR_SOCKET: 'it was closed from the other side',
  UND_ERR_CONNECT_TIMEOUT: 'nobody answered there',
};

/** The innermost code, since that of the wrapper says less. */
function findCode(error: unknown, depth: number): string | null {
  if (depth === 0 || typeof error !== 'object' || error === null) return null;
  const { cause, errors, code } = error as { cause?: unknown; errors?: unknown; code?: unknown };
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const inner = findCode(cause, depth - 1) ?? findCode(first, depth - 1);
  return inner ?? (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? code : null);
}
