import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeContent } from '../src/durable.ts';
import { FileEncryption } from '../src/encryption.ts';

/** Writes the chunks to a file. @returns its content, and the sizes of the pieces */
async function write(content: AsyncIterable<Uint8Array>) {
  const path = join(await mkdtemp(join(tmpdir(), 'content-')), 'content');
  const pieces: number[] = [];
  const ends: number[] = [];
  const options = {
    cipher: new FileEncryption().forNew('o', '1-0'),
    onChunk: (piece: Uint8Array) => pieces.push(piece.length),
    onBytes: (end: number) => ends.push(end),
  };
  const sizeBytes = await writeContent(path, content, options).catch((error: Error) => error.message);
  return { sizeBytes, pieces, ends, written: await readFile(path) };
}

it('content is written in pieces of 64 KiB', async () => {
  const line = Buffer.from('0123456789\n');
  async function* lines() {
    for (let i = 0; i < 10_000; i++) yield line;
    yield Buffer.alloc(100_000, 'x');
    yield line;
  }
  const { sizeBytes, pieces, ends, written } = await write(lines());
  const expected = Buffer.concat([...Array<Buffer>(10_000).fill(line), Buffer.alloc(100_000, 'x'), line]);
  expect(written.equals(expected)).toBe(true);
  expect(sizeBytes).toBe(expected.length);
  expect(pieces).toEqual([65_536, 65_536, 65_536, 13_403]);
  expect(ends.at(-1)).toBe(expected.length);
});

it('a source may use its buffer again for the next chunk', async () => {
  const one = Buffer.alloc(1);
  async function* digits() {
    for (const digit of '123') {
      one.write(digit);
      yield one;
    }
  }
  expect(`${(await write(digits())).written}`).toBe('123');
});

it('what has come of a content that breaks off is written', async () => {
  async function* broken() {
    yield Buffer.from('ha');
    yield Buffer.from('lf');
    throw new Error('broken off');
  }
  const { sizeBytes, written } = await write(broken());
  expect([sizeBytes, `${written}`]).toEqual(['broken off', 'half']);
});
