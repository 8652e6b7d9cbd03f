/** Fetches one page: every hop checked, everything bounded, every socket closed when it ends. */
import { fetch, type Dispatcher } from 'undici';
import { checkUrl, isExempt, refused, type UrlRules } from './check-url.ts';
import {
  createCheckedProxyDispatcher,
  createDirectDispatcher,
  createProxyDispatcher,
  type Resolve,
} from './public-dispatcher.ts';
import { readBounded } from './read-bounded.ts';
import { PlainError, toBusyError, toFetchError } from './to-fetch-error.ts';

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
    url = checkUrl(answer.location, rules, url);
  }
  throw refused(`it was redirected more than ${maxRedirects} times`);
}

type Answer = { readonly kind: 'page'; readonly page: FetchedPage } | { readonly kind: 'redirect'; location: string };

async function fetchHop(url: URL, rules: PageRules, signal: AbortSignal): Promise<Answer> {
  let dispatcher: Dispatcher | undefined;
  try {
    signal.throwIfAborted();
    dispatcher = await openDispatcher(url, rules, signal);
    const response = await fetch(url, { headers, redirect: 'manual', signal, dispatcher });
    const { status } = response;
    const location = response.headers.get('location');
    if (status >= 300 && status < 400 && location !== null) return { kind: 'redirect', location };
    const busy = toBusyError(status, response.headers.get('retry-after'), url.host);
    if (busy) throw busy;
    if (!response.ok) throw new PlainError(`${url.host} answered ${status}: the page cannot be had`);
    const bytes = await readBounded(response.body as AsyncIterable<Uint8Array> | null, maxPageBytes);
    if (bytes === null) throw refused(`the page is larger than ${maxPageBytes / 1_000_000} MB`);
    const contentType = response.headers.get('content-type')?.toLowerCase() ?? '';
    return { kind: 'page', page: { url: url.href, contentType, bytes } };
  } catch (error) {
    signal.throwIfAborted();
    throw toFetchError(error, url.host);
  } finally {
    await dispatcher?.destroy();
  }
}

async function openDispatcher(url: URL, rules: PageRules, signal: AbortSignal): Promise<Dispatcher> {
  const proxy = rules.proxyFor(url.href);
  const exempt = isExempt(url, rules);
  if (proxy === null) return createDirectDispatcher(exempt, rules.resolve, signal);
  return exempt
    ? createProxyDispatcher(proxy, signal)
    : createCheckedProxyDispatcher(proxy, url.hostname, rules.resolve, signal);
}
