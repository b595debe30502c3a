import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { until } from '../../../../tests/support/until.ts';
import { readDeployments } from '../../src/deployments/deployments-file.ts';
import { FileChanges } from '../../src/deployments/file-changes.ts';

const folder = mkdtempSync(join(tmpdir(), 'deployments-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'deployments.json');
const password = join(folder, 'password');
const [a, b, c] = [0, 1, 2].map((number) => ({
  number,
  redisUrl: `redis://host-${number}`,
  redisPasswordFile: password,
}));
const write = (...deployments: unknown[]): void => writeFileSync(path, JSON.stringify({ deployments }));

it('says once how a file of deployments differs from what the gateway has read', async () => {
  writeFileSync(password, 'secret');
  write(a, b);
  const changes = new FileChanges(path, readDeployments(path));
  expect([await changes.check(), changes.text]).toEqual([false, undefined]);
  write({ ...a, share: 2 }, c);
  expect([await changes.check(), changes.text]).toEqual([
    true,
    'deployment 0 has changed, deployment 1 is gone, deployment 2 is new',
  ]);
  expect(await changes.check()).toBe(false);
  writeFileSync(path, '{');
  expect([await changes.check(), changes.text]).toEqual([true, expect.stringContaining('is not JSON')]);
  write(b, a);
  expect([await changes.check(), changes.text]).toEqual([false, undefined]);
  writeFileSync(password, 'another');
  expect([await changes.check(), changes.text]).toEqual([true, 'deployment 0 has changed, deployment 1 has changed']);
  expect(changes.text).not.toContain('another');
});

it('sees that a password in the file has changed, though the file itself has not', async () => {
  writeFileSync(password, 'secret');
  write(a, b);
  const changes = new FileChanges(path, readDeployments(path));
  const seen: string[] = [];
  changes.watch(20, (text) => seen.push(text));
  writeFileSync(password, 'another');
  await until(() => seen.length > 0, { what: 'the change is seen' });
  expect(seen).toEqual(['deployment 0 has changed, deployment 1 has changed']);
});

it.skipIf(process.platform === 'win32')('blocks nothing while a password comes from a slow volume', async () => {
  // Its own files: the watch of the test before goes on.
  const [file, pipe] = [join(folder, 'slow.json'), join(folder, 'slow-password')];
  writeFileSync(pipe, 'secret');
  writeFileSync(file, JSON.stringify({ deployments: [{ ...a, redisPasswordFile: pipe }] }));
  const changes = new FileChanges(file, readDeployments(file));
  expect(await changes.check()).toBe(false);
  // Who opens a pipe that nobody writes waits, in a thread of its own or not.
  rmSync(pipe);
  execFileSync('mkfifo', [pipe]);
  const checked = changes.check();
  await writeFile(pipe, 'secret');
  expect([await checked, changes.text]).toEqual([false, undefined]);
});
