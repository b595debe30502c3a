import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Chance } from './chance.ts';

/** What may be added to the objects of a protocol. */
export interface JsonOddities {
  /** Fields that a sender may set to null instead of leaving them out. */
  readonly nulls: readonly string[];
  /** Values of these fields are free data: nothing is added to them. */
  readonly free: readonly string[];
}

/** Writes the value as JSON in a form that few senders use, with the same meaning (RFC 8259). */
export function oddJson(value: unknown, chance: Chance, oddities: JsonOddities): string {
  const gap = (): string => (chance.oneIn(6) ? chance.pick([' ', '\n', '\t', '\r\n', '  \n']) : '');
  const list = (open: string, items: readonly string[], close: string): string =>
    `${open}${gap()}${items.join(`${gap()},${gap()}`)}${gap()}${close}`;
  const write = (item: unknown, isFree: boolean): string => {
    if (typeof item === 'string') return oddString(item, chance);
    if (Array.isArray(item)) {
      return list(
        '[',
        item.map((each) => write(each, isFree)),
        ']',
      );
    }
    if (typeof item !== 'object' || item === null) return JSON.stringify(item);
    const fields = Object.entries(item).filter(([, each]) => each !== undefined);
    const added = isFree ? [] : additions(new Set(Object.keys(item)), chance, oddities);
    const members = [...fields, ...added].map(
      ([name, each]) =>
        `${oddString(name, chance)}${gap()}:${gap()}${write(each, isFree || oddities.free.includes(name))}`,
    );
    return list('{', chance.shuffled(members), '}');
  };
  return `${gap()}${write(value, false)}${gap()}`;
}

/** Fields of a later version of the protocol, and fields without a value. */
function additions(present: ReadonlySet<string>, chance: Chance, { nulls }: JsonOddities): [string, unknown][] {
  const unset = nulls.filter((name) => !present.has(name) && chance.oneIn(4));
  const later: [string, unknown][] = chance.oneIn(5) ? [['x_later', { of: [1, null, 'two'], deep: {} }]] : [];
  return [...unset.map((name): [string, unknown] => [name, null]), ...later];
}

/** Any character of a JSON string may be written as escapes of its UTF-16 units. */
function oddString(text: string, chance: Chance): string {
  const plain = JSON.stringify(text);
  if (plain.includes('\\') || !chance.oneIn(4)) return plain;
  const escaped = (character: string): string =>
    Array.from(character.split(''), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  return `"${Array.from(text, (each) => (chance.oneIn(3) ? escaped(each) : each)).join('')}"`;
}

export interface OddEvent {
  /** May contain line breaks. */
  readonly data: string;
  readonly id?: string;
}

/** Writes server-sent events in any form that the standard allows (HTML, 9.2.6). */
export function oddEvents(events: readonly OddEvent[], chance: Chance): Buffer {
  const noise = (): string[] =>
    chance.oneIn(4) ? [chance.pick([':', ': keep-alive', 'retry: 3000', 'x-note: a:b', 'later'])] : [];
  const field = (name: string, value: string): string =>
    value.startsWith(' ') || !chance.oneIn(4) ? `${name}: ${value}` : `${name}:${value}`;
  const lines = events.flatMap(({ data, id }) => {
    const texts = data.split(/\r\n|\n|\r/).map((line) => field('data', line));
    const ids = id === undefined ? [] : [field('id', id)];
    const fields = chance.oneIn(2) ? [...ids, ...texts] : [...texts, ...ids];
    const before = chance.oneIn(8) ? ['', ...noise(), ''] : [];
    return [...before, ...fields.flatMap((line) => [...noise(), line]), ''];
  });
  const mark = chance.oneIn(5) ? '\uFEFF' : '';
  return Buffer.from(mark + withLineEnds(lines, chance));
}

function withLineEnds(lines: readonly string[], chance: Chance): string {
  const usual = chance.pick(['\n', '\r\n', '\r']);
  const mixes = chance.oneIn(5);
  let last = '';
  return lines
    .map((line) => {
      const end = mixes ? chance.pick(['\n', '\r\n', '\r']) : usual;
      // CR and LF together are one line end, not an empty line.
      last = last === '\r' && line === '' && end === '\n' ? '\r' : end;
      return line + last;
    })
    .join('');
}

/** Sends the body in pieces that end anywhere, with pauses, compressed if the client accepts that. */
export async function sendOddly(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  { body, type }: { readonly body: Buffer; readonly type: string },
  chance: Chance,
): Promise<void> {
  const coding = codingFor(String(request.headers['accept-encoding'] ?? ''), chance);
  const sent = coding ? coding.encode(body) : body;
  response.writeHead(200, {
    'content-type': chance.pick([type, `${type}; charset=utf-8`, `${type};charset=UTF-8`, type.toUpperCase()]),
    ...(coding && { 'content-encoding': coding.name }),
    ...(chance.oneIn(3) && { 'content-length': sent.byteLength }),
  });
  const longest = chance.pick([5, 64, 1024, 65_536, 65_536]);
  for (let at = 0, pauses = 0; at < sent.byteLength; ) {
    const end = at + 1 + chance.below(longest);
    response.write(sent.subarray(at, end));
    at = end;
    if (pauses < 40 && chance.oneIn(3)) {
      pauses++;
      await (chance.oneIn(20) ? setTimeout(2) : setImmediate());
    }
  }
  response.end();
}

const codings = [
  { name: 'gzip', encode: (bytes: Buffer) => gzipSync(bytes) },
  { name: 'deflate', encode: (bytes: Buffer) => deflateSync(bytes) },
  { name: 'br', encode: (bytes: Buffer) => brotliCompressSync(bytes) },
] as const;

function codingFor(accepted: string, chance: Chance): (typeof codings)[number] | undefined {
  const names = accepted.split(',').map((each) => each.trim());
  const [first, ...others] = codings.filter(({ name }) => names.includes(name));
  return first && chance.oneIn(4) ? chance.pick([first, ...others]) : undefined;
}
