import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { filesAt, LocalFiles } from '@switchyard/files';
import { filesSchema } from '@switchyard/operator-api';
import { expect, test, vi } from 'vitest';
import { nearVolume } from '../../src/admin/files.ts';
import { key, openAdminStage } from './support.ts';

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
  expect(nearVolume({ used: 899, max: 1_000 })).toEqual([]);
  expect(nearVolume({ used: 900, max: 1_000 })).toMatchObject([{ limit: 'file-volume', used: 900, max: 1_000 }]);
});

test('the metrics have how full the volume is, from 90 % on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-files-'));
  const volume = vi.spyOn(LocalFiles.prototype, 'volume');
  await using stage = await openAdminStage({}, { files: { url: pathToFileURL(folder).href, ...limits } });
  const metric = async () => {
    const answer = await fetch(`${stage.adminUrl}/metrics`, { headers: { authorization: `Bearer ${key}` } });
    return /^switchyard_limit_used_ratio{limit="file-volume"} .*$/m.exec(await answer.text())?.[0];
  };
  volume.mockResolvedValue({ used: 899, max: 1_000 });
  expect(await metric()).toBeUndefined();
  volume.mockResolvedValue({ used: 950, max: 1_000 });
  expect(await metric()).toBe('switchyard_limit_used_ratio{limit="file-volume"} 0.95');
  await rm(folder, { recursive: true });
});
