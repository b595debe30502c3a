import { beforeEach, describe, expect, it } from 'vitest';
import { skippedFor } from '../../../tests/support/has-program.ts';
import { missingS3 } from '../../../tests/support/s3-server.ts';
import { type FileStore, fileIdIn, moveRaw, readRaw } from '../src/index.ts';
import { broken, content, facts, read, sha256, sweepOptions } from './support/contents.ts';
import { newFolder, type Place, useS3 } from './support/places.ts';

describe('In a folder', () => testFiles(newFolder));
describe('In a folder, encrypted', () => testFiles(newFolder, ['a secret']));
const missing = skippedFor(missingS3());
describe.skipIf(missing)(`In a bucket${missing ? ` (${missing})` : ''}`, () => testFiles(useS3()));
describe.skipIf(missing)('In a bucket, encrypted', () => testFiles(useS3(), ['a secret']));

function testFiles(newPlace: () => Promise<Place>, secrets: readonly string[] = []): void {
  let place: Place;
  let files: FileStore;

  beforeEach(async () => {
    place = await newPlace();
    files = place.open(undefined, secrets);
    await files.start();
  });

  describe('A file', () => {
    it('is what was written, and has its facts, size and SHA-256', async () => {
      const file = await files.write('o', content('one ', 'two'), { facts });
      expect(file).toEqual({ ...facts, id: file.id, sizeBytes: 7, sha256: sha256('one two') });
      expect(await files.find('o', file.id)).toEqual(file);
      expect(await read(files, file.id)).toBe('one two');
      expect(await read(files, file.id, { start: 4, end: 5 })).toBe('tw');
      expect(fileIdIn(`https://gateway.example/files/${file.id}`)).toBe(file.id);
      expect(fileIdIn('https://gateway.example/files/photo.jpg')).toBeUndefined();
    });

    it('may be empty', async () => {
      const { id } = await files.write('o', content(), { facts });
      expect(await read(files, id)).toBe('');
    });

    it('does not exist for another principal', async () => {
      const { id } = await files.write('o', content('x'), { facts });
      expect([await files.find('p', id), await files.open('p', id)]).toEqual([undefined, undefined]);
      expect([await files.keepFor('p', id, { taskId: 't' }), await files.delete('p', id)]).toEqual([false, false]);
      expect(await read(files, id)).toBe('x');
    });

    it('is not found by the name of another path', async () => {
      for (const id of ['../o', '..', '', `.new-${'0'.repeat(32)}-0`])
        expect(await files.find('o', id)).toBeUndefined();
    });

    it('leaves nothing if its content breaks off, is another one, or is too long', async () => {
      await expect(files.write('o', broken('half'), { facts })).rejects.toThrow('broke off');
      const wrong = { sizeBytes: 1, sha256: sha256('y') };
      await expect(files.write('o', content('x'), { facts, expected: wrong })).rejects.toThrow('was announced');
      const short = { facts, expected: { sizeBytes: 3 } };
      await expect(files.write('o', content('x'), short)).rejects.toMatchObject({ reason: 'incomplete' });
      await expect(files.write('o', content('x', 'xxx'), short)).rejects.toMatchObject({ reason: 'too-long' });
      expect(await place.names()).toEqual([]);
    });

    it('has at most MAX_FILE_BYTES, announced or not', async () => {
      const large = 'x'.repeat(1_001);
      await expect(files.write('o', content(large), { facts })).rejects.toThrow('1000 bytes (MAX_FILE_BYTES)');
      const announced = files.write('o', content(large), { facts, expected: { sizeBytes: 1_001 } });
      await expect(announced).rejects.toMatchObject({ reason: 'too-large' });
      await expect(files.begin('o', facts, 1_001)).rejects.toMatchObject({ reason: 'too-large' });
      expect(await place.names()).toEqual([]);
    });

    it('counts for its principal alone, also while it is uploaded', async () => {
      const kilobyte = { facts, expected: { sizeBytes: 1_000 } };
      await files.begin('o', facts, 1_000);
      await files.write('o', content('x'.repeat(999)), { facts });
      await expect(files.write('o', content('xx'), { facts })).rejects.toThrow('MAX_FILE_BYTES_PER_PRINCIPAL');
      await expect(files.begin('o', facts, 2)).rejects.toMatchObject({ reason: 'over-quota' });
      await files.write('o', content('x'), { facts });
      await files.write('p', content('x'.repeat(1_000)), kilobyte);
    });
  });

  describe('An upload', () => {
    it('goes on where it broke off, also in another process, and is a file with its last byte', async () => {
      const id = await files.begin('o', facts, 8);
      await expect(files.append('o', id, { offset: 0, content: broken('half') })).rejects.toThrow('broke off');
      const other = place.open(undefined, secrets);
      expect(await other.upload('o', id)).toEqual({ id, sizeBytes: 8, offset: 4, facts });
      expect(await files.find('o', id)).toBeUndefined();
      await expect(other.append('o', id, { offset: 0, content: content('x') })).rejects.toMatchObject({
        reason: 'wrong-offset',
      });
      expect(await other.append('o', id, { offset: 4, content: content('-and') })).toBe(8);
      expect(await read(files, id)).toBe('half-and');
      expect(await files.upload('o', id)).toMatchObject({ offset: 8 });
    });

    it('takes no more than was announced', async () => {
      const id = await files.begin('o', facts, 3);
      const longer = files.append('o', id, { offset: 0, content: content('xx', 'xx') });
      await expect(longer).rejects.toMatchObject({ reason: 'too-long' });
      const { offset = 0 } = (await files.upload('o', id)) ?? {};
      expect(await files.append('o', id, { offset, content: content('xxy'.slice(offset)) })).toBe(3);
      expect(await read(files, id)).toBe('xxy');
    });
  });

  describe('A sweep', () => {
    it('counts what stays, for all processes', async () => {
      const other = place.open(undefined, secrets);
      const status = await other.status();
      expect(status).toMatchObject({ place: expect.any(String), isEncrypted: secrets.length > 0 });
      expect([status.problem, status.stored]).toEqual([undefined, undefined]);
      await files.write('o', content('two'), { facts, keeper: { taskId: 'task' } });
      await files.begin('p', facts, 40);
      await files.sweep({ ...sweepOptions('task'), signal: AbortSignal.abort() });
      expect((await other.status()).stored).toBeUndefined();
      await files.sweep(sweepOptions('task'));
      expect((await other.status()).stored).toMatchObject({ count: 2, bytes: 43 });
    });

    it('removes nothing for another deployment, as one whose Redis was emptied', async () => {
      const { id } = await files.write('o', content('x'), { facts, keeper: { taskId: 'task' } });
      expect(await files.sweep(sweepOptions('task'))).toMatchObject({ removed: 0 });
      await place.age();
      await expect(files.sweep({ ...sweepOptions(), deployment: 'another' })).rejects.toThrow(
        /Redis has lost its data/,
      );
      expect(await files.find('o', id)).toBeDefined();
      await place.forgetDeployment();
      expect(await files.sweep({ ...sweepOptions(), deployment: 'another' })).toMatchObject({ removed: 1 });
    });

    it('of each of several deployments judges its own tasks only', async () => {
      const { id } = await files.write('o', content('x'), { facts, keeper: { taskId: 'first-1' } });
      await files.keepFor('o', id, { taskId: 'second-1' });
      const sweepOf = (number: number, living: string) => ({
        ...sweepOptions(),
        deployment: `redis ${number}`,
        number,
        existing: async (ids: readonly string[]) => new Set(ids.filter((each) => each.startsWith(living))),
      });
      await place.age();
      // The task of the first one is gone, and that of the second one is not.
      expect(await files.sweep(sweepOf(0, 'second'))).toMatchObject({ removed: 0 });
      expect(await files.sweep(sweepOf(1, 'second'))).toMatchObject({ removed: 0 });
      await expect(files.sweep({ ...sweepOf(1, 'second'), deployment: 'empty' })).rejects.toThrow(/lost its data/);
      expect(await files.sweep(sweepOf(1, 'first'))).toMatchObject({ removed: 1 });
    });

    it('keeps a file as long as one of its tasks exists, and removes it with the last one', async () => {
      const { id } = await files.write('o', content('x'), { facts, keeper: { taskId: 'first' } });
      await files.keepFor('o', id, { taskId: 'second/../task' });
      await place.age();
      expect(await files.sweep(sweepOptions('second/../task'))).toEqual({
        removed: 0,
        bytes: 0,
        kept: { count: 1, bytes: 1 },
      });
      // The mark of the other one is gone: a file that a schedule repeats would get more and more of them.
      expect((await place.names()).filter((name) => name.includes('task-'))).toHaveLength(1);
      expect(await read(files, id)).toBe('x');
      expect(await files.sweep(sweepOptions())).toEqual({ removed: 1, bytes: 1, kept: { count: 0, bytes: 0 } });
      expect(await place.names()).toEqual([]);
    });

    it('keeps a file whose message is on its way, and one that is young and was never sent', async () => {
      const { id } = await files.write('o', content('x'), { facts });
      await files.sweep(sweepOptions());
      await place.age();
      await files.keepFor('o', id, { taskId: 'coming' });
      expect(await files.sweep(sweepOptions())).toMatchObject({ removed: 0 });
      await files.release('o', id, { taskId: 'coming' });
      expect(await files.sweep(sweepOptions())).toMatchObject({ removed: 1 });
    });

    it('removes what a task that lives does not keep any more: its message was refused', async () => {
      const { id } = await files.write('o', content('x'), { facts });
      const requests = ['one', 'another'].map((request) => ({ taskId: 'task', request }));
      for (const keeper of requests) await files.keepFor('o', id, keeper);
      await place.age();
      for (const [i, keeper] of requests.entries()) {
        expect(await files.sweep(sweepOptions('task'))).toMatchObject({ removed: 0 });
        await files.release('o', id, keeper);
        expect((await place.names()).filter((name) => name.includes('task-'))).toHaveLength(1 - i);
      }
      expect(await files.sweep(sweepOptions('task'))).toMatchObject({ removed: 1 });
    });

    it('removes half files, but not one that gets bytes', async () => {
      const id = await files.begin('o', facts, 4);
      await files.append('o', id, { offset: 0, content: content('h') });
      expect(await files.sweep(sweepOptions())).toMatchObject({ removed: 0 });
      await place.age();
      expect(await files.sweep(sweepOptions())).toEqual({ removed: 1, bytes: 4, kept: { count: 0, bytes: 0 } });
      expect(await files.upload('o', id)).toBeUndefined();
    });

    it('does not remove a file for which a task comes while it looks', async () => {
      const { id } = await files.write('o', content('x'), { facts, keeper: { taskId: 'old' } });
      await place.age();
      let isKept: boolean | undefined;
      const existing = async (): Promise<ReadonlySet<string>> => {
        isKept ??= await files.keepFor('o', id, { taskId: 'new' });
        return new Set();
      };
      await files.sweep({ ...sweepOptions(), existing });
      expect([isKept, await read(files, id)]).toEqual([true, 'x']);
    });
  });

  describe('What a part had as raw', () => {
    const large = Buffer.from('a picture '.repeat(50));
    const given = (taskId: string, bytes: Uint8Array = large, more = {}) => ({
      facts: { ...facts, ...more },
      bytes,
      keeper: { taskId },
    });

    it('is stored once for its principal, and kept as long as one of its tasks exists', async () => {
      const id = await files.writeRaw('o', given('first'));
      expect(await files.writeRaw('o', given('second', large, { filename: 'b.bin' }))).toBe(id);
      expect((await place.names()).filter((name) => /content(?:\/|$)/.test(name))).toHaveLength(1);
      expect(await read(files, id)).toBe(`${large}`);
      expect(await files.find('o', id)).toEqual({ ...facts, id, sizeBytes: large.length, sha256: sha256(large) });
      await place.age();
      expect((await files.sweep(sweepOptions('second'))).removed).toBe(0);
      expect(await read(files, id)).toBe(`${large}`);
      await place.age();
      expect((await files.sweep(sweepOptions())).removed).toBe(1);
      expect(await place.names()).toEqual([]);
      expect(await files.writeRaw('o', given('third'))).toBe(id);
      expect(await read(files, id)).toBe(`${large}`);
    });

    it('is another file for another principal, another agent, or other bytes', async () => {
      const id = await files.writeRaw('o', given('t'));
      expect(await files.find('p', id)).toBeUndefined();
      const others = [
        await files.writeRaw('p', given('t')),
        await files.writeRaw('o', given('t', large, { agent: 'painter' })),
        await files.writeRaw('o', given('t', Buffer.from(`${large}`.replace('a', 'b')))),
      ];
      expect(new Set([id, ...others]).size).toBe(4);
    });

    it('is whole when several processes write it at the same time', async () => {
      const processes = [files, place.open(undefined, secrets), place.open(undefined, secrets)];
      const tasks = ['a', 'b', 'c'];
      const ids = await Promise.all(processes.map((each, i) => each.writeRaw('o', given(tasks[i] ?? ''))));
      await place.age();
      await files.sweep(sweepOptions(...tasks));
      for (const id of ids) expect(await read(files, id)).toBe(`${large}`);
    });

    it('is whole when it is written while sweeps remove it', async () => {
      for (let round = 0; round < 5; round++) {
        await files.writeRaw('o', given(`old-${round}`));
        await place.age();
        const other = place.open(undefined, secrets);
        const sweeps = Promise.all([files.sweep(sweepOptions('new')), other.sweep(sweepOptions('new'))]);
        const id = await files.writeRaw('o', given('new'));
        await sweeps;
        expect(await read(files, id)).toBe(`${large}`);
        await place.age();
        await files.sweep(sweepOptions('new'));
        expect(await read(files, id)).toBe(`${large}`);
        await files.delete('o', id);
        expect(await files.find('o', id)).toBeUndefined();
      }
    });

    it('counts for its principal, and leaves nothing if there is no room', async () => {
      const small = place.open({ maxFileBytes: 1_000, maxBytesPerPrincipal: 600 }, secrets);
      await small.writeRaw('o', given('t'));
      await expect(small.writeRaw('o', given('t', Buffer.alloc(500)))).rejects.toMatchObject({ reason: 'over-quota' });
      await expect(small.writeRaw('o', given('t', Buffer.alloc(1_001)))).rejects.toMatchObject({ reason: 'too-large' });
      expect(await small.writeRaw('o', given('u'))).toMatch(/^r/);
      expect((await place.names()).filter((name) => /content(?:\/|$)/.test(name))).toHaveLength(1);
    });

    it('is stored once, however often a message has it, and what is small, or has no room, stays', async () => {
      const raws = [...'aabcdefa'].map((letter) => Buffer.from(letter.repeat(300)).toString('base64'));
      const parts = [{ url: 'https://other.example/x' }, ...raws.map((raw) => ({ raw })), { raw: 'AAAA' }];
      const of = { owner: 'o', keeper: { taskId: 't' }, inlineBytes: 100 };
      const { ids, refused } = await moveRaw(files, parts, of);
      expect([[...ids.keys()].sort(), new Set(ids.values()).size, refused]).toEqual([
        [1, 2, 3, 4, 5, 6, 7, 8],
        6,
        undefined,
      ]);
      const moved = parts.map((_, i) => ({ url: `https://agents.example/files/${ids.get(i) ?? 'x'}` }));
      const back = await readRaw(files, moved, { owner: 'o', maxBytes: 2_000 });
      expect([...back]).toEqual(raws.slice(0, 6).map((raw, i) => [i + 1, raw]));
      const tight = place.open({ maxFileBytes: 1_000, maxBytesPerPrincipal: 1_000 }, secrets);
      const some = await moveRaw(tight, parts, { ...of, owner: 'p' });
      expect(some.refused).toMatchObject({ reason: 'over-quota' });
    });

    it.runIf(secrets.length > 0)(
      'has a name that does not tell its content, and another one with a new secret',
      async () => {
        const id = await files.writeRaw('o', given('t'));
        const clear = (await newFolder()).open();
        expect(await clear.writeRaw('o', given('t'))).not.toBe(id);
        const rotated = place.open(undefined, ['newer', ...secrets]);
        const next = await rotated.writeRaw('o', given('t'));
        expect([next === id, await read(rotated, next), await read(rotated, id)]).toEqual([
          false,
          `${large}`,
          `${large}`,
        ]);
      },
    );
  });
}
