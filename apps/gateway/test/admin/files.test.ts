import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { filesAt } from '@switchyard/files';
import { filesSchema } from '@switchyard/operator-api';
import { expect, test } from 'vitest';
import { limitOf } from '../../src/admin/files.ts';
import { openAdminStage } from './support.ts';

const limits = { maxFileBytes: 1_000, maxBytesPerPrincipal: 2_000 };

test('operators see where files are, how many, and why they cannot be stored', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-files-'));
  const url = pathToFileURL(folder).href;
  await using stage = await openAdminStage({}, { files: { url, ...limits, secrets: ['a secret of 16 bytes'] } });
  const look = async () => filesSchema.parse((await stage.ask('/admin/files')).body).files;
  const first = await look();
  expect(first).toMatchObject({ place: folder, isEncrypted: true, volume: { max: expect.any(Number) } });
  expect([first?.problem, first?.stored]).toEqual([undefined, undefined]);

  const files = filesAt(url, limits);
  await files.begin('alice', { mediaType: 'text/plain' }, 700);
  const sweep = {
    deployment: 'd',
    number: 0,
    existing: async () => new Set<string>(),
    unusedMs: 60_000,
    markMs: 60_000,
  };
  await files.sweep(sweep);
  expect((await look())?.stored).toEqual({ count: 1, bytes: 700, at: expect.stringMatching(/^2\d{3}-/) });

  await rm(folder, { recursive: true });
  expect((await look())?.problem).toContain('ENOENT');
});

test('without files there is nothing to see', async () => {
  await using stage = await openAdminStage();
  expect((await stage.ask('/admin/files')).body).toEqual({});
});

test('the volume is a limit that is nearly reached from 90 % on', () => {
  expect(limitOf({ used: 899, max: 1_000 })).toEqual([]);
  expect(limitOf({ used: 900, max: 1_000 })).toMatchObject([{ limit: 'file-volume', used: 900, max: 1_000 }]);
});
