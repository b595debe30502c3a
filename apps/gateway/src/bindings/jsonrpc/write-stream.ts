import type { Entrance } from '../../http/entrance.ts';
import type { Exchange } from '../../http/exchange.ts';
import { reportFailure } from '../../http/report-failure.ts';
import type { StreamItem } from '../../operations/operation.ts';
import { serveStream } from '../../sse/serve-stream.ts';
import { errorEnvelope } from './write-error.ts';
import { envelope } from './write-result.ts';

export interface JsonRpcStream {
  /** JSON text: each event is a response to the same request (A2A 9.4.2). */
  readonly id: string;
  readonly items: AsyncIterable<StreamItem>;
}

export function writeStream(entrance: Entrance, exchange: Exchange, { id, items }: JsonRpcStream): Promise<void> {
  return serveStream(exchange.res, items, {
    heartbeatMs: entrance.settings.heartbeatMs,
    data: (json) => envelope(id, json),
    error: (thrown) => errorEnvelope(id, reportFailure(entrance, exchange, thrown)),
  });
}
