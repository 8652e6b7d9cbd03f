/** Which addresses may be reached: those of the public internet and no others (CASES B61). */
import ipaddr from 'ipaddr.js';

/** All of IPv6 that is given out for use on the internet; what lies outside may mean anything, `::127.0.0.1` for one. */
const globalUnicast6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Looks public and is the host agent of a cloud, which answers machines inside it alone. */
const hostAgents = ['168.63.129.16'];

/**
 * `true` for a global unicast address. Loopback, private, link-local (with cloud metadata), shared, multicast, reserved and
 * unspecified ones are not, nor are IPv6 addresses that carry an IPv4 one (mapped, compatible, NAT64, 6to4, Teredo),
 * whatever it is. `false` too for a text that is no address.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast' || hostAgents.includes(address.toString())) return false;
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast6);
}

/** The address that a URL's host is, when it is one: `new URL` has brought every spelling to one form. */
export function addressOfHost(host: string): string | null {
  const bare = host.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(bare) ? bare : null;
}
