import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { EmptyFolder } from './support/empty-folder.ts';

const folder = await EmptyFolder.create();
afterAll(() => folder.remove());

it("An agent's author installs less than 3 MB, and only our packages", async () => {
  const startedAt = performance.now();
  await folder.install(['agent']);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const megabytes = (await bytesOnDisk(join(folder.path, 'node_modules'))) / 1e6;
  process.stdout.write(`@switchyard/agent: ${megabytes.toFixed(2)} MB, installed in ${seconds} s\n`);
  expect(megabytes).toBeLessThan(3);
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

it('The command installs without gateway, worker, store and gRPC, and then calls agents only', async () => {
  const light = await EmptyFolder.create();
  try {
    await light.install(['cli'], ['--omit=optional']);
    const ours = await readdir(join(light.path, 'node_modules/@switchyard'));
    expect(ours).toEqual(['cli', 'operator-api', 'outgoing', 'protocol', 'settings']);
    expect(await readdir(join(light.path, 'node_modules'))).not.toContain('bullmq');
    const command = join(light.path, 'node_modules/.bin/switchyard');
    const called = await light.run(command, ['task', 'list', '-a', 'http://127.0.0.1:9']);
    expect([called.code, called.stderr]).toEqual([3, expect.stringContaining('A2ACLI_ERR_UNREACHABLE')]);
    for (const args of [['up'], ['keys', 'list']])
      expect((await light.run(command, args)).stderr).toMatch(/needs the package \S+, which is not/);
    expect((await light.run(command, ['--help'])).stdout).toContain('not installed: needs @switchyard/');
    const megabytes = (await bytesOnDisk(join(light.path, 'node_modules'))) / 1e6;
    process.stdout.write(`@switchyard/cli without its optional packages: ${megabytes.toFixed(1)} MB\n`);
  } finally {
    await light.remove();
  }
});

/** As `du` counts: whole blocks. */
async function bytesOnDisk(path: string): Promise<number> {
  const files = await readdir(path, { recursive: true });
  const stats = await Promise.all(files.map((file) => stat(join(path, file))));
  return stats.reduce((sum, { blocks }) => sum + blocks * 512, 0);
}
