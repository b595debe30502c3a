import type { Request } from 'express';

/** What the Host header may hold to be repeated in a card: it is the caller's word. */
const host = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Where clients reach this gateway: as the settings say, else as this client did. Without a slash at its end. */
export function baseUrl(req: Request, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '');
  const { localAddress, localPort } = req.socket;
  return `${req.protocol}://${host.test(req.host ?? '') ? req.host : `${localAddress}:${localPort}`}`;
}
