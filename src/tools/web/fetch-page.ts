/** Fetches one page: every hop checked, everything bounded, every socket closed when it ends. */
import { fetch } from 'undici';
import { TributaryError } from '../../contract/failure.ts';
import { checkUrl, isExempt, refused, type UrlRules } from './check-url.ts';
import { createDirectDispatcher, createProxyDispatcher, type Resolve } from './public-dispatcher.ts';
import { readBounded } from './read-bounded.ts';
import { toFetchError } from './to-fetch-error.ts';

export type FetchedPage = {
  /** After redirects. */
  readonly url: string;
  /** Lower case, with its parameters. */
  readonly contentType: string;
  readonly bytes: Uint8Array;
};

export type PageRules = UrlRules & {
  readonly resolve: Resolve;
  readonly proxyFor: (url: string) => string | null;
};

const maxRedirects = 5;
export const maxPageBytes = 5_000_000;
const headers = {
  'user-agent': 'Tributary (research agent)',
  accept: 'text/html,application/xhtml+xml,text/plain,text/markdown,application/json,application/pdf,*/*;q=0.5',
};

/**
 * Rejects with words for the model where the page is refused or is not there, and with `TOOL_FAILED` where a repeat may
 * help. No cookie, no referrer and no key is ever sent.
 */
export async function fetchPage(address: string, rules: PageRules, signal: AbortSignal): Promise<FetchedPage> {
  let url = checkUrl(address, rules);
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const answer = await fetchHop(url, rules, signal);
    if (answer.kind === 'page') return answer.page;
    // Checked anew: a public page may point to a private one.
    url = checkUrl(new URL(answer.location, url).href, rules);
  }
  throw refused(`it was redirected more than ${maxRedirects} times`);
}

type Answer = { readonly kind: 'page'; readonly page: FetchedPage } | { readonly kind: 'redirect'; location: string };

async function fetchHop(url: URL, rules: PageRules, signal: AbortSignal): Promise<Answer> {
  signal.throwIfAborted();
  const proxy = rules.proxyFor(url.href);
  const exempt = isExempt(url, rules);
  const dispatcher =
    proxy === null
      ? createDirectDispatcher(exempt, rules.resolve)
      : await createProxyDispatcher(proxy, url.hostname, exempt, rules.resolve);
  try {
    const response = await fetch(url, { headers, redirect: 'manual', signal, dispatcher });
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) return { kind: 'redirect', location };
    if (response.status === 429 || response.status >= 500) {
      throw new TributaryError('TOOL_FAILED', `${url.host} answered ${response.status}; it may work later`);
    }
    if (!response.ok) throw new Error(`${url.host} answered ${response.status}: the page cannot be had`);
    const bytes = await readBounded(response.body as AsyncIterable<Uint8Array> | null, maxPageBytes);
    if (bytes === null) throw refused(`the page is larger than ${maxPageBytes / 1_000_000} MB`);
    const contentType = response.headers.get('content-type')?.toLowerCase() ?? '';
    return { kind: 'page', page: { url: url.href, contentType, bytes } };
  } catch (error) {
    signal.throwIfAborted();
    throw toFetchError(error, url.host);
  } finally {
    await dispatcher.destroy();
  }
}
