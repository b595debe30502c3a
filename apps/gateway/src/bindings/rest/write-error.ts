import { type A2AError, type HttpErrorBody, toHttpError } from '@switchyard/protocol';
import type { Exchange } from '../../http/exchange.ts';
import { type Refusal, reportFailure } from '../../http/report-failure.ts';
import { respond } from '../../http/respond.ts';
import { mediaTypeFor } from './write-result.ts';

/** JSON of google.rpc.Status (A2A 11.6). */
export function errorBody(error: A2AError): string {
  return JSON.stringify(toHttpError(error).body);
}

export function writeError(entrance: Refusal, exchange: Exchange, thrown: unknown): void {
  const error = reportFailure(entrance, exchange, thrown);
  // The connection broke while a body was being written: there is nobody to tell.
  if (exchange.res.headersSent) return void exchange.res.destroy();
  writeStatus(exchange, toHttpError(error));
}

/** @param allow verbs that the path does take: the status is 405 (RFC 9110 15.5.6), of which no A2A error speaks */
export function writeWrongVerb(
  entrance: Refusal,
  exchange: Exchange,
  { error, allow }: { error: A2AError; allow: string },
): void {
  exchange.res.setHeader('Allow', allow);
  const { body } = toHttpError(reportFailure(entrance, exchange, error));
  writeStatus(exchange, { status: 405, body: { error: { ...body.error, code: 405 } } });
}

function writeStatus({ req, res }: Exchange, { status, body }: { status: number; body: HttpErrorBody }): void {
  res.statusCode = status;
  respond(res, mediaTypeFor(req), JSON.stringify(body));
}
