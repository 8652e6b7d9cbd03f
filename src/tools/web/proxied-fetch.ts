/** `fetch` for an address that whoever started a run chose: through the configured proxy, wherever it leads. */
import { Agent, fetch, ProxyAgent, type Dispatcher } from 'undici';

/** One pool for direct requests and one per proxy. The caller's signal bounds the rest. */
export function createProxiedFetch(proxyFor: (url: string) => string | null): typeof globalThis.fetch {
  const direct = new Agent();
  const byProxy = new Map<string, Dispatcher>();
  const dispatcherFor = (proxy: string | null): Dispatcher => {
    if (proxy === null) return direct;
    const dispatcher = byProxy.get(proxy) ?? new ProxyAgent(proxy);
    byProxy.set(proxy, dispatcher);
    return dispatcher;
  };
  const proxied: typeof fetch = (input, init) => {
    const url = typeof input === 'string' ? input : 'url' in input ? input.url : input.href;
    return fetch(input, { ...init, dispatcher: dispatcherFor(proxyFor(url)) });
  };
  return proxied;
}
