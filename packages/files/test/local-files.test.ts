import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rename, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { fileIdIn, LocalFiles, type SweepOptions } from '../src/index.ts';

const facts = { filename: 'a.bin', mediaType: 'video/mp4' };
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

let folder: string;
let files: LocalFiles;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'files-'));
  files = new LocalFiles(folder, { maxFileBytes: 1_000, maxBytesPerPrincipal: 2_000 });
  await files.start();
});

async function* content(...chunks: string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half');
  throw new Error('the connection broke off');
}

async function read(owner: string, id: string, range?: { start: number; end: number }): Promise<string | undefined> {
  const opened = await files.open(owner, id);
  return opened && (await buffer(opened.read(range))).toString();
}

/** Names of the folders of principals. */
async function owners(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name !== '.deployment');
}

/** Names in the folder of the only principal. */
async function names(): Promise<string[]> {
  const [owner] = await owners();
  return owner === undefined ? [] : readdir(join(folder, owner));
}

const sweepOptions = (...living: string[]): SweepOptions => ({
  deployment: 'ours',
  existing: async (ids) => new Set(ids.filter((id) => living.includes(id))),
  unusedMs: 60_000,
  markMs: 60_000,
});

/** Makes what is in a file's folder two minutes older. */
async function age(): Promise<void> {
  const past = new Date(Date.now() - 120_000);
  for (const owner of await owners())
    for (const file of await readdir(join(folder, owner)))
      for (const name of await readdir(join(folder, owner, file)))
        await utimes(join(folder, owner, file, name), past, past);
}

describe('A file', () => {
  it('is what was written, and has its facts, size and SHA-256', async () => {
    const file = await files.write('o', content('one ', 'two'), { facts });
    expect(file).toEqual({ ...facts, id: file.id, sizeBytes: 7, sha256: sha256('one two') });
    expect(await files.find('o', file.id)).toEqual(file);
    expect(await read('o', file.id)).toBe('one two');
    expect(await read('o', file.id, { start: 4, end: 5 })).toBe('tw');
    expect(fileIdIn(`https://gateway.example/files/${file.id}`)).toBe(file.id);
    expect(fileIdIn('https://gateway.example/files/photo.jpg')).toBeUndefined();
  });

  it('may be empty', async () => {
    const { id } = await files.write('o', content(), { facts });
    expect(await read('o', id)).toBe('');
  });

  it('does not exist for another principal', async () => {
    const { id } = await files.write('o', content('x'), { facts });
    expect([await files.find('p', id), await files.open('p', id)]).toEqual([undefined, undefined]);
    expect([await files.keepFor('p', id, 't'), await files.delete('p', id)]).toEqual([false, false]);
    expect(await read('o', id)).toBe('x');
  });

  it('is not found by the name of another path', async () => {
    for (const id of ['../o', '..', '', `.new-${'0'.repeat(32)}-0`]) expect(await files.find('o', id)).toBeUndefined();
  });

  it('leaves nothing if its content breaks off, is another one, or is too long', async () => {
    await expect(files.write('o', broken(), { facts })).rejects.toThrow('broke off');
    const wrong = { sizeBytes: 1, sha256: sha256('y') };
    await expect(files.write('o', content('x'), { facts, expected: wrong })).rejects.toThrow('was announced');
    const short = { facts, expected: { sizeBytes: 3 } };
    await expect(files.write('o', content('x'), short)).rejects.toMatchObject({ reason: 'incomplete' });
    await expect(files.write('o', content('x', 'xxx'), short)).rejects.toMatchObject({ reason: 'too-long' });
    expect(await names()).toEqual([]);
  });

  it('has at most MAX_FILE_BYTES, announced or not', async () => {
    const large = 'x'.repeat(1_001);
    await expect(files.write('o', content(large), { facts })).rejects.toThrow('1000 bytes (MAX_FILE_BYTES)');
    const announced = files.write('o', content(large), { facts, expected: { sizeBytes: 1_001 } });
    await expect(announced).rejects.toMatchObject({ reason: 'too-large' });
    await expect(files.begin('o', facts, 1_001)).rejects.toMatchObject({ reason: 'too-large' });
    expect(await names()).toEqual([]);
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

  it('can be read to its end while it is removed', async () => {
    const { id } = await files.write('o', content('x'), { facts });
    const opened = await files.open('o', id);
    expect(await files.delete('o', id)).toBe(true);
    expect(opened && (await buffer(opened.read())).toString()).toBe('x');
    expect([await files.delete('o', id), await names()]).toEqual([false, []]);
  });
});

describe('An upload', () => {
  it('goes on where it broke off, also in another process, and is a file with its last byte', async () => {
    const id = await files.begin('o', facts, 8);
    await expect(files.append('o', id, { offset: 0, content: broken() })).rejects.toThrow('broke off');
    const other = new LocalFiles(folder, files.limits);
    expect(await other.upload('o', id)).toEqual({ id, sizeBytes: 8, offset: 4, facts });
    expect(await files.find('o', id)).toBeUndefined();
    await expect(other.append('o', id, { offset: 0, content: content('x') })).rejects.toMatchObject({
      reason: 'wrong-offset',
    });
    expect(await other.append('o', id, { offset: 4, content: content('-and') })).toBe(8);
    expect(await read('o', id)).toBe('half-and');
    expect(await files.upload('o', id)).toMatchObject({ offset: 8 });
  });

  it('takes no more than was announced', async () => {
    const id = await files.begin('o', facts, 3);
    const longer = files.append('o', id, { offset: 0, content: content('xx', 'xx') });
    await expect(longer).rejects.toMatchObject({ reason: 'too-long' });
    expect(await files.append('o', id, { offset: 0, content: content('xx', 'y') })).toBe(3);
    expect(await read('o', id)).toBe('xxy');
  });

  it('is completed by the next look if its process died after the last byte', async () => {
    const id = await files.begin('o', facts, 4);
    await files.append('o', id, { offset: 0, content: content('half') });
    const [owner = ''] = await owners();
    await rename(join(folder, owner, id), join(folder, owner, `.new-${id}`));
    expect(await files.find('o', id)).toBeUndefined();
    expect(await files.upload('o', id)).toMatchObject({ offset: 4 });
    expect(await read('o', id)).toBe('half');
  });
});

describe('A sweep', () => {
  it('removes nothing for another deployment, as one whose Redis was emptied', async () => {
    const { id } = await files.write('o', content('x'), { facts, taskId: 'task' });
    expect(await files.sweep(sweepOptions('task'))).toMatchObject({ removed: 0 });
    await age();
    await expect(files.sweep({ ...sweepOptions(), deployment: 'another' })).rejects.toThrow(/Redis has lost its data/);
    expect(await files.find('o', id)).toBeDefined();
    await rm(join(folder, '.deployment'));
    expect(await files.sweep({ ...sweepOptions(), deployment: 'another' })).toMatchObject({ removed: 1 });
  });

  it('keeps a file as long as one of its tasks exists, and removes it with the last one', async () => {
    const { id } = await files.write('o', content('x'), { facts, taskId: 'first' });
    await files.keepFor('o', id, 'second/../task');
    await age();
    expect(await files.sweep(sweepOptions('second/../task'))).toEqual({ removed: 0, bytes: 0 });
    expect(await read('o', id)).toBe('x');
    expect(await files.sweep(sweepOptions())).toEqual({ removed: 1, bytes: 1 });
    expect(await owners()).toEqual([]);
  });

  it('keeps a file whose message is on its way, and one that is young and was never sent', async () => {
    const { id } = await files.write('o', content('x'), { facts });
    await files.sweep(sweepOptions());
    await age();
    await files.keepFor('o', id, 'coming');
    expect(await files.sweep(sweepOptions())).toMatchObject({ removed: 0 });
    await files.release('o', id, 'coming');
    expect(await files.sweep(sweepOptions())).toMatchObject({ removed: 1 });
  });

  it('removes half files, but not one that gets bytes', async () => {
    const id = await files.begin('o', facts, 4);
    await files.append('o', id, { offset: 0, content: content('h') });
    expect(await files.sweep(sweepOptions())).toMatchObject({ removed: 0 });
    await age();
    expect(await files.sweep(sweepOptions())).toEqual({ removed: 1, bytes: 4 });
    expect(await files.upload('o', id)).toBeUndefined();
  });

  it('gives a file back that it had moved away for a task, and finishes what a crash has left', async () => {
    const [kept, gone] = [
      await files.write('o', content('x'), { facts, taskId: 'kept' }),
      await files.write('o', content('x'), { facts, taskId: 'gone' }),
    ];
    await age();
    const [owner = ''] = await owners();
    for (const { id } of [kept, gone]) await rename(join(folder, owner, id), join(folder, owner, `.gone-${id}`));
    await files.sweep(sweepOptions('kept'));
    expect(await names()).toEqual([kept.id]);
  });

  it('does not remove a file for which a task comes while it looks', async () => {
    const { id } = await files.write('o', content('x'), { facts, taskId: 'old' });
    await age();
    let isKept: boolean | undefined;
    const existing = async (): Promise<ReadonlySet<string>> => {
      isKept ??= await files.keepFor('o', id, 'new');
      return new Set();
    };
    await files.sweep({ ...sweepOptions(), existing });
    expect([isKept, await read('o', id)]).toEqual([true, 'x']);
  });
});
