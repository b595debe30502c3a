import { isIP, isIPv6 } from 'node:net';

/** Whether an address to listen on can be reached only from this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** A host as URLs have it: an IPv6 address in brackets. */
export function urlHost(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/** Whether a `Host` is an IP address or `localhost`. Other names may resolve to this machine by DNS rebinding. */
export function isAddressOrLocalhost(host: string): boolean {
  const name = hostName(host);
  return name === 'localhost' || isIP(name) !== 0;
}

/** The name in a `Host` header, without port and IPv6 brackets; '' if it is not valid. */
export function hostName(host: string): string {
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d{1,5})?$/i.exec(host) ?? [];
  return (bracketed ?? plain ?? '').toLowerCase();
}
