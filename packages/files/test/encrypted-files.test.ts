import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { skippedFor } from '../../../tests/support/has-program.ts';
import { missingS3 } from '../../../tests/support/s3-server.ts';
import type { FileStore } from '../src/index.ts';
import { broken, bytesOf, content, facts, sha256 } from './support/contents.ts';
import { newFolder, type Place, useS3 } from './support/places.ts';

const CHUNK = 64 * 1024;
/** What is stored of a chunk: IV, cipher text and tag. */
const STORED = CHUNK + 28;
const MiB = 1024 ** 2;
const roomy = { maxFileBytes: 100 * MiB, maxBytesPerPrincipal: 500 * MiB };
const damaged = { reason: 'damaged' };

describe('Encrypted, in a folder', () => testEncryption(newFolder));
const missing = skippedFor(missingS3());
describe.skipIf(missing)(`Encrypted, in a bucket${missing ? ` (${missing})` : ''}`, () => testEncryption(useS3()));

function testEncryption(newPlace: () => Promise<Place>): void {
  let place: Place;
  let files: FileStore;

  beforeEach(async () => {
    place = await newPlace();
    files = place.open(roomy, ['a secret']);
    await files.start();
  });

  const read = async (id: string, range?: { start: number; end: number }, from = files): Promise<Buffer> => {
    const opened = await from.open('o', id);
    return opened ? bytesOf(opened, range) : Buffer.from('no such file');
  };

  const isContent = /(?:\/content|content\/[^/]+)$/;

  it('neither content nor name are stored in clear', async () => {
    const text = 'what nobody else may read';
    await files.write('o', content(text.repeat(10_000)), { facts });
    const id = await files.begin('o', facts, 300);
    await files.append('o', id, { offset: 0, content: content(text) });
    const stored = Buffer.concat(await place.stored(/./));
    expect(stored.length).toBeGreaterThan(250_000);
    for (const clear of [text, 'a.bin', 'video/mp4', sha256(text.repeat(10_000))])
      expect(stored.includes(clear)).toBe(false);
  });

  it.each([1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 5])(
    'a file of %i bytes has any range, and the size and SHA-256 of what was written',
    async (length) => {
      const all = randomBytes(length);
      const file = await files.write('o', content(all.subarray(0, 7), all.subarray(7)), { facts });
      expect(file).toMatchObject({ sizeBytes: length, sha256: sha256(all) });
      expect((await read(file.id)).equals(all)).toBe(true);
      const near = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, length - 1].filter((at) => at >= 0 && at < length);
      for (const start of near)
        for (const end of near.filter((at) => at >= start))
          expect((await read(file.id, { start, end })).equals(all.subarray(start, end + 1))).toBe(true);
    },
  );

  describe('of a content that was changed in the store no changed byte is read:', () => {
    const all = randomBytes(3 * CHUNK + 100);
    let id: string;

    beforeEach(async () => {
      ({ id } = await files.write('o', content(all), { facts }));
    });

    it('one byte', async () => {
      await place.change(isContent, (stored) =>
        stored.fill(stored.at(STORED + 500) === 0 ? 1 : 0, STORED + 500, STORED + 501),
      );
      expect((await read(id, { start: 0, end: CHUNK - 1 })).equals(all.subarray(0, CHUNK))).toBe(true);
      await expect(read(id, { start: 0, end: CHUNK })).rejects.toMatchObject(damaged);
    });

    it.each([
      ['at the end of a chunk', 2 * STORED],
      ['in a chunk', 2 * STORED + 50],
      ['in a tag', STORED - 1],
    ])('the end is cut off %s', async (_, length) => {
      await place.change(isContent, (stored) => stored.subarray(0, length));
      await expect(read(id)).rejects.toThrow();
      await expect(read(id, { start: 3 * CHUNK, end: 3 * CHUNK + 9 })).rejects.toThrow();
    });

    it('chunks have changed places', async () => {
      const [first, second] = [
        { start: 0, end: 9 },
        { start: CHUNK, end: CHUNK + 9 },
      ];
      await place.change(isContent, (stored) =>
        Buffer.concat([stored.subarray(STORED, 2 * STORED), stored.subarray(0, STORED), stored.subarray(2 * STORED)]),
      );
      for (const range of [first, second]) await expect(read(id, range)).rejects.toMatchObject(damaged);
    });

    it('it is that of another file of the same size', async () => {
      const [before] = await place.stored(isContent);
      const other = await files.write('o', content(all), { facts });
      await place.change(isContent, () => before ?? Buffer.alloc(0));
      expect((await read(id)).equals(all)).toBe(true);
      await expect(read(other.id)).rejects.toMatchObject(damaged);
    });

    it('the facts are those of another file', async () => {
      const [before] = await place.stored(/facts\.json$/);
      const other = await files.write('o', content('x'), { facts });
      await place.change(/facts\.json$/, () => before ?? Buffer.alloc(0));
      expect(await files.find('o', id)).toMatchObject({ sizeBytes: all.length });
      await expect(files.find('o', other.id)).rejects.toMatchObject(damaged);
    });
  });

  it('another secret reads nothing, and operators learn which one is missing', async () => {
    const { id } = await files.write('o', content('x'), { facts });
    const other = place.open(roomy, ['another secret']);
    const refused = await other.find('o', id).catch((error: unknown) => error);
    expect(refused).toMatchObject({ reason: 'unavailable', message: 'The store of files is unavailable' });
    expect(refused).toMatchObject({ cause: { message: expect.stringMatching(/secret [\w-]{8}, .*FILES_SECRET/) } });
    expect(await other.delete('o', id)).toBe(true);
  });

  it('after a rotation old files are read, and so are uploads that go on and files in clear', async () => {
    const clear = await place.open(roomy).write('o', content('in clear'), { facts });
    const old = await files.write('o', content('old'), { facts });
    const upload = await files.begin('o', facts, 6);
    await files.append('o', upload, { offset: 0, content: content('abc') });
    const rotated = place.open(roomy, ['a new secret', 'a secret']);
    await rotated.append('o', upload, { offset: 3, content: content('def') });
    const next = await rotated.write('o', content('new'), { facts });
    for (const [id, text] of [
      [clear.id, 'in clear'],
      [old.id, 'old'],
      [upload, 'abcdef'],
      [next.id, 'new'],
    ] as const)
      expect((await read(id, undefined, rotated)).toString()).toBe(text);
    await expect(files.find('o', next.id)).rejects.toMatchObject({ reason: 'unavailable' });
  });

  it('an upload goes on in the middle of a chunk, in other processes, with pieces of any size', async () => {
    const all = randomBytes(4 * CHUNK + 100);
    const id = await files.begin('o', facts, all.length);
    let offset = 0;
    for (const length of [1, 1_000, CHUNK, CHUNK - 1_001, 70_000]) {
      const piece = all.subarray(offset, offset + length);
      const one = place.open(roomy, ['a secret']);
      await expect(one.append('o', id, { offset, content: broken(piece) })).rejects.toThrow('broke off');
      offset += length;
      expect(await place.open(roomy, ['a secret']).upload('o', id)).toMatchObject({ offset });
    }
    await files.append('o', id, { offset, content: content(all.subarray(offset)) });
    expect(await files.find('o', id)).toMatchObject({ sizeBytes: all.length, sha256: sha256(all) });
    expect((await read(id)).equals(all)).toBe(true);
    expect((await place.names()).filter((name) => /tail|upload/.test(name))).toEqual([]);
  });
}
