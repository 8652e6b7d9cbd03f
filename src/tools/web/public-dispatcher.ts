/** A connection pool for one request that opens sockets to public addresses only, checked on the very address it connects to. */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { Agent, ProxyAgent, type Dispatcher } from 'undici';
import { notPublic, refused } from './check-url.ts';
import { isPublicAddress } from './public-address.ts';

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

const connectMs = 10_000;
const headersMs = 25_000;

/** What a name means here, by the system's resolver. */
export const resolveName: Resolve = (host) => lookup(host, { all: true, verbatim: true });

/**
 * Resolves once, at the moment of connecting, and hands exactly what was checked to the socket, so that a name cannot mean
 * one address to the check and another to the connection. One address that is not public refuses the name.
 */
export function createDirectDispatcher(isExempt: boolean, resolve: Resolve): Dispatcher {
  const checked: LookupFunction = (host, options, callback) => {
    resolve(host).then(
      (addresses) => {
        const first = addresses[0];
        if (!first) callback(new Error(`${host} has no address`), '', 4);
        else if (!isExempt && !addresses.every(({ address }) => isPublicAddress(address))) {
          callback(refused(notPublic(host)), '', 4);
        } else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, '', 4),
    );
  };
  return new Agent({ headersTimeout: headersMs, connect: { lookup: checked, timeout: connectMs } });
}

/**
 * Through a proxy it is the proxy that resolves and connects. What can be checked here is a literal address, which was, and
 * what the name means here: a name that resolves to something that is not public is refused, one that does not resolve at
 * all is left to the proxy. Its operator decides what it reaches.
 */
export async function createProxyDispatcher(proxy: string, host: string, isExempt: boolean, resolve: Resolve) {
  const addresses = isExempt ? [] : await resolve(host).catch(() => []);
  if (!addresses.every(({ address }) => isPublicAddress(address))) throw refused(notPublic(host));
  const connect = { timeout: connectMs };
  return new ProxyAgent({ uri: proxy, headersTimeout: headersMs, requestTls: connect, proxyTls: connect });
}
