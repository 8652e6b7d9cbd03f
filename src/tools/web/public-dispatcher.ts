/** A connection pool for one request that opens sockets to public addresses only, checked on the very address it connects to. */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction, Socket } from 'node:net';
import { Agent, buildConnector, Pool, ProxyAgent, type Dispatcher } from 'undici';
import { notPublic, refused } from './check-url.ts';
import { isPublicAddress } from './public-address.ts';

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

const connectMs = 10_000;
const headersMs = 25_000;

/** What a name means here, by the system's resolver. */
export const resolveName: Resolve = (host) => lookup(host, { all: true, verbatim: true });

/**
 * Resolves once, at the moment of connecting, and hands exactly what was checked to the socket, so that a name cannot mean
 * one address to the check and another to the connection. One address that is not public refuses the name. An answer that
 * comes after the signal opens nothing.
 */
export function createDirectDispatcher(isExempt: boolean, resolve: Resolve, signal: AbortSignal): Dispatcher {
  const checked: LookupFunction = (host, options, callback) => {
    resolve(host).then(
      (addresses) => {
        const first = addresses[0];
        if (signal.aborted) callback(new Error('aborted'), '', 4);
        else if (!first) callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '', 4);
        else if (!isExempt && !addresses.every(({ address }) => isPublicAddress(address))) {
          callback(refused(notPublic(host)), '', 4);
        } else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, '', 4),
    );
  };
  return new Agent({
    headersTimeout: headersMs,
    connect: closingConnector({ lookup: checked, timeout: connectMs }, signal),
  });
}

/**
 * Through a proxy it is the proxy that resolves and connects. What can be checked here is a literal address, which was, and
 * what the name means here: a name that resolves to something that is not public is refused, one that does not resolve at
 * all is left to the proxy. Its operator decides what it reaches.
 */
export async function createCheckedProxyDispatcher(
  proxy: string,
  host: string,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<Dispatcher> {
  const addresses = await untilAborted(
    resolve(host).catch(() => []),
    signal,
  );
  if (!addresses.every(({ address }) => isPublicAddress(address))) throw refused(notPublic(host));
  return createProxyDispatcher(proxy, signal);
}

/** A tunnel for https; http is asked of the proxy itself, since many tunnel to the port of https alone. */
export function createProxyDispatcher(proxy: string, signal: AbortSignal): Dispatcher {
  const connect = { timeout: connectMs };
  return new ProxyAgent({
    uri: proxy,
    headersTimeout: headersMs,
    requestTls: connect,
    proxyTls: connect,
    proxyTunnel: false,
    clientFactory: (origin, options) => new Pool(origin, { ...options, connect: closingConnector(connect, signal) }),
  });
}

/** For an address that the operator chose: no check. */
export function createPlainDispatcher(signal: AbortSignal): Dispatcher {
  return new Agent({ headersTimeout: headersMs, connect: closingConnector({ timeout: connectMs }, signal) });
}

/** Closes its sockets with the signal also while they connect or shake hands, which the pools wait for otherwise. */
function closingConnector(options: buildConnector.BuildOptions, signal: AbortSignal): buildConnector.connector {
  const open = buildConnector(options);
  return (to, callback) => {
    // It does answer the socket, whatever its type says.
    const socket = open(to, callback) as unknown as Socket;
    const close = () => socket.destroy(new Error('aborted'));
    signal.addEventListener('abort', close, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', close));
  };
}

/** The system's resolver cannot be stopped, so it is left alone. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
