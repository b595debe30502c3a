import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { EmptyFolder } from './support/empty-folder.ts';

const folder = await EmptyFolder.create();
afterAll(() => folder.remove());

it("An agent's author installs less than 2 MB, and only our packages", async () => {
  const startedAt = performance.now();
  await folder.install(['agent']);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const megabytes = (await bytesOnDisk(join(folder.path, 'node_modules'))) / 1e6;
  process.stdout.write(`@switchyard/agent: ${megabytes.toFixed(2)} MB, installed in ${seconds} s\n`);
  expect(megabytes).toBeLessThan(2);
  expect(await readdir(join(folder.path, 'node_modules'))).toEqual(['.package-lock.json', '@switchyard']);
  expect(await readdir(join(folder.path, 'node_modules/@switchyard'))).toEqual(['agent', 'protocol']);
});

it('An agent definition is checked without zod', async () => {
  const code = `import { defineAgent } from '@switchyard/agent';
    defineAgent({ id: 'a', card: { name: '', description: 'A', version: '1', skills: [] }, execute() {} });`;
  const { code: exitCode, stderr } = await folder.run('node', ['--input-type=module', '--eval', code]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('TypeError: The agent "a" cannot be defined: card.name: must not be empty');
});

/** As `du` counts: whole blocks. */
async function bytesOnDisk(path: string): Promise<number> {
  const files = await readdir(path, { recursive: true });
  const stats = await Promise.all(files.map((file) => stat(join(path, file))));
  return stats.reduce((sum, { blocks }) => sum + blocks * 512, 0);
}
