import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import { protocolVersion } from '../call/service-parameters.ts';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** Name, value, name, value, … The browser that shows an answer as a page is told that it is none. */
const ofEvery: readonly string[] = [
  'A2A-Version',
  protocolVersion,
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
];
const ofTls: readonly string[] = ['Strict-Transport-Security', 'max-age=31536000'];

/** The headers that every answer has. */
export function commonHeaders(requestId: string, res: ServerResponse): string[] {
  const common = ['X-Request-Id', requestId, ...ofEvery];
  if (res.socket instanceof TLSSocket) common.push(...ofTls);
  return common;
}

/** A response with the headers that every answer has. To set them one by one would cost Node twice the time. */
export class Answer<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** Unset until the exchange has begun. */
  requestId: string | undefined;

  /** Node calls it, too, where no handler has. A list of headers is the cheapest, if none was set before. */
  override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
    if (this.requestId !== undefined) {
      const common = commonHeaders(this.requestId, this);
      if (Array.isArray(reason) && this.getHeaderNames().length === 0)
        return super.writeHead(status, [...common, ...reason]);
      for (let i = 0; i < common.length; i += 2) this.#setUnlessSet(common[i], common[i + 1]);
    }
    return typeof reason === 'string' ? super.writeHead(status, reason, headers) : super.writeHead(status, reason);
  }

  #setUnlessSet(name = '', value = ''): void {
    if (!this.hasHeader(name)) this.setHeader(name, value);
  }
}
