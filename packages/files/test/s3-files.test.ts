import { beforeEach, describe, expect, it } from 'vitest';
import { skippedFor } from '../../../tests/support/has-program.ts';
import { missingS3 } from '../../../tests/support/s3-server.ts';
import { until } from '../../../tests/support/until.ts';
import { FileRefused, type FileStore, filesAt } from '../src/index.ts';
import { broken, bytesOf, content, facts, read, sha256, sweepOptions } from './support/contents.ts';
import { type S3Place, useS3 } from './support/places.ts';

const MiB = 1024 ** 2;
const roomy = { maxFileBytes: 100 * MiB, maxBytesPerPrincipal: 500 * MiB };
const missing = skippedFor(missingS3());

/** Bytes that differ in every part. */
function bytes(length: number): Buffer {
  const all = Buffer.alloc(length);
  for (let i = 0; i + 4 <= length; i += 1_000) all.writeUInt32BE(i, i);
  return all;
}

/** In chunks, as they come over a network. */
async function* chunksOf(all: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < all.length; i += 100_000) yield all.subarray(i, i + 100_000);
}

describe.skipIf(missing)(`In a bucket${missing ? ` (${missing})` : ''}`, () => {
  const newPlace = useS3();
  let place: S3Place;
  let files: FileStore;

  beforeEach(async () => {
    place = await newPlace();
    files = place.open(roomy);
    await files.start();
    place.path.requests.length = 0;
  });

  /** Objects without those of sweeps, with the ids left out. */
  const objects = async (): Promise<string[]> =>
    (await place.names()).map((name) => name.replace(/^[\da-f]{32}\//, '').replace(/[\da-f]{32}(-\w+)?/, '<id>'));

  const requestsOf = (text: string): string[] => place.path.requests.filter((name) => name.includes(text));

  it('says to operators where it is, and why nothing can be written there', async () => {
    const { place: address, problem } = await files.status();
    expect([address, problem]).toEqual([expect.stringMatching(/^s3:\/\/\S+\/ at http:\/\/127/), undefined]);
    place.path.fate = () => 'breaks';
    expect((await files.status()).problem).toMatch(/^FILES_URL: the bucket .* does not answer/);
  });

  describe('a file of several parts', () => {
    it.each([8 * MiB - 1, 8 * MiB, 8 * MiB + 1, 16 * MiB])('is what was written: %i bytes', async (length) => {
      const all = bytes(length);
      for (const expected of [{}, { sizeBytes: length, sha256: sha256(all) }]) {
        const file = await files.write('o', chunksOf(all), { facts, expected });
        expect(file).toMatchObject({ sizeBytes: length, sha256: sha256(all) });
        expect(sha256((await readBytes(file.id)) ?? '')).toBe(sha256(all));
      }
      expect([...new Set(await objects())].sort()).toEqual(['content/<id>', 'files/<id>/facts.json']);
    });

    it('is read on where the connection to the bucket breaks', async () => {
      const all = bytes(3 * MiB);
      const { id } = await files.write('o', chunksOf(all), { facts });
      let breaks = 0;
      place.path.fate = (request) => (/^GET .*\/content\//.test(request) && ++breaks < 6 ? 1_000 : 'passes');
      expect(sha256((await readBytes(id)) ?? '')).toBe(sha256(all));
      expect(breaks).toBe(6);
    });

    it('is read by several readers, each on the connection of one that is slow with its last bytes', async () => {
      const all = bytes(300_000);
      const { id } = await files.write('o', chunksOf(all), { facts });
      const slow: AsyncIterator<Uint8Array>[] = [];
      for (let i = 0; i < 15; i++) {
        const chunks = (await files.open('o', id))?.chunks()[Symbol.asyncIterator]();
        const got: Buffer[] = [];
        while (chunks && Buffer.concat(got).length < all.length) got.push(Buffer.from((await chunks.next()).value));
        expect(sha256(Buffer.concat(got))).toBe(sha256(all));
        if (chunks) slow.push(chunks);
      }
      expect(await Promise.all(slow.map((chunks) => chunks.next()))).toMatchObject(slow.map(() => ({ done: true })));
    });

    it('fails in the hands of its reader when the bucket stays away', async () => {
      const { id } = await files.write('o', content('x'), { facts });
      const opened = await files.open('o', id);
      place.path.fate = () => 'breaks';
      await expect(opened && bytesOf(opened)).rejects.toMatchObject({ reason: 'unavailable' });
    });

    const readBytes = async (id: string): Promise<Buffer | undefined> => {
      const opened = await files.open('o', id);
      return opened && bytesOf(opened);
    };
  });

  describe('an upload', () => {
    it('goes on in other processes with pieces of any size', async () => {
      const all = bytes(17 * MiB);
      const id = await files.begin('o', facts, all.length);
      let offset = 0;
      for (const piece of [100, 2 * MiB, 9 * MiB, 5, 3 * MiB, 17 * MiB]) {
        const next = all.subarray(offset, offset + piece);
        const process = place.open(roomy);
        await process.start();
        expect((await process.upload('o', id))?.offset).toBe(offset);
        offset = await process.append('o', id, { offset, content: chunksOf(next) });
      }
      expect(offset).toBe(all.length);
      expect(await files.find('o', id)).toMatchObject({ sizeBytes: all.length, sha256: sha256(all) });
      expect((await objects()).sort()).toEqual(['content/<id>', 'files/<id>/facts.json']);
    });

    describe('has the SHA-256 of what has come', () => {
      const all = bytes(12 * MiB);
      const readings = (): string[] => place.path.requests.filter((name) => /^GET .*\/content\//.test(name));
      const pieces = [100, MiB, 70_000, 9 * MiB, 5, 12 * MiB];

      /** @param processes who gets each piece, in turn */
      const sendTo = async (...processes: FileStore[]): Promise<string> => {
        const id = await files.begin('o', facts, all.length);
        let offset = 0;
        for (const [i, piece] of pieces.entries()) {
          const rest = { offset, content: chunksOf(all.subarray(offset, offset + piece)) };
          offset = (await processes[i % processes.length]?.append('o', id, rest)) ?? 0;
        }
        expect(await files.find('o', id)).toMatchObject({ sha256: sha256(all) });
        return id;
      };

      it.each([[[]], [['a secret']]])(
        'and is not read again if one process got all, with the secrets %j',
        async (secrets) => {
          files = place.open(roomy, secrets);
          await files.start();
          await sendTo(files);
          expect(readings()).toEqual([]);
        },
      );

      it('but is read if another process got some of it, or the server knows no conditions', async () => {
        await sendTo(files, place.open(roomy), files);
        expect(readings()).toHaveLength(1);
        place.path.fate = (request) =>
          request.includes('.probe') && requestsOf('.probe').length === 2
            ? { status: 501, code: 'NotImplemented' }
            : 'passes';
        place.path.requests.length = 0;
        await files.start();
        await sendTo(files);
        expect(readings()).toHaveLength(1);
      });

      it('and is read after a piece that broke off', async () => {
        const id = await files.begin('o', facts, all.length);
        await files.append('o', id, { offset: 0, content: content(all.subarray(0, 100_000)) });
        const cut = broken(all.subarray(100_000, 250_000));
        await expect(files.append('o', id, { offset: 100_000, content: cut })).rejects.toThrow('broke off');
        await files.append('o', id, { offset: 250_000, content: chunksOf(all.subarray(250_000)) });
        expect(await files.find('o', id)).toMatchObject({ sha256: sha256(all) });
        expect(readings()).toHaveLength(1);
      });
    });

    it('keeps what was sent before the connection broke, beyond a part', async () => {
      const all = bytes(10 * MiB);
      const id = await files.begin('o', facts, all.length);
      const half = broken(all.subarray(0, 9 * MiB));
      await expect(files.append('o', id, { offset: 0, content: half })).rejects.toThrow('broke off');
      expect(await place.open(roomy).upload('o', id)).toMatchObject({ offset: 9 * MiB });
      await files.append('o', id, { offset: 9 * MiB, content: content(all.subarray(9 * MiB)) });
      expect(await files.find('o', id)).toMatchObject({ sha256: sha256(all) });
    });

    it('has a whole part less after the death of its process, and goes on there', async () => {
      const all = bytes(20 * MiB);
      const id = await files.begin('o', facts, all.length);
      const dying = files.append('o', id, { offset: 0, content: unfinished(all.subarray(0, 15 * MiB)) });
      dying.catch(() => undefined);
      const other = place.open(roomy);
      await until(async () => (await other.upload('o', id))?.offset === 8 * MiB, { what: 'a part is stored' });
      const rest = { offset: 8 * MiB, content: chunksOf(all.subarray(8 * MiB)) };
      expect(await other.append('o', id, rest)).toBe(all.length);
      expect(await files.find('o', id)).toMatchObject({ sha256: sha256(all) });
    });

    it('takes the bytes of one of two requests at the same offset', async () => {
      const [ones, twos] = [Buffer.alloc(10 * MiB, 1), Buffer.alloc(10 * MiB, 2)];
      const id = await files.begin('o', facts, ones.length);
      const [go, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const first = files.append('o', id, { offset: 0, content: paused(ones, go.promise, begun.resolve) });
      const refused = expect(first).rejects.toMatchObject({ reason: 'busy' });
      await begun.promise;
      const other = place.open(roomy);
      expect(await other.append('o', id, { offset: 0, content: chunksOf(twos.subarray(0, 9 * MiB)) })).toBe(9 * MiB);
      go.resolve();
      await refused;
      await other.append('o', id, { offset: 9 * MiB, content: content(twos.subarray(9 * MiB)) });
      expect(await other.find('o', id)).toMatchObject({ sha256: sha256(twos) });
    });

    it('is completed by the next look if its process died after the last byte', async () => {
      const id = await files.begin('o', facts, 4);
      place.path.fate = (request) => (/^PUT .*\/facts\.json/.test(request) ? 'breaks' : 'passes');
      const last = files.append('o', id, { offset: 0, content: content('half') });
      await expect(last).rejects.toMatchObject({ reason: 'unavailable' });
      place.path.fate = () => 'passes';
      expect(await files.find('o', id)).toBeUndefined();
      expect(await place.open(roomy).upload('o', id)).toMatchObject({ offset: 4 });
      expect(await read(files, id)).toBe('half');
    });

    it('works with a server that knows no conditions', async () => {
      place.path.fate = (request) =>
        request.includes('.probe') && requestsOf('.probe').length === 2
          ? { status: 501, code: 'NotImplemented' }
          : 'passes';
      const other = place.open(roomy);
      place.path.requests.length = 0;
      await other.start();
      const id = await other.begin('o', facts, 4);
      await other.append('o', id, { offset: 0, content: content('ab') });
      await other.append('o', id, { offset: 2, content: content('cd') });
      expect(await read(files, id)).toBe('abcd');
    });

    it('whose tail another request has removed, which took it over, is refused as busy', async () => {
      const id = await files.begin('o', facts, 4);
      await files.append('o', id, { offset: 0, content: content('ab') });
      const names = (await place.names()).filter((name) => name.includes('/tail-'));
      // As the other one does after it has stored more.
      await Promise.all(names.map((name) => place.bucket.remove(place.prefix + name)));
      const writing = files.append('o', id, { offset: 2, content: content('cd') });
      await expect(writing).rejects.toMatchObject({ reason: 'busy' });
    });

    it('that is removed while it is written stores nothing more', async () => {
      const id = await files.begin('o', facts, 20 * MiB);
      const [go, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const writing = files.append('o', id, { offset: 0, content: paused(bytes(20 * MiB), go.promise, begun.resolve) });
      // A server that answers before it has the whole part may seem to break off.
      const refused = expect(writing).rejects.toThrow(FileRefused);
      await begun.promise;
      expect(await place.open(roomy).delete('o', id)).toBe(true);
      go.resolve();
      await refused;
      expect(await objects()).toEqual([]);
    });
  });

  it('a mark for a file that is not there writes nothing, which would count for the principal', async () => {
    place.path.requests.length = 0;
    expect(await files.keepFor('o', `${'0'.repeat(32)}-zzzzzz`, { taskId: 't' })).toBe(false);
    expect(place.path.requests.filter((request) => request.startsWith('PUT'))).toEqual([]);
  });

  it('a file whose content went with its deletion while its upload was completed is not seen', async () => {
    const id = await files.begin('o', facts, 3);
    // Of the other process: the content is read for its hash, and then the file is deleted.
    let isDeleted = false;
    place.path.fate = (request) => {
      if (/^HEAD .*\/upload\.json/.test(request) && !isDeleted) {
        isDeleted = true;
        return { status: 404, code: 'NotFound' };
      }
      return 'passes';
    };
    const writing = files.append('o', id, { offset: 0, content: content('abc') });
    await expect(writing).rejects.toMatchObject({ reason: 'busy' });
    expect(isDeleted).toBe(true);
    expect((await objects()).filter((name) => name.endsWith('facts.json'))).toEqual([]);
  });

  it('more files than fit into an answer of the server count for their principal', async () => {
    const id = await files.begin('o', facts, 1);
    const [path = ''] = (await place.names()).map((name) => `${place.prefix}${name}`);
    const names = Array.from({ length: 50 }, (_, i) => path.replace(id, `${String(i).padStart(32, '0')}-1`));
    await Promise.all(names.map((name) => place.bucket.put(name, '{}')));
    const tight = place.openWith({ pageSize: 20 }, { maxFileBytes: 100, maxBytesPerPrincipal: 52 });
    await expect(tight.begin('o', facts, 2)).rejects.toMatchObject({ reason: 'over-quota' });
    expect(await tight.begin('o', facts, 1)).toMatch(/-1$/);
  });

  describe('a crash', () => {
    const crashAt = (pattern: RegExp): void => {
      let isDead = false;
      place.path.fate = (request) => {
        isDead ||= pattern.test(request);
        return isDead ? 'breaks' : 'passes';
      };
    };

    it.each([3, 9 * MiB])('between the content and the facts leaves nothing visible: %i bytes', async (length) => {
      crashAt(/^PUT .*\/facts\.json/);
      for (const expected of [{}, { sizeBytes: length }]) {
        const writing = files.write('o', chunksOf(bytes(length)), { facts, expected, keeper: { taskId: 't' } });
        await expect(writing).rejects.toMatchObject({ reason: 'unavailable' });
        crashAt(/^PUT .*\/facts\.json/);
      }
      place.path.fate = () => 'passes';
      const names = await objects();
      expect(names).toContain('content/<id>');
      expect(names).not.toContain('files/<id>/facts.json');
      await files.sweep(sweepOptions('t'));
      expect(await objects()).toEqual(names);
      await place.age();
      await files.sweep(sweepOptions('t'));
      await files.sweep(sweepOptions('t'));
      expect(await objects()).toEqual([]);
    });

    it('in the middle of a content leaves an upload that is aborted', async () => {
      crashAt(/partNumber=2/);
      const writing = files.write('o', chunksOf(bytes(20 * MiB)), { facts });
      await expect(writing).rejects.toMatchObject({ reason: 'unavailable' });
      place.path.fate = () => 'passes';
      place.path.requests.length = 0;
      await place.age();
      expect(await files.sweep(sweepOptions())).toMatchObject({ removed: 1 });
      expect(requestsOf('uploadId=').map((name) => name.split(' ')[0])).toEqual(['DELETE']);
      expect(await objects()).toEqual([]);
    });

    it('after the facts leaves a file, and a sweep removes the rest', async () => {
      crashAt(/^DELETE .*\/upload\.json/);
      const writing = files.write('o', chunksOf(bytes(3)), { facts, keeper: { taskId: 't' } });
      await expect(writing).rejects.toMatchObject({ reason: 'unavailable' });
      place.path.fate = () => 'passes';
      await place.age();
      await files.sweep(sweepOptions('t'));
      expect((await objects()).sort()).toEqual(['content/<id>', 'files/<id>/facts.json', 'files/<id>/task-t']);
    });

    it('of a sweep after the content is made good by the next one, which shows no file without content', async () => {
      const kept = await files.write('o', content('x'), { facts, keeper: { taskId: 'gone' } });
      await place.age();
      crashAt(/^DELETE .*\/gone\.json/);
      await expect(files.sweep(sweepOptions())).rejects.toMatchObject({ reason: 'unavailable' });
      place.path.fate = () => 'passes';
      await place.age();
      // Unused files stay for longer than a sweep waits for another one.
      await files.sweep({ ...sweepOptions(), unusedMs: 86_400_000 });
      expect(await files.find('o', kept.id)).toBeUndefined();
      expect(await objects()).toEqual([]);
    });

    it('of a sweep is made good by the next one', async () => {
      const kept = await files.write('o', content('x'), { facts, keeper: { taskId: 'kept' } });
      await place.age();
      crashAt(/^GET .*prefix=[^&]*%2Ffiles%2F[^&]*-1%2F/);
      await expect(files.sweep(sweepOptions())).rejects.toMatchObject({ reason: 'unavailable' });
      place.path.fate = () => 'passes';
      expect(await files.find('o', kept.id)).toBeUndefined();
      // Another process may still be at it.
      await files.sweep(sweepOptions('kept'));
      expect(await files.find('o', kept.id)).toBeUndefined();
      await place.age();
      await files.sweep(sweepOptions('kept'));
      expect(await files.find('o', kept.id)).toEqual(kept);
      crashAt(/^DELETE .*\/content\//);
      await expect(files.sweep(sweepOptions())).rejects.toMatchObject({ reason: 'unavailable' });
      place.path.fate = () => 'passes';
      await place.age();
      await files.sweep(sweepOptions());
      expect(await objects()).toEqual([]);
    });
  });

  describe('a server', () => {
    const answers = [
      [{ status: 403, code: 'InvalidAccessKeyId' }, 'refuses the credentials (InvalidAccessKeyId)'],
      [{ status: 404, code: 'NoSuchBucket' }, 'does not exist'],
      [{ status: 400, code: 'AuthorizationHeaderMalformed' }, 'is in another region'],
      [{ status: 403, code: 'RequestTimeTooSkewed' }, 'look at both clocks'],
      [{ status: 503, code: 'SlowDown' }, 'answers 503 (SlowDown)'],
      ['breaks', 'does not answer (ECONNRESET)'],
    ] as const;

    it.each(answers)(
      'that answers %o: operators read why at the start, and clients nothing of it',
      async (fate, why) => {
        place.path.fate = () => fate;
        const start = files.start();
        await expect(start).rejects.toThrow(`FILES_URL: the bucket "`);
        await expect(start).rejects.toThrow(why);
        const refused = await files.find('o', `${'0'.repeat(32)}-1`).catch((error: unknown) => error);
        expect(refused).toMatchObject({ reason: 'unavailable', message: 'The store of files is unavailable' });
        expect(refused).toMatchObject({ cause: { message: expect.stringContaining(why) } });
      },
    );

    it('that is full refuses with the reason of a full disk', async () => {
      place.path.fate = (request) =>
        request.startsWith('PUT') ? { status: 507, code: 'XMinioStorageFull' } : 'passes';
      await expect(files.write('o', content('x'), { facts })).rejects.toMatchObject({ reason: 'store-full' });
    });

    it('that does not answer is not waited for without end', async () => {
      place.path.fate = () => 'stalls';
      const impatient = place.openWith({ smallMs: 1_000 });
      const refused = { reason: 'unavailable', cause: { message: expect.stringContaining('does not answer') } };
      await Promise.all([
        expect(impatient.find('o', `${'0'.repeat(32)}-1`)).rejects.toMatchObject(refused),
        expect(impatient.write('o', content('x'), { facts })).rejects.toMatchObject(refused),
      ]);
    });

    it('for which nobody gave credentials, or a region, is named with what is missing', async () => {
      const env = { ...process.env };
      for (const name of Object.keys(env)) if (name.startsWith('AWS_')) delete process.env[name];
      process.env.AWS_EC2_METADATA_DISABLED = 'true';
      try {
        await expect(place.open().start()).rejects.toThrow('set AWS_ACCESS_KEY_ID');
        await expect(filesAt('s3://bucket', roomy).start()).rejects.toThrow('set region in FILES_URL, or AWS_REGION');
      } finally {
        Object.assign(process.env, env);
      }
    });
  });
});

describe('FILES_URL', () => {
  it.each([
    ['s3://key:secret@bucket/files', 'must have no credentials: set AWS_ACCESS_KEY_ID'],
    ['s3://bucket/files?endpoint=http://key:secret@minio:9000', 'must have the URL of a server as its endpoint'],
    ['s3://bucket/files?endpoint=minio:9000', 'must have the URL of a server as its endpoint'],
    ['s3://bucket/files?secret=x', 'no other parameters than endpoint and region: not secret'],
    ['s3:///files', 'must name a bucket'],
    ['s3://bucket/a b', 'must have a prefix of letters'],
    ['http://bucket/files', 'or s3://bucket/prefix'],
  ])('%s is refused', (url, why) => {
    expect(() => filesAt(url, roomy)).toThrow(why);
    expect(() => filesAt(url, roomy)).not.toThrow(/key:secret/);
  });
});

async function* unfinished(all: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* chunksOf(all);
  await new Promise(() => undefined);
}

/** @param begun called when the content is asked for: the request has claimed its upload */
async function* paused(all: Uint8Array, go: Promise<void>, begun: () => void): AsyncGenerator<Uint8Array> {
  begun();
  yield all.subarray(0, 5);
  await go;
  yield all.subarray(5);
}
