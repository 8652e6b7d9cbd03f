/**
 * The one door through which requests to a vendor leave. It counts them, follows no redirect, bounds what comes back, and
 * turns whatever is no answer into our failure before a provider package can put the prompt into an error of its own.
 */
import { fetch as undiciFetch } from 'undici';
import { TributaryError } from '../../../contract/failure.ts';
import { vendorFacts, type VendorTarget } from '../vendor.ts';
import { toAnswerFailure } from './classify-answer.ts';
import { dispatcherFor } from './dispatchers.ts';
import { toNetworkFailure } from './network-failure.ts';
import { maxBodyBytes, readBody } from './read-body.ts';
import { repairAnswer } from './repair-answer.ts';

export type Door = {
  readonly proxyFor: (url: string) => string | null;
  readonly now: () => number;
};

export type GuardedFetch = {
  readonly fetch: typeof globalThis.fetch;
  /** The first error that came out of it, or out of `onRequest`: packages may wrap what they catch. */
  readonly failure: () => { readonly error: unknown } | null;
  /** Whether a request has left. */
  readonly sent: () => boolean;
};

/**
 * A fetch for one call. Several requests may pass it, since a package may continue a long answer by itself; `onRequest` is
 * asked before each. Once it has failed it lets nothing through.
 */
export function createGuardedFetch(
  target: VendorTarget,
  door: Door,
  options: { readonly signal: AbortSignal; readonly onRequest: () => void },
): GuardedFetch {
  let failure: { readonly error: unknown } | null = null;
  let sent = false;
  const guarded = async (url: string, init: RequestInit): Promise<Response> => {
    if (failure) throw failure.error;
    try {
      options.signal.throwIfAborted();
      options.onRequest();
      sent = true;
      return await send(url, init);
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  };

  async function send(url: string, init: RequestInit): Promise<Response> {
    const { status, headers, text } = await exchange(url, init);
    const body = parseJson(text);
    if (status < 200 || status > 299 || saysError(body)) {
      throw toAnswerFailure({ status, headers, body }, target, door.now());
    }
    if (body === undefined) throw badResponse(target, 'answered with something that is not JSON');
    const repaired = repairAnswer(target.vendor, body);
    return new Response(repaired === body ? text : JSON.stringify(repaired), {
      headers: { 'content-type': 'application/json' },
    });
  }

  async function exchange(url: string, init: RequestInit) {
    let status: number | undefined;
    try {
      const response = await undiciFetch(url, {
        method: 'POST',
        headers: withoutBetas(new Headers(init.headers)),
        body: init.body as string,
        // Not followed: the status tells, and a key never goes to another host.
        redirect: 'manual',
        signal: options.signal,
        dispatcher: dispatcherFor(door.proxyFor(url)),
      });
      status = response.status;
      const text = await readBody(response.body as ReadableStream<Uint8Array> | null);
      if (text === null) throw badResponse(target, `answered with more than ${maxBodyBytes / 1_048_576} MB`);
      return { status, headers: new Headers([...response.headers]), text };
    } catch (error) {
      if (options.signal.aborted || error instanceof TributaryError) throw error;
      throw toNetworkFailure(error, target);
    }
  }

  return { fetch: guarded as typeof globalThis.fetch, failure: () => failure, sent: () => sent };
}

export function badResponse({ vendor }: VendorTarget, what: string): TributaryError {
  return new TributaryError(
    'MODEL_BAD_RESPONSE',
    `${vendorFacts[vendor].label} ${what}; check that the address is that of the API, and what stands between`,
  );
}

/** An error that comes under status 200: `{"error": …}`, or a Response whose generation failed. */
function saysError(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const { error, type, status } = body as { error?: unknown; type?: unknown; status?: unknown };
  return Boolean(error) || type === 'error' || status === 'failed';
}

/** The package asks for a beta of structured outputs with every tool, and a gateway may refuse betas (PROVIDERS §3). */
function withoutBetas(headers: Headers): [string, string][] {
  return [...headers].flatMap(([name, value]): [string, string][] => {
    if (name !== 'anthropic-beta') return [[name, value]];
    const kept = value.split(',').filter((beta) => !beta.trim().startsWith('structured-outputs'));
    return kept.length === 0 ? [] : [[name, kept.join(',')]];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
