import type { Principal } from '@switchyard/store';
import { type Entrance, openCall } from '../../http/entrance.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { HttpCall } from '../../http/http-call.ts';
import { legacyVersion } from '../../http/protocol-version.ts';

/** A call of version 0.3 that came by HTTP. Its answer has the headers of that version. @throws {A2AError} */
export function openLegacyCall(entrance: Entrance, exchange: Exchange, principal: Principal): HttpCall {
  const { res } = exchange;
  res.setHeader('A2A-Version', legacyVersion);
  const call = openCall(entrance, exchange, { principal, version: legacyVersion });
  const active = res.getHeader('A2A-Extensions');
  if (active !== undefined) res.setHeader('X-A2A-Extensions', active);
  return call;
}
