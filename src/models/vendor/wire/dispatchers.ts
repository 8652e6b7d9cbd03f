/** The connections of this process: one pool for direct requests and one per proxy, shared by all models. */
import { Agent, ProxyAgent, type Dispatcher } from 'undici';

/**
 * An answer that is not streamed begins when it is complete, and a long one takes more than the usual five minutes
 * (PROVIDERS §5). The wait for it is bounded by the caller's signal alone; the way to the server is bounded here.
 */
const unhurried = { headersTimeout: 0, bodyTimeout: 0, connect: { timeout: 15_000 } };

const direct = new Agent(unhurried);
const byProxy = new Map<string, Dispatcher>();

/** `proxy`: its address; `null` = none. */
export function dispatcherFor(proxy: string | null): Dispatcher {
  if (proxy === null) return direct;
  const known = byProxy.get(proxy);
  if (known) return known;
  const opened = new ProxyAgent({
    uri: proxy,
    ...unhurried,
    requestTls: unhurried.connect,
    proxyTls: unhurried.connect,
  });
  byProxy.set(proxy, opened);
  return opened;
}
