import type { IncomingMessage } from 'node:http';
import { A2AError } from '@switchyard/protocol';
import { parseJson } from './parse-json.ts';
import { readBody } from './read-body.ts';

/** A2A's own media type (14.1.1) and the plain one. A body without a type is taken for JSON. */
const jsonMediaType = /^application\/(?:a2a\+)?json *(?:;|$)/i;

/** The JSON of a body. @throws {A2AError} ContentTypeNotSupported, PayloadTooLarge, ParseError, InvalidRequest */
export async function readJson(req: IncomingMessage, maxBytes: number): Promise<unknown> {
  return parseJson(await readJsonText(req, maxBytes));
}

/** As `readJson`, not parsed yet. @throws {A2AError} ContentTypeNotSupported, PayloadTooLarge, ParseError, InvalidRequest */
export async function readJsonText(req: IncomingMessage, maxBytes: number): Promise<string> {
  const type = req.headers['content-type'];
  if (type !== undefined && !jsonMediaType.test(type)) throw wrongMediaType();
  return readBody(req, maxBytes);
}

/** As `readJson`; an empty body stands for an empty object. */
export async function readOptionalJson(req: IncomingMessage, maxBytes: number): Promise<unknown> {
  const { 'content-length': length, 'transfer-encoding': transfer } = req.headers;
  const isEmpty = transfer === undefined && (length === undefined || length === '0');
  return isEmpty ? {} : readJson(req, maxBytes);
}

function wrongMediaType(): A2AError {
  return new A2AError('ContentTypeNotSupported', 'The body must be JSON', {
    violations: [{ field: 'Content-Type', description: 'must be application/a2a+json or application/json' }],
  });
}
