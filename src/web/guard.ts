/**
 * Who may ask: a browser that shows another address in its bar (DNS rebinding), a page of somebody else, and whoever has no
 * token are refused before anything is read.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { TributaryError } from '../contract/failure.ts';
import { HttpRefusal } from './problem.ts';
import { requireJson } from './read-body.ts';
import type { WebOptions, WebToken } from './web-options.ts';

type Setup = Pick<WebOptions, 'allowedHosts' | 'tokens' | 'readOnly'>;

/** Who acts where no token is asked for. */
export const pageUser = 'page';

/** Of every request, also for the page's own files. */
export function requireHost(request: Request, { allowedHosts }: Setup): void {
  const host = request.headers.get('host') ?? new URL(request.url).host;
  const name = hostnameOf(host);
  const isAny = allowedHosts.includes('*') && name !== null && isIP(name.replace(/^\[|\]$/g, '')) !== 0;
  if (isAny || (name !== null && allowedHosts.includes(name))) return;
  throw new HttpRefusal(
    403,
    'NOT_ALLOWED',
    `wanted one of the hosts ${allowedHosts.join(', ')}, came ${JSON.stringify(host.slice(0, 100))}; start the server with --allow-host to add one`,
  );
}

/** Of every request to the API. Yields who acts. */
export function requireCaller(request: Request, setup: Setup): string {
  const who = requireToken(request, setup.tokens);
  requireOwnPage(request);
  return who;
}

/** Of every request that changes something. */
export function requireChange(request: Request, setup: Setup): void {
  if (setup.readOnly) {
    throw new TributaryError(
      'NOT_ALLOWED',
      'this server is read-only: everything can be looked at, nothing can be changed',
    );
  }
  requireJson(request.headers.get('content-type') ?? undefined);
}

function requireToken(request: Request, tokens: readonly WebToken[]): string {
  if (tokens.length === 0) return pageUser;
  const [, given] = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  if (given === undefined) {
    throw new TributaryError('NOT_SIGNED_IN', 'this server wants a token: send it as "Authorization: Bearer TOKEN"');
  }
  // All are compared, each over its hash, so that the time tells nothing.
  const matching = tokens.filter(({ token }) => isSame(token, given));
  if (matching[0]) return matching[0].label;
  throw new TributaryError('NOT_SIGNED_IN', 'this server does not know the token');
}

function isSame(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(hash(one), hash(other));
}

/** A browser says which page asks; whoever is no browser says nothing. */
function requireOwnPage(request: Request): void {
  const site = request.headers.get('sec-fetch-site');
  const origin = request.headers.get('origin');
  const host = request.headers.get('host') ?? new URL(request.url).host;
  const isOwn = origin === null || (URL.canParse(origin) && new URL(origin).host === host.toLowerCase());
  if (isOwn && (site === null || site === 'same-origin' || site === 'none')) return;
  throw new TributaryError(
    'NOT_ALLOWED',
    'this comes from a page of somebody else, and only the page of this server may ask',
  );
}

/** Without the port; `null` for what cannot be a host. */
function hostnameOf(host: string): string | null {
  const [, name] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(host) ?? [];
  return name?.toLowerCase() ?? null;
}
