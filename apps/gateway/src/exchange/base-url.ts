import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { GatewaySettings } from '../settings/gateway-settings.ts';

/** A Host header that may be repeated in a card: it comes from the client. */
const hostForm = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Base URL of this gateway for clients, without a slash at its end: from the settings, otherwise from the request. */
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

/** The host that the client named, not validated; a trusted proxy says which. */
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

/** The address of this end of the connection. */
function localHost({ socket: { localAddress = '', localPort } }: IncomingMessage): string {
  return localAddress.includes(':') ? `[${localAddress}]:${localPort}` : `${localAddress}:${localPort}`;
}

/** The first value is from the proxy next to the client. */
function first(header: string | string[] | undefined): string | undefined {
  return header?.toString().split(',')[0]?.trim();
}
