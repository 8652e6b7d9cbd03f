/** The search services: how each is asked, and where its hits are in the answer. */
import { z } from 'zod';
import type { WebPolicy } from '../../contract/request.ts';
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
        url: `${base}/res/v1/web/search?${new URLSearchParams({ q: withSites(query, policy), count: String(limit) }).toString()}`,
        method: 'GET',
        headers: { accept: 'application/json', 'x-subscription-token': service.key ?? '' },
      };
    case 'searxng':
      return {
        url: `${base}/search?${new URLSearchParams({ q: withSites(query, policy), format: 'json' }).toString()}`,
        method: 'GET',
        headers: { accept: 'application/json' },
      };
    default:
      return service.kind satisfies never;
  }
}

/** As engines understand it; what they let through all the same is left out afterwards. */
function withSites(query: string, { sites, blockedSites }: WebPolicy): string {
  const wanted = sites.map((site) => `site:${site}`).join(' OR ');
  return [query, wanted, ...blockedSites.map((site) => `-site:${site}`)].filter((part) => part !== '').join(' ');
}

const text = z.string().nullish();
const tavilySchema = z.object({ results: z.array(z.object({ url: z.string(), title: text, content: text })) });
const braveSchema = z.object({
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
