/** Whether a URL may be fetched at all, before anything is resolved or opened. */
import type { WebPolicy } from '../../contract/request.ts';
import { addressOfHost, isPublicAddress } from './public-address.ts';
import { PlainError } from './to-fetch-error.ts';

const maxUrlChars = 4_096;

export type UrlRules = { readonly policy: WebPolicy; readonly exemptForTests: readonly string[] };

/** `base`: the page that redirected to `text`. Throws, in words for the model, where it may not be fetched. */
export function checkUrl(text: string, rules: UrlRules, base?: URL): URL {
  if (text.length > maxUrlChars) throw refused('it is too long');
  if (!URL.canParse(text, base?.href)) throw refused('it is no absolute address such as https://example.org/page');
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused('only http and https are fetched');
  if (url.username !== '' || url.password !== '') throw refused('addresses with a user or a password are not fetched');
  const host = hostOf(url);
  if (!mayReach(host, rules.policy)) throw refused(`the site ${host} is not among those that this run may reach`);
  if (!isExempt(url, rules) && !isPublicHost(host)) throw refused(notPublic(host));
  url.hash = '';
  return url;
}

export function isExempt(url: URL, { exemptForTests }: Pick<UrlRules, 'exemptForTests'>): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return exemptForTests.includes(`${url.hostname}:${port}`);
}

/** A site covers its subdomains; blocked ones win; no sites = any. */
export function mayReach(host: string, { sites, blockedSites }: WebPolicy): boolean {
  const isOf = (site: string) => host === site || host.endsWith(`.${site}`);
  return !blockedSites.some(isOf) && (sites.length === 0 || sites.some(isOf));
}

/** Without dots at its end: `localhost.` is `localhost`. */
export function hostOf(url: URL): string {
  return url.hostname.toLowerCase().replace(/\.+$/, '');
}

export function notPublic(host: string): string {
  return `${host} is no public address, and only public ones are fetched`;
}

export function refused(why: string): Error {
  return new PlainError(`not fetched: ${why}`);
}

/** Names are judged by what they resolve to, at the moment of connecting; those of this machine have no business there. */
function isPublicHost(host: string): boolean {
  const address = addressOfHost(host);
  if (address !== null) return isPublicAddress(address);
  return host.includes('.') && !/(^|\.)(localhost|local|internal|home\.arpa)$/.test(host);
}
