/** Which addresses may be reached: those of the public internet and no others (CASES B61). */
import ipaddr from 'ipaddr.js';

/**
 * `true` for a global unicast address. Loopback, private, link-local (with cloud metadata), shared, multicast, reserved and
 * unspecified ones are not, nor are IPv6 addresses that carry an IPv4 one (mapped, NAT64, 6to4, Teredo), whatever it is.
 * `false` too for a text that is no address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  return ipaddr.parse(address).range() === 'unicast';
}

/** The address that a URL's host is, when it is one: `new URL` has brought every spelling to one form. */
export function addressOfHost(host: string): string | null {
  const bare = host.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(bare) ? bare : null;
}
