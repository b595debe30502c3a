import { randomBytes } from 'node:crypto';
import { readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { FileRefused, type FileStore } from '../src/index.ts';
import { broken, bytesOf, content, facts, read, sha256, sweepOptions } from './support/contents.ts';
import { type Folder, newFolder } from './support/places.ts';

const roomy = { maxFileBytes: 1_000_000, maxBytesPerPrincipal: 1_000_000 };

let folder: Folder;
let files: FileStore;

beforeEach(async () => {
  folder = await newFolder();
  files = folder.open();
  await files.start();
});

/** Path of the folder of the only principal. */
async function owner(): Promise<string> {
  const [name = ''] = await folder.names();
  return join(folder.path, name.slice(0, 32));
}

it('a file can be read to its end while it is removed', async () => {
  const { id } = await files.write('o', content('x'), { facts });
  const opened = await files.open('o', id);
  expect(await files.delete('o', id)).toBe(true);
  expect(opened && (await bytesOf(opened)).toString()).toBe('x');
  expect([await files.delete('o', id), await folder.names()]).toEqual([false, []]);
});

it('an upload is completed by the next look if its process died after the last byte', async () => {
  const id = await files.begin('o', facts, 4);
  await files.append('o', id, { offset: 0, content: content('half') });
  await rename(join(await owner(), id), join(await owner(), `.new-${id}`));
  expect(await files.find('o', id)).toBeUndefined();
  expect(await files.upload('o', id)).toMatchObject({ offset: 4 });
  expect(await read(files, id)).toBe('half');
});

describe('the SHA-256 of an upload', () => {
  const all = randomBytes(400_000);

  it('that came to one process is that of what has come: it is not read again', async () => {
    const one = folder.open(roomy);
    const id = await one.begin('o', facts, all.length);
    await one.append('o', id, { offset: 0, content: content(all.subarray(0, 100_000)) });
    await one.append('o', id, { offset: 100_000, content: content(all.subarray(100_000, 300_000)) });
    await folder.change(/content$/, (stored) => stored.fill(0));
    await one.append('o', id, { offset: 300_000, content: content(all.subarray(300_000)) });
    expect(await one.find('o', id)).toMatchObject({ sha256: sha256(all) });
  });

  it('is that of what is stored if another process wrote some of it', async () => {
    const [one, other] = [folder.open(roomy), folder.open(roomy)];
    const id = await one.begin('o', facts, all.length);
    for (const [files, offset] of [
      [one, 0],
      [other, 100_000],
      [one, 200_000],
      [one, 300_000],
    ] as const)
      await files.append('o', id, { offset, content: content(all.subarray(offset, offset + 100_000)) });
    expect(await one.find('o', id)).toMatchObject({ sha256: sha256(all) });
  });

  it('is right after a request that broke off', async () => {
    const one = folder.open(roomy);
    const id = await one.begin('o', facts, all.length);
    await one.append('o', id, { offset: 0, content: content(all.subarray(0, 100_000)) });
    const cut = broken(all.subarray(100_000, 250_000));
    await expect(one.append('o', id, { offset: 100_000, content: cut })).rejects.toThrow('broke off');
    await one.append('o', id, { offset: 250_000, content: content(all.subarray(250_000)) });
    expect(await one.find('o', id)).toMatchObject({ sha256: sha256(all) });
  });
});

it('a request that ends late, after another process went on, does no harm to an encrypted upload', async () => {
  const [one, other] = [0, 1].map(() => folder.open(roomy, ['a secret']));
  const all = randomBytes(200_000);
  const id = (await one?.begin('o', facts, all.length)) ?? '';
  const [go, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  async function* late() {
    yield all.subarray(0, 100_000);
    begun.resolve();
    await go.promise;
    throw new Error('broke off');
  }
  const broken = expect(one?.append('o', id, { offset: 0, content: late() })).rejects.toMatchObject({ reason: 'busy' });
  await begun.promise;
  const { offset = -1 } = (await other?.upload('o', id)) ?? {};
  expect(offset).toBe(65_536);
  await other?.append('o', id, { offset, content: content(all.subarray(offset, 150_000)) });
  go.resolve();
  await broken;
  expect(await other?.upload('o', id)).toMatchObject({ offset: 150_000 });
  await other?.append('o', id, { offset: 150_000, content: content(all.subarray(150_000)) });
  expect(await other?.find('o', id)).toMatchObject({ sha256: sha256(all) });
});

it.each([[[]], [['a secret']]])(
  'of two requests at the same offset in two processes the later one goes on',
  async (secrets) => {
    const [one, other] = [folder.open(roomy, secrets), folder.open(roomy, secrets)];
    const id = await one.begin('o', facts, 900_000);
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    async function* slow() {
      for (let i = 0; i < 8; i++) {
        yield Buffer.alloc(100_000, 'x');
        begun.resolve();
        await delay(20);
      }
      await ended.promise;
      yield Buffer.alloc(100_000, 'x');
    }
    const first = expect(one.append('o', id, { offset: 0, content: slow() })).rejects.toMatchObject({ reason: 'busy' });
    await begun.promise;
    const all = Buffer.alloc(900_000, 'y');
    const { offset = -1 } = (await other.upload('o', id)) ?? {};
    const retries = async (from: number): Promise<number> => {
      try {
        return await other.append('o', id, { offset: from, content: content(all.subarray(from)) });
      } catch (error) {
        if (!(error instanceof FileRefused) || error.reason !== 'wrong-offset') throw error;
        return retries((await other.upload('o', id))?.offset ?? -1);
      }
    };
    expect(await retries(offset)).toBe(all.length);
    ended.resolve();
    await first;
    const stored = (await read(other, id)) ?? '';
    expect([stored.length, /^x*y+$/.test(stored)]).toEqual([all.length, true]);
    expect(await one.find('o', id)).toMatchObject({ sha256: sha256(stored) });
  },
);

it('a sweep gives a file back that it had moved away for a task, and finishes what a crash has left', async () => {
  const [kept, gone] = [
    await files.write('o', content('x'), { facts, keeper: { taskId: 'kept' } }),
    await files.write('o', content('x'), { facts, keeper: { taskId: 'gone' } }),
  ];
  await folder.age();
  const path = await owner();
  for (const { id } of [kept, gone]) await rename(join(path, id), join(path, `.gone-${id}`));
  await files.sweep(sweepOptions('kept'));
  expect(await readdir(path)).toEqual([kept.id]);
});

it('a count that two sweeps wrote at the same time, and nobody can read, is none', async () => {
  const folder = await newFolder();
  const files = folder.open();
  await files.start();
  await writeFile(join(folder.path, '.counted'), '{"count":1}}');
  const { problem, stored, volume } = await files.status();
  expect([problem, stored, volume?.max]).toEqual([undefined, undefined, expect.any(Number)]);
  await files.sweep(sweepOptions());
  expect((await files.status()).stored).toMatchObject({ count: 0, bytes: 0 });
});

it('the folder of a principal goes with its last file', async () => {
  await files.write('o', content('x'), { facts, keeper: { taskId: 'gone' } });
  await folder.age();
  await files.sweep(sweepOptions());
  expect((await readdir(folder.path)).sort()).toEqual(['.counted', '.deployment']);
});
