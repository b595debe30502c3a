import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { GatewaySettings } from '../settings.ts';

/** What the Host header may hold to be repeated in a card: it is the caller's word. */
const host = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Where clients reach this gateway: as the settings say, else as this client did. Without a slash at its end. */
export function baseUrl(
  req: IncomingMessage,
  { publicUrl, trustProxy }: Pick<GatewaySettings, 'publicUrl' | 'trustProxy'>,
): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '');
  const { localAddress, localPort } = req.socket;
  const own = req.socket instanceof TLSSocket ? 'https' : 'http';
  const protocol = (trustProxy && first(req.headers['x-forwarded-proto'])) || own;
  const asked = (trustProxy && first(req.headers['x-forwarded-host'])) || req.headers.host;
  return `${protocol}://${host.test(asked ?? '') ? asked : `${localAddress}:${localPort}`}`;
}

/** What the proxy next to the client says stands first. */
function first(header: string | string[] | undefined): string | undefined {
  return header?.toString().split(',')[0]?.trim();
}
