/** `web_fetch`, and `web_search` where a search service is configured: the web as tools for a model. */
import type { LookupAddress } from 'node:dns';
import type { WebPolicy } from '../../contract/request.ts';
import type { Tool } from '../tool.ts';
import { createWebFetchTool } from './web-fetch.ts';
import { createWebSearchTool } from './web-search.ts';

/** The search service that a worker is configured with. Its address is the operator's choice and may be private. */
export type SearchService = {
  readonly kind: 'tavily' | 'brave' | 'searxng';
  /** Without the path of the API. */
  readonly url: string;
  readonly key?: string;
};

export type WebSettings = {
  /** `null`: `web_search` is not offered. */
  readonly search: SearchService | null;
  /** The proxy for an address; `null` = none. */
  readonly proxyFor: (url: string) => string | null;
  /** For tests alone: `host:port` of servers that are exempt from the rule that an address must be public. */
  readonly exemptForTests?: readonly string[];
  /** For tests alone: how names are resolved. */
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>;
};

export function createWebTools(settings: WebSettings, policy: WebPolicy): readonly Tool[] {
  const { search } = settings;
  return [...(search ? [createWebSearchTool(search, settings, policy)] : []), createWebFetchTool(settings, policy)];
}
