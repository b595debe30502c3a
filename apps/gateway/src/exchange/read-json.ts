import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { A2AError, type FieldViolation, invalidParams, wrongFields } from '@switchyard/protocol';
import { fieldPath } from '@switchyard/protocol/schemas';

/**
 * A2A's media type (14.1.1) and plain JSON. Web pages may send bodies of other types, or without one, to any server.
 */
const jsonMediaType = /^application\/(?:a2a\+)?json *(?:;|$)/i;

export interface BodyLimits {
  /** Maximum size after decompression. */
  readonly maxBytes: number;
  /** Maximum number of values in JSON: see `hasMoreValues`. */
  readonly maxValues: number;
  /** Where files are uploaded that do not fit. Unset: nowhere, or the body has none. */
  readonly filesUrl?: string;
  /** Counts bytes of larger bodies in memory. Unset: not counted. */
  readonly counter?: { reserve(bytes: number): void };
}

/** Smaller bodies are not counted: a connection may have as much in headers. */
const maxUncounted = 16 * 1024;

/**
 * The text of a JSON body, not parsed.
 * @throws {A2AError} ContentTypeNotSupported, PayloadTooLarge, RateLimited, Unavailable, ParseError, InvalidRequest
 */
export async function readJsonText(req: IncomingMessage, limits: BodyLimits): Promise<string> {
  requireJsonType(req);
  return requireFewValues(await readBody(req, limits), limits);
}

/**
 * The JSON of a body; an empty one is an empty object, and needs no type. So is `null`, which some clients send for a
 * request without fields.
 * @throws {A2AError} ContentTypeNotSupported, PayloadTooLarge, RateLimited, Unavailable, ParseError, InvalidRequest,
 * InvalidParams
 */
export async function readOptionalJson(req: IncomingMessage, limits: BodyLimits): Promise<unknown> {
  const { 'content-length': length, 'transfer-encoding': transfer } = req.headers;
  if (transfer === undefined && (length === undefined || length === '0')) return {};
  if (transfer === undefined) requireJsonType(req);
  // A chunked body, as many proxies send it, may be empty: only its end shows that.
  const text = await readBody(req, limits);
  if (text === '') return {};
  requireJsonType(req);
  return parseJson(requireFewValues(text, limits)) ?? {};
}

/**
 * The body of a webhook: JSON if its type says so, otherwise its text; an empty one is an empty object.
 * @throws {A2AError} PayloadTooLarge, RateLimited, Unavailable, ParseError, InvalidRequest, InvalidParams
 */
export async function readAnyBody(req: IncomingMessage, limits: BodyLimits): Promise<unknown> {
  const text = await readBody(req, limits);
  if (text === '') return {};
  const isJson = /[/+]json *(?:;|$)/i.test(req.headers['content-type'] ?? '');
  return isJson ? parseJson(requireFewValues(text, limits)) : text;
}

function requireFewValues(text: string, { maxValues }: BodyLimits): string {
  if (hasMoreValues(text, maxValues)) throw tooManyValues(maxValues);
  return text;
}

export function tooManyValues(maxValues: number): A2AError {
  return new A2AError('PayloadTooLarge', `The request has more than ${maxValues} values`, {
    metadata: { maxValues: String(maxValues) },
  });
}

const [quote, backslash, comma, list, object] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/**
 * Whether a JSON text has more values than `maxValues`: entries of lists, members of objects, and lists and objects
 * themselves (an empty one counts twice). Parsing and checking a value can cost some microseconds, and nothing else
 * runs meanwhile. Counting costs a nanosecond per character outside of strings, and nothing for a text that is too
 * short; it stops at the first value that is too many.
 */
export function hasMoreValues(text: string, maxValues: number): boolean {
  if (text.length <= maxValues) return false;
  let count = 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) i = endOfString(text, i);
    else if ((code === comma || code === list || code === object) && ++count > maxValues) return true;
  }
  return false;
}

/** Position of the quote that ends the string from `start` on; the text's length if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === backslash) before--;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}

function requireJsonType({ headers }: IncomingMessage): void {
  if (jsonMediaType.test(headers['content-type'] ?? '')) return;
  throw wrongFields('ContentTypeNotSupported', 'The body must be JSON', [
    { field: 'Content-Type', description: 'must be application/a2a+json or application/json' },
  ]);
}

const decoders = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/**
 * The body as text, decompressed; the limit applies to the decompressed size.
 * @throws {A2AError} PayloadTooLarge; InvalidRequest if it is broken or its encoding is unknown
 */
export async function readBody(req: IncomingMessage, limits: BodyLimits): Promise<string> {
  if (Number(req.headers['content-length']) > limits.maxBytes) throw tooLarge(limits);
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return collect(req, limits);
  const createDecoder = decoders.get(encoding.toLowerCase());
  if (!createDecoder) throw unknownEncoding();
  const decoder = createDecoder();
  let isBroken = false;
  decoder.on('error', () => (isBroken = !req.errored));
  req.on('error', (error) => decoder.destroy(error)).pipe(decoder);
  try {
    return await collect(decoder, limits);
  } catch (cause) {
    throw isBroken ? wrongEncoding(encoding, cause) : cause;
  } finally {
    // Stops decompressing; the rest of the body is read and dropped, so that the client reads the response.
    decoder.destroy();
    req.resume();
  }
}

function collect(source: Readable, limits: BodyLimits): Promise<string> {
  const { maxBytes, counter } = limits;
  return new Promise((resolve, reject) => {
    let gathered = new GatheredBytes();
    let length = 0;
    let counted = 0;
    let isRefused = false;
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (isRefused) return;
      try {
        if (length > maxBytes) throw tooLarge(limits);
        if (length > maxUncounted) {
          counter?.reserve(length - counted);
          counted = length;
        }
        gathered.add(chunk);
      } catch (refusal) {
        isRefused = true;
        gathered = new GatheredBytes();
        reject(refusal);
      }
    };
    const onError = (cause: unknown): void =>
      reject(new A2AError('InvalidRequest', 'The body could not be read', { cause }));
    const onEnd = (): void => {
      // The request lives until its response, for a stream days: remaining listeners would keep the body in memory.
      source.off('data', onData).off('error', onError).off('end', onEnd);
      const bytes = gathered.joined();
      if (isUtf8(bytes)) resolve(bytes.toString());
      else reject(new A2AError('ParseError', 'The body is not valid UTF-8'));
    };
    source.on('data', onData).on('error', onError).on('end', onEnd);
  });
}

function tooLarge({ maxBytes, filesUrl }: BodyLimits): A2AError {
  const hint = filesUrl === undefined ? '' : `: send its files to POST ${filesUrl}, and in the message their URLs`;
  return new A2AError('PayloadTooLarge', `The body is larger than ${maxBytes} bytes${hint}`, {
    metadata: { maxBytes: String(maxBytes) },
  });
}

function unknownEncoding(): A2AError {
  return wrongFields('InvalidRequest', 'The content encoding is not supported', [
    { field: 'Content-Encoding', description: `must be one of ${[...decoders.keys()].join(', ')}` },
  ]);
}

function wrongEncoding(encoding: string, cause: unknown): A2AError {
  const description = `is ${encoding}, but the body is not`;
  return wrongFields(
    'InvalidRequest',
    'The body could not be read',
    [{ field: 'Content-Encoding', description }],
    cause,
  );
}

/** Maximum nesting, as in protobuf parsers: later code may recurse over the message. */
const deepest = 100;

/** @throws {A2AError} ParseError, InvalidRequest if it is nested too deeply, InvalidParams if a text is not Unicode */
export function parseJson(text: string): unknown {
  const value = parseAnyTexts(text);
  const violations = illFormedText(value, text);
  if (violations.length > 0) throw invalidParams(violations);
  return value;
}

/** As `parseJson`, but its texts may be ill-formed. @throws {A2AError} ParseError, InvalidRequest */
export function parseAnyTexts(text: string): unknown {
  return requireShallow(parse(text), 'body');
}

/** @param field name of the value in the violation @throws {A2AError} InvalidRequest */
export function requireShallow<Value>(value: Value, field: string): Value {
  if (!isShallow(value, deepest))
    throw wrongFields('InvalidRequest', 'Invalid request', [
      { field, description: `is nested more than ${deepest} levels deep` },
    ]);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw wrongFields(
      'ParseError',
      'Invalid JSON payload',
      [{ field: 'body', description: syntaxProblem(cause) }],
      cause,
    );
  }
}

/** What JSON.parse says, without the part of the body that it may quote at its end: bodies have secrets. */
function syntaxProblem(cause: unknown): string {
  const message = cause instanceof SyntaxError ? cause.message : '';
  const quoted = message.indexOf(', ', "Unexpected token ','".length);
  return `is not JSON: ${quoted === -1 ? message : message.slice(0, quoted)}`;
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  for (const member of Object.values(value)) if (!isShallow(member, levels - 1)) return false;
  return true;
}

/** Only as an escape can JSON in UTF-8 have half of a surrogate pair. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

/**
 * The first text in a value that has half of a surrogate pair: no UTF-8 can hold it, nor can gRPC, and strict readers of
 * JSON (RFC 8259 8.2, RFC 7493 2.1) refuse every answer that repeats it.
 * @param json the text from which the value was parsed: most have no escape of a surrogate, and then nothing is searched
 */
export function illFormedText(value: unknown, json: string): FieldViolation[] {
  const path = surrogateEscape.test(json) ? illFormedPath(value) : undefined;
  if (!path) return [];
  return [
    { field: fieldPath('', path) || 'body', description: 'must be valid Unicode: it has half of a surrogate pair' },
  ];
}

/** From the inside out. Undefined: every text is well-formed. */
function illFormedPath(value: unknown): PropertyKey[] | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : [];
  if (typeof value !== 'object' || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [key, member] of Object.entries(value)) {
    const path = isList || key.isWellFormed() ? illFormedPath(member) : [];
    if (path) return [isList ? Number(key) : key, ...path];
  }
  return undefined;
}

/** Chunks that are copied together, and the average size from which they are not. */
const TOGETHER = 64;
const LARGE_BYTES = 1_024;

/**
 * Bytes that come in chunks of any size. Each chunk takes about 180 bytes of memory beside its own, and a client may make
 * one of each byte: small ones are copied together as they come.
 */
class GatheredBytes {
  readonly #whole: Uint8Array[] = [];
  #last: Uint8Array[] = [];
  #lastBytes = 0;
  #bytes = 0;

  add(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    this.#lastBytes += chunk.length;
    this.#last.push(chunk);
    if (this.#last.length < TOGETHER) return;
    if (this.#lastBytes < TOGETHER * LARGE_BYTES) this.#whole.push(Buffer.concat(this.#last, this.#lastBytes));
    else this.#whole.push(...this.#last);
    this.#last = [];
    this.#lastBytes = 0;
  }

  /** All bytes so far, in one piece. */
  joined(): Buffer {
    return Buffer.concat([...this.#whole, ...this.#last], this.#bytes);
  }
}
