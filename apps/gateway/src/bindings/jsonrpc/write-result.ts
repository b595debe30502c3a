import type { ServerResponse } from 'node:http';
import { respond } from '../../http/respond.ts';
import type { Reply } from '../../operations/operation.ts';

/** A2A 9.1. */
export const mediaType = 'application/json';

/** The envelope around what is stored already: nothing is parsed, nothing is written anew. @param id JSON text */
export function envelope(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
}

export function writeResult(res: ServerResponse, id: string, { json = 'null' }: Reply): void {
  respond(res, mediaType, envelope(id, json));
}
