import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

/** The host of a URL, without the brackets of IPv6. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '') : '';
}

/** Whether a URL can reach nobody but this machine: `localhost`, 127.0.0.0/8 or ::1. Other names could be resolved. */
export function isLoopbackUrl(url: string): boolean {
  const host = hostOf(url);
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Whether a URL has an address or the name of this machine. */
export function isOfThisMachine(url: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
  return isLoopbackUrl(url) || [...own, hostname().toLowerCase()].includes(hostOf(url));
}
