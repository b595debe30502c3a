import { integer, optional, type Parser, type RedisConnection, text, tuple } from '@switchyard/redis';
import { isStateLetter, stateOf } from '../visibility/state-letters.ts';

/** A piece of a task, as in pieces.lua: JSON, or the key and last byte of a large text, or of its latest messages. */
export type Piece = string | [key: string, last: number, latest: number | null];

const textReference = tuple(text, integer, optional(integer));
/** The first piece: JSON, the letter of the state, its time as in an index, JSON. */
const head = tuple(text, text, text, text);
const TIME = /^[0-9a-z]{8}$/;

export const piece: Parser<Piece> = (reply) => {
  if (typeof reply === 'string') return reply;
  if (!Array.isArray(reply) || reply.length < 4) return textReference(reply);
  const [before, letter, time, behind] = head(reply);
  // A turn of a damaged record begins with what is no JSON, and fails alone: read.lua refuses such a record before.
  if (!isStateLetter(letter) || !TIME.test(time)) return before + behind;
  return `${before}{"state":"${stateOf(letter)}","timestamp":"${timeOf(time)}"${behind}`;
};

/** A time as in an index, as ISO. */
export function timeOf(sortable: string): string {
  return new Date(Number.parseInt(sortable, 36)).toISOString();
}

/** The approximate size: a text that was read already may have more bytes than characters. */
export function bytesIn(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + (typeof piece === 'string' ? piece.length : piece[1]), 0);
}

/** Bytes of a task's history, and of the parts of each artifact, in their order. */
export interface TextSizes {
  readonly history: number;
  readonly artifacts: readonly number[];
}

export const BEFORE_HISTORY = ',"history":[';
/** Of an artifact: its header, its parts, its end. Before the first one is the head of the task. */
const PIECES_OF_ARTIFACT = 3;

/** @returns undefined: the task came in one piece, and is small */
export function sizesOf(pieces: readonly Piece[]): TextSizes | undefined {
  const end = pieces.indexOf(BEFORE_HISTORY);
  const history = end < 0 ? undefined : pieces[end + 1];
  if (history === undefined) return undefined;
  const parts = pieces.slice(2, end).filter((_, i) => i % PIECES_OF_ARTIFACT === 0);
  return { history: sizeOf(history), artifacts: parts.map(sizeOf) };
}

const sizeOf = (piece: Piece): number => (typeof piece === 'string' ? Buffer.byteLength(piece) : piece[1]);

/** Part of a large text that is read at a time: the client library needs three times the size of a reply. */
const RANGE_BYTES = 1_024 * 1_024;
const RANGES_AT_ONCE = 8;

type Range = [key: string, from: number, to: number];

/** The latest messages of a long history. */
interface LatestMessages {
  readonly key: string;
  readonly last: number;
  readonly count: number;
}

/** The bytes of a task. @returns undefined: a large text was replaced meanwhile */
export async function readPieces(redis: RedisConnection, pieces: readonly Piece[]): Promise<Buffer[] | undefined> {
  if (pieces.every((piece) => typeof piece === 'string')) return [encode(pieces.join(''))];
  const parts = pieces.flatMap(toParts);
  const bytes: Buffer[] = [];
  let texts: string[] = [];
  const join = (): void => {
    if (texts.length > 0) bytes.push(encode(texts.join('')));
    texts = [];
  };
  for (let at = 0; at < parts.length; at += RANGES_AT_ONCE) {
    const some = parts.slice(at, at + RANGES_AT_ONCE);
    for (const part of await Promise.all(some.map((part) => read(redis, part)))) {
      if (part === undefined) return undefined;
      if (typeof part === 'string') texts.push(part);
      else {
        join();
        bytes.push(part);
      }
    }
  }
  join();
  return bytes;
}

type Part = string | Range | LatestMessages;

function toParts(piece: Piece): Part[] {
  if (typeof piece === 'string') return [piece];
  const [key, last, count] = piece;
  if (count !== null) return [{ key, last, count }];
  const ranges = Math.ceil(last / RANGE_BYTES);
  return Array.from({ length: ranges }, (_, i): Range => {
    const before = i * RANGE_BYTES;
    return [key, before + 1, Math.min(before + RANGE_BYTES, last)];
  });
}

/** The text outside of Node's buffer pool: a slab of the pool would be kept as long as any text in it. */
function encode(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

async function read(redis: RedisConnection, part: Part): Promise<string | Buffer | undefined> {
  if (typeof part === 'string') return part;
  return Array.isArray(part) ? large(redis, part) : latestMessages(redis, part);
}

/** A raw tab separates messages, and is in none of them: see texts.lua. */
const TAB = 9;

/** Reads the history from its end, until it has the messages. */
async function latestMessages(
  redis: RedisConnection,
  { key, last, count }: LatestMessages,
): Promise<Buffer | undefined> {
  const ranges: Buffer[] = [];
  let missing = count;
  for (let to = last; to > 0; to -= RANGE_BYTES) {
    const range = await large(redis, [key, Math.max(1, to - RANGE_BYTES + 1), to]);
    if (!range) return undefined;
    let start = range.length;
    while (start >= 0 && missing > 0) {
      start = start === 0 ? -1 : range.lastIndexOf(TAB, start - 1);
      if (start >= 0) missing--;
    }
    ranges.unshift(range.subarray(start + 1));
    if (missing === 0) break;
  }
  return Buffer.concat(ranges);
}

/** Reads a range. The text only grows, and a text that replaces it has another key. */
async function large(redis: RedisConnection, [key, from, to]: Range): Promise<Buffer | undefined> {
  const text = await redis.getrangeBuffer(key, from, to);
  return text.length === to - from + 1 ? text : undefined;
}
