/** Serves the app on a port of one address; streams end in good order when it closes. */
import { createAdaptorServer } from '@hono/node-server';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { isIP } from 'node:net';
import { TributaryError } from '../contract/failure.ts';
import type { WebServerApp } from './create-web-app.ts';

/** The cursor of a run with hundreds of open subagents is a header of its own size. */
const maxHeaderSize = 128 * 1024;
/** Ports that are tried where none is asked for. */
const maxPorts = 50;
/** Streams have this long to end in good order. */
const closeWithinMs = 1_000;

export type WebServer = { readonly url: string; readonly port: number; close(): Promise<void> };

type Options = {
  readonly host: string;
  readonly port: number;
  /** The next port is tried where one is taken. */
  readonly mayMove: boolean;
  /** Called before it closes. */
  onClosing(): void;
};

/** `INVALID_REQUEST` where the address cannot be listened on. */
export async function serveWebApp(app: WebServerApp, options: Options): Promise<WebServer> {
  const { host, mayMove } = options;
  for (let port = options.port; ; port += 1) {
    const server = createAdaptorServer({
      fetch: (request) => app.fetch(request),
      // Nothing of the process is changed for it.
      overrideGlobalObjects: false,
      serverOptions: { maxHeaderSize },
    }) as Server;
    try {
      server.listen(port, host);
      await once(server, 'listening');
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === 'EADDRINUSE' && mayMove && port < options.port + maxPorts) continue;
      const why = code === 'EADDRINUSE' ? 'it is taken' : (code ?? (error as Error).message);
      throw new TributaryError('INVALID_REQUEST', `--port: cannot listen on ${host}:${port}: ${why}`);
    }
    const { port: taken } = server.address() as { port: number };
    return {
      port: taken,
      url: `http://${toUrlHost(host)}:${taken}/`,
      async close() {
        options.onClosing();
        const closed = once(server, 'close');
        server.close();
        server.closeIdleConnections();
        const force = setTimeout(() => server.closeAllConnections(), closeWithinMs);
        await closed;
        clearTimeout(force);
      },
    };
  }
}

/** As a browser on this machine can open it. */
function toUrlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return isIP(host) === 6 ? `[${host}]` : host;
}
