import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import { TLSSocket } from 'node:tls';
import { urlHost } from '@switchyard/settings';
import type { GatewaySettings } from '../settings/gateway-settings.ts';

/** A Host header that may be copied into a card: it comes from the client. */
const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Cache: most requests have the same host. */
let lastValid: string | undefined;

/**
 * Makes `headers.host` the host of the request (RFC 9112 3.2): a target in absolute form has its own, which counts.
 * @returns false if there are several, or one that is not a host
 */
export function settleHost({ headers, rawHeaders, url = '' }: IncomingMessage): boolean {
  if (!url.startsWith('/') && url.includes('://')) headers.host = authorityOf(url);
  const { host } = headers;
  if (host === undefined || host === '') return true;
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (isHostName(rawHeaders[i])) count++;
  if (count > 1) return false;
  if (host === lastValid) return true;
  if (!hostForm.test(host) || !URL.canParse(`http://${host}`)) return false;
  lastValid = host;
  return true;
}

function isHostName(name = ''): boolean {
  return name.length === 4 && name.toLowerCase() === 'host';
}

/** The authority of a URL, not validated. */
function authorityOf(url: string): string {
  return /^[^:]*:\/\/([^/?#]*)/.exec(url)?.[1] ?? '';
}

/** Base URL of this gateway for clients, without a slash at the end: from settings, otherwise from the request. */
export function baseUrl(
  req: IncomingMessage,
  { publicUrl, trustProxy }: Pick<GatewaySettings, 'publicUrl' | 'trustProxy'>,
): string {
  if (publicUrl !== undefined) return withoutSlashAtEnd(publicUrl);
  const own = req.socket instanceof TLSSocket ? 'https' : 'http';
  const forwarded = trustProxy ? first(req.headers['x-forwarded-proto']) : undefined;
  const protocol = forwarded === 'http' || forwarded === 'https' ? forwarded : own;
  const named = requestedHost(req, { trustProxy });
  const url = `${protocol}://${named}`;
  return named !== undefined && hostForm.test(named) && URL.canParse(url) ? url : `${own}://${localHost(req)}`;
}

/** The Host that the client sent, not validated; behind a trusted proxy the forwarded one. */
export function requestedHost(
  { headers }: IncomingMessage,
  { trustProxy }: Pick<GatewaySettings, 'trustProxy'>,
): string | undefined {
  return (trustProxy && first(headers['x-forwarded-host'])) || headers.host;
}

/** Without a pattern: `/\/+$/` takes quadratic time. */
export function withoutSlashAtEnd(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end--;
  return url.slice(0, end);
}

/** The local address of the connection. */
function localHost({ socket: { localAddress = '', localPort } }: IncomingMessage): string {
  return `${urlHost(localAddress)}:${localPort}`;
}

/** The first value is from the proxy next to the client. */
function first(header: string | string[] | undefined): string | undefined {
  return header?.toString().split(',')[0]?.trim();
}

/**
 * Groups of an IPv6 address that identify a network: a customer of a provider has at least a /64, which is one client.
 */
const NETWORK_GROUPS = 4;

/**
 * The key of an address for limits: an IPv4 address, or the /64 of an IPv6 address.
 * @param address with or without a port; undefined if it is not one
 */
export function networkOf(address = ''): string | undefined {
  const bare = bareAddress(address);
  const mapped = bare.slice(bare.lastIndexOf(':') + 1);
  if (isIPv4(mapped) && (mapped === bare || isIPv6(bare))) return mapped;
  return isIPv6(bare) ? groupsOf(bare).slice(0, NETWORK_GROUPS).join(':') : undefined;
}

function bareAddress(address: string): string {
  const text = address.trim();
  return isIPv6(text) ? text : withoutPort(text);
}

/** Formats of some proxies and of gRPC: `192.0.2.1:4711`, `[2001:db8::1]:4711`, `2001:db8::1:47110`. */
export function withoutPort(text: string): string {
  const [, address, named = address] = /^(\[([^\]]*)\]|[^[].*?)(?::\d+)?$/.exec(text) ?? [];
  return named ?? '';
}

/** The eight groups, without leading zeros. */
function groupsOf(address: string): string[] {
  const [before = [], after = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16).toString(16));
}

/**
 * The client's address. The last values of `X-Forwarded-For` are from our proxies; all values before them may be
 * forged.
 * @param hops number of proxies in front of the gateway; 0: the header is ignored
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | string[] | undefined,
  hops: number,
): string | undefined {
  if (hops === 0) return socketAddress;
  const named = bareAddress(forwardedFor?.toString().split(',').at(-hops) ?? '');
  return networkOf(named) === undefined ? socketAddress : named;
}
