import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { beforeEach, expect, it } from 'vitest';
import type { FileStore } from '../src/index.ts';
import { content, facts, read, sweepOptions } from './support/contents.ts';
import { type Folder, newFolder } from './support/places.ts';

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
  expect(opened && (await buffer(opened.read())).toString()).toBe('x');
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

it('a sweep gives a file back that it had moved away for a task, and finishes what a crash has left', async () => {
  const [kept, gone] = [
    await files.write('o', content('x'), { facts, taskId: 'kept' }),
    await files.write('o', content('x'), { facts, taskId: 'gone' }),
  ];
  await folder.age();
  const path = await owner();
  for (const { id } of [kept, gone]) await rename(join(path, id), join(path, `.gone-${id}`));
  await files.sweep(sweepOptions('kept'));
  expect(await readdir(path)).toEqual([kept.id]);
});

it('the folder of a principal goes with its last file', async () => {
  await files.write('o', content('x'), { facts, taskId: 'gone' });
  await folder.age();
  await files.sweep(sweepOptions());
  expect(await readdir(folder.path)).toEqual(['.deployment']);
});
