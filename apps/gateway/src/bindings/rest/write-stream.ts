import type { Entrance } from '../../http/entrance.ts';
import type { Exchange } from '../../http/exchange.ts';
import { reportFailure } from '../../http/report-failure.ts';
import type { StreamItem } from '../../operations/operation.ts';
import { serveStream } from '../../sse/serve-stream.ts';
import { errorBody } from './write-error.ts';

/** A2A 11.7: each event is a StreamResponse as it is stored. */
export function writeStream(entrance: Entrance, exchange: Exchange, items: AsyncIterable<StreamItem>): Promise<void> {
  return serveStream(exchange.res, items, {
    heartbeatMs: entrance.settings.heartbeatMs,
    data: asStored,
    error: (thrown) => errorBody(reportFailure(entrance, exchange, thrown)),
  });
}

const asStored = (json: string): string => json;
