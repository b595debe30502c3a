import { isIPv4, isIPv6 } from 'node:net';

/** Groups of an IPv6 address that a customer of a provider cannot choose: a /64 is one client. */
const NETWORK_GROUPS = 4;

/**
 * The name of an address for limits: IPv4 as it is, of IPv6 the /64.
 * @param address with or without a port; undefined if it is not one
 */
export function networkOf(address = ''): string | undefined {
  const bare = withoutPort(address.trim());
  const mapped = bare.slice(bare.lastIndexOf(':') + 1);
  if (isIPv4(mapped) && (mapped === bare || isIPv6(bare))) return mapped;
  return isIPv6(bare) ? groupsOf(bare).slice(0, NETWORK_GROUPS).join(':') : undefined;
}

/** As some proxies write it: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? (/^[\d.]+:\d+$/.test(text) ? text.slice(0, text.indexOf(':')) : text);
}

/** The eight groups, without zeros at their front. */
function groupsOf(address: string): string[] {
  const [before = [], after = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16).toString(16));
}
