/** `web_search`: asks the configured service, and leaves out what the run may not reach. */
import { fetch, type Dispatcher } from 'undici';
import { z } from 'zod';
import type { WebPolicy } from '../../contract/request.ts';
import { toHitsText, type PlainHit } from '../../domain/corpus-reading.ts';
import { cutText } from '../../domain/text.ts';
import { defineTool, type Tool } from '../tool.ts';
import { hostOf, mayReach } from './check-url.ts';
import type { SearchService, WebSettings } from './create-web-tools.ts';
import { createPlainDispatcher, createProxyDispatcher } from './public-dispatcher.ts';
import { readBounded } from './read-bounded.ts';
import { readHits, toSearchRequest, type WebHit } from './search-services.ts';
import { PlainError, toBusyError, toFetchError } from './to-fetch-error.ts';

const defaultHits = 8;
const maxHits = 10;
const maxQueryChars = 400;
const maxSnippetChars = 600;
const maxAnswerBytes = 2_000_000;
const names = { tavily: 'Tavily', brave: 'Brave', searxng: 'SearXNG' } as const;

export function createWebSearchTool(service: SearchService, settings: WebSettings, policy: WebPolicy): Tool {
  return defineTool({
    name: 'web_search',
    description:
      'Searches the public web. Answers a JSON array of hits, best first: url, title, snippet. A hit is no source yet: read it with web_fetch before citing it.',
    effect: 'read',
    input: z.object({
      query: z.string().trim().min(1).max(maxQueryChars).describe('what to look for'),
      limit: z.number().int().min(1).max(maxHits).optional().describe(`hits at most; ${defaultHits} if absent`),
    }),
    async run({ query, limit = defaultHits }, { signal }) {
      const found = await askService(service, { query, limit, policy }, settings, signal);
      const hits = found.filter(({ url }) => isReachable(url, policy)).slice(0, limit);
      return { text: toHitsText(hits.map(toSearchHit)) };
    },
  });
}

async function askService(
  service: SearchService,
  query: { readonly query: string; readonly limit: number; readonly policy: WebPolicy },
  { proxyFor }: WebSettings,
  signal: AbortSignal,
): Promise<WebHit[]> {
  const whose = `the search service ${names[service.kind]}`;
  let dispatcher: Dispatcher | undefined;
  try {
    signal.throwIfAborted();
    const { url, ...init } = toSearchRequest(service, query);
    const proxy = proxyFor(url);
    dispatcher = proxy === null ? createPlainDispatcher(signal) : createProxyDispatcher(proxy, signal);
    // A redirect would take the key elsewhere.
    const response = await fetch(url, { ...init, redirect: 'manual', signal, dispatcher });
    const busy = toBusyError(response.status, response.headers.get('retry-after'), whose);
    if (busy) throw busy;
    if (!response.ok) throw new PlainError(`${whose} answered ${response.status}: ${adviceFor(service)}`);
    const bytes = await readBounded(response.body as AsyncIterable<Uint8Array> | null, maxAnswerBytes);
    const hits = bytes && readHits(service, parseJson(bytes));
    if (!hits) throw new PlainError(`${whose} answered in a shape that is not its own: ${adviceFor(service)}`);
    return hits;
  } catch (error) {
    signal.throwIfAborted();
    throw toFetchError(error, whose);
  } finally {
    await dispatcher?.destroy();
  }
}

function adviceFor({ kind }: SearchService): string {
  if (kind === 'searxng')
    return 'whoever runs the worker should check SEARXNG_URL, and that the server answers in JSON';
  return `whoever runs the worker should check ${kind === 'tavily' ? 'TAVILY_API_KEY' : 'BRAVE_API_KEY'}`;
}

function isReachable(address: string, policy: WebPolicy): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  return /^https?:$/.test(url.protocol) && mayReach(hostOf(url), policy);
}

/** In the form of the corpus' hits. */
function toSearchHit({ url, title, snippet }: WebHit): PlainHit {
  return { url, title: oneLine(title), snippet: cutText(oneLine(snippet), maxSnippetChars) };
}

function oneLine(text: string): string {
  return text
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
