/** The search services: how each is asked, and where its hits are in the answer. */
import { z } from 'zod';
import type { WebPolicy } from '../../contract/request.ts';
import { sliceText } from '../../domain/text.ts';
import type { SearchService } from './create-web-tools.ts';

export type WebHit = { readonly url: string; readonly title: string; readonly snippet: string };

export type SearchRequest = {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

type Query = { readonly query: string; readonly limit: number; readonly policy: WebPolicy };

export function toSearchRequest(service: SearchService, { query, limit, policy }: Query): SearchRequest {
  const base = service.url.replace(/\/+$/, '');
  const { sites, blockedSites } = policy;
  switch (service.kind) {
    case 'tavily':
      return {
        url: `${base}/search`,
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${service.key ?? ''}` },
        body: JSON.stringify({
          query,
          max_results: limit,
          ...(sites.length > 0 && { include_domains: sites }),
          ...(blockedSites.length > 0 && { exclude_domains: blockedSites }),
        }),
      };
    case 'brave':
      return {
        url: `${base}/res/v1/web/search?${new URLSearchParams({ q: withSites(query, policy, brave), count: String(limit) }).toString()}`,
        method: 'GET',
        headers: { accept: 'application/json', 'x-subscription-token': service.key ?? '' },
      };
    case 'searxng':
      return {
        url: `${base}/search?${new URLSearchParams({ q: withSites(query, policy, searxng), format: 'json' }).toString()}`,
        method: 'GET',
        headers: { accept: 'application/json' },
      };
    default:
      return service.kind satisfies never;
  }
}

/** What a service takes as a query; Brave refuses a longer one. */
type QueryRoom = { readonly chars: number; readonly words: number };
const brave: QueryRoom = { chars: 400, words: 50 };
/** It hands the query on to engines with bounds of their own. */
const searxng: QueryRoom = { chars: 1_000, words: 100 };

/**
 * With the sites as engines understand them, as many as there is room for: the hits are sorted out by the rules of the run
 * in any case. The question itself is cut to the room that there is.
 */
function withSites(query: string, { sites, blockedSites }: WebPolicy, room: QueryRoom): string {
  const words = query.split(/\s+/).slice(0, room.words);
  let whole = sliceText(words.join(' '), room.chars);
  let count = words.length;
  const add = (text: string): boolean => {
    const more = text.split(' ').length;
    const fits = count + more <= room.words && whole.length + 1 + text.length <= room.chars;
    if (fits) {
      whole += ` ${text}`;
      count += more;
    }
    return fits;
  };
  let hasSite = false;
  for (const site of sites) hasSite = add(hasSite ? `OR site:${site}` : `site:${site}`) || hasSite;
  for (const site of blockedSites) add(`-site:${site}`);
  return whole;
}

const text = z.string().nullish();
const tavilySchema = z.object({ results: z.array(z.object({ url: z.string(), title: text, content: text })) });
/** Without `web` where nothing was found; `type` tells such an answer from anything else. */
const braveSchema = z.object({
  type: z.literal('search'),
  web: z.object({ results: z.array(z.object({ url: z.string(), title: text, description: text })) }).nullish(),
});

/** `null` where the answer has another shape. */
export function readHits(service: SearchService, answer: unknown): WebHit[] | null {
  if (service.kind === 'brave') {
    const { data } = braveSchema.safeParse(answer);
    return data ? (data.web?.results ?? []).map((each) => toHit(each.url, each.title, each.description)) : null;
  }
  const { data } = tavilySchema.safeParse(answer);
  return data ? data.results.map((each) => toHit(each.url, each.title, each.content)) : null;
}

function toHit(url: string, title: string | null | undefined, snippet: string | null | undefined): WebHit {
  return { url, title: title ?? url, snippet: snippet ?? '' };
}
