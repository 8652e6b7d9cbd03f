/** The API and the page over a client, as `ui` and `dev` serve them. */
import { readPageFiles } from './page-files.ts';
import { createWebApp } from './create-web-app.ts';
import { isLoopback, toAllowedHosts } from './allowed-hosts.ts';
import { readTokens } from './read-tokens.ts';
import { serveWebApp, type WebServer } from './serve-web-app.ts';
import { TributaryError } from '../contract/failure.ts';
import type { WebOptions } from './web-options.ts';

export const defaultHost = '127.0.0.1';
export const defaultPort = 7450;

export type ServeOptions = Omit<WebOptions, 'tokens' | 'allowedHosts' | 'page' | 'closing'> & {
  readonly host?: string;
  /** Absent: 7450, or the next one that is free. */
  readonly port?: number;
  /** `TOKEN`, `LABEL:TOKEN`, or several with commas between them. */
  readonly token?: string;
  readonly allowedHosts?: readonly string[];
  /** The built page. */
  readonly pageFolder: string;
};

/** `INVALID_REQUEST`: an address of others without a token, a token that can be guessed, a port that is taken. */
export async function serveResearch(options: ServeOptions): Promise<WebServer & { readonly hasPage: boolean }> {
  const { host = defaultHost, port, token, allowedHosts = [], pageFolder } = options;
  const tokens = token === undefined ? [] : readTokens(token);
  if (tokens.length === 0 && !isLoopback(host)) {
    throw new TributaryError(
      'INVALID_REQUEST',
      `--host: ${host} can be reached from other machines: set a token (TRIBUTARY_WEB_TOKEN or --token), or leave it at ${defaultHost}`,
    );
  }
  const closing = new AbortController();
  const page = await readPageFiles(pageFolder);
  const app = createWebApp({
    ...options,
    tokens,
    allowedHosts: toAllowedHosts(host, allowedHosts),
    page,
    closing: closing.signal,
  });
  const server = await serveWebApp(app, {
    host,
    port: port ?? defaultPort,
    mayMove: port === undefined,
    onClosing: () => closing.abort(),
  });
  return { ...server, hasPage: page !== null };
}
