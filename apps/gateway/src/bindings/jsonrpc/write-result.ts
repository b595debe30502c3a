import type { ServerResponse } from 'node:http';
import { respond } from '../../http/respond.ts';
import type { Reply } from '../../operations/operation.ts';

/** A2A 9.1. */
export const mediaType = 'application/json';

/** The envelope around what is stored already: nothing is parsed, nothing is written anew. @param id JSON text */
export function envelope(id: string, result: string): string {
  return `${opening(id)}${result}}`;
}

const opening = (id: string): string => `{"jsonrpc":"2.0","id":${id},"result":`;
const closing = Buffer.from('}');

export function writeResult(res: ServerResponse, id: string, { json = 'null' }: Reply): void {
  const isText = typeof json === 'string';
  respond(res, mediaType, isText ? envelope(id, json) : Buffer.concat([Buffer.from(opening(id)), json, closing]));
}
