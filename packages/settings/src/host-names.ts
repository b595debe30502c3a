import { isIP } from 'node:net';

/** Whether an address to listen on is this machine's alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Whether a `Host` is an address or `localhost`: only another name may be one that a stranger's name server gives out. */
export function isAddressOrLocalhost(host: string): boolean {
  const name = hostName(host);
  return name === 'localhost' || isIP(name) !== 0;
}

/** The name in a `Host`, without the port, and the brackets of IPv6; '' if it is no host. */
export function hostName(host: string): string {
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d{1,5})?$/i.exec(host) ?? [];
  return (bracketed ?? plain ?? '').toLowerCase();
}
