/** Web tools over real servers on this machine. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import { createWebTools, type WebSettings } from '../../../src/tools/web/create-web-tools.ts';
import type { ToolOutput } from '../../../src/tools/tool.ts';

export const anySite = { sites: [], blockedSites: [] };

export type Site = { readonly host: string; readonly url: string; close(): Promise<void> };

export async function startSite(listener: RequestListener): Promise<Site> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Counts connections, on IPv4 and IPv6 loopback alike; answers nothing. */
export async function startTrap(): Promise<{ readonly port: number; count: () => number; close(): Promise<void> }> {
  let connections = 0;
  const listen = async (host: string, port: number) => {
    const server: TcpServer = createTcpServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(port, host, resolve));
    return server;
  };
  const first = await listen('0.0.0.0', 0);
  const { port } = first.address() as AddressInfo;
  const second = await listen('::1', port);
  return {
    port,
    count: () => connections,
    async close() {
      await Promise.all([first, second].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** A port of this machine on which nobody listens. */
export async function findClosedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export function openTools(settings: Partial<WebSettings> = {}, policy = anySite as WebPolicyInput) {
  const tools = createWebTools({ search: null, proxyFor: () => null, ...settings }, policy);
  return (name: string) => {
    const tool = tools.find(({ description }) => description.name === name);
    if (!tool) throw new Error(`${name} is not offered`);
    return (input: Record<string, unknown>, signal = new AbortController().signal): Promise<ToolOutput> =>
      tool.run(input, { signal, idempotencyKey: 'k' });
  };
}
type WebPolicyInput = { sites: string[]; blockedSites: string[] };

export const page = (body: string, title = 'A page') =>
  `<html><head><title>${title}</title></head><body><article><h1>${title}</h1><p>${body}</p></article></body></html>`;
