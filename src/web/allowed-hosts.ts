/** Which names a browser may have in its address bar to reach a server: its own, and those that the operator adds. */
import { hostname } from 'node:os';

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];
const everywhere = ['0.0.0.0', '::'];

/** Whether this address is reached from the same machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** `*` in it stands for every address that is a number: a name that somebody else owns cannot be one. */
export function toAllowedHosts(host: string, added: readonly string[]): string[] {
  const own = host.includes(':') ? `[${host}]` : host;
  const names = everywhere.includes(host) ? ['*', hostname()] : [own];
  return [...new Set([...loopbackNames, ...names, ...added].map((name) => name.toLowerCase()))];
}
