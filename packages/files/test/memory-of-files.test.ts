import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { skippedFor } from '../../../tests/support/has-program.ts';
import { missingS3 } from '../../../tests/support/s3-server.ts';
import { FileEncryption } from '../src/encryption.ts';
import type { FileStore } from '../src/file-store.ts';
import { free } from '../src/free.ts';
import { S3Files } from '../src/s3-files.ts';
import { facts } from './support/contents.ts';
import { newFolder, useS3 } from './support/places.ts';

const MiB = 1024 ** 2;
const large = 32 * MiB;
const limits = { maxFileBytes: large, maxBytesPerPrincipal: 2 * large };
const missing = skippedFor(missingS3());

it('memory that other bytes share is not given back, and other memory is', () => {
  const [own, part, pooled] = [new Uint8Array(10), new Uint8Array(10).subarray(5), Buffer.from('pooled')];
  for (const each of [own, part, pooled, own]) free(each);
  expect([own.length, part.length, pooled.toString()]).toEqual([0, 5, 'pooled']);
});

/** In one piece of memory. */
async function* pieces(): AsyncGenerator<Uint8Array> {
  const piece = randomBytes(MiB);
  for (let left = large; left > 0; left -= MiB) yield piece;
}

/** The most memory outside of the JavaScript heap while a file is written, and while it is read. */
async function memoryOf(files: FileStore): Promise<{ written: number; read: number }> {
  const measured = async (
    steps: AsyncIterable<Uint8Array>,
    act: (seen: AsyncIterable<Uint8Array>) => Promise<void>,
  ) => {
    const before = process.memoryUsage().arrayBuffers;
    let most = before;
    await act(
      (async function* () {
        for await (const step of steps) {
          most = Math.max(most, process.memoryUsage().arrayBuffers);
          yield step;
        }
      })(),
    );
    return (most - before) / MiB;
  };
  let id = '';
  const written = await measured(pieces(), async (content) => {
    ({ id } = await files.write('o', content, { facts }));
  });
  const opened = await files.open('o', id);
  let bytes = 0;
  const read = await measured(opened?.chunks() ?? pieces(), async (content) => {
    for await (const chunk of content) bytes += chunk.length;
  });
  await opened?.close();
  expect(bytes).toBe(large);
  return { written, read };
}

describe('a file of 32 MiB takes less than 10 MiB', () => {
  it.each([[[]], [['a secret']]])('in a folder, with the secrets %j', async (secrets) => {
    const { written, read } = await memoryOf((await newFolder()).open(limits, secrets));
    expect([written < 10, read < 10]).toEqual([true, true]);
  });

  describe.skipIf(missing)(`in a bucket${missing ? ` (${missing})` : ''}`, () => {
    const newPlace = useS3();

    it.each([[[]], [['a secret']]])('when it is read, with the secrets %j', async (secrets) => {
      const { bucket } = await newPlace();
      const { read } = await memoryOf(new S3Files(async () => bucket, limits, new FileEncryption(secrets)));
      expect(read).toBeLessThan(10);
    });
  });
});
