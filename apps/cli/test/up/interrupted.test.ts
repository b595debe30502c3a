import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { descendantsOf, isAlive } from '../../../../tests/support/descendants.ts';
import { startProgram } from '../../../../tests/support/process.ts';
import { patience, until } from '../../../../tests/support/until.ts';

describe('Ctrl-C ends switchyard up at once', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-interrupted-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Interrupts it once a part that never starts has created the file. */
  async function interrupt(agent: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
    const up = await startProgram({
      file: 'apps/cli/src/main.ts',
      args: ['up', agent],
      env: { PORT: '0', DATA_DIR: join(folder, 'data'), ...env },
    });
    await until(() => existsSync(join(folder, 'begun')), { what: 'the part starts', timeoutMs: 20_000 });
    const partsOfUp = () => descendantsOf(up.pid).filter(({ command }) => /^(?:sleep|\S*node) /.test(command));
    await until(() => partsOfUp().length === 1, { what: 'its only part runs' });
    const children = partsOfUp();
    const interruptedAt = Date.now();
    up.kill('SIGINT');
    expect(await up.exited).toBe(0);
    expect(Date.now() - interruptedAt).toBeLessThan(2_000 * patience);
    await until(() => !children.some(({ pid }) => isAlive(pid)), { what: 'its processes are gone' });
  }

  it('while it loads an agent', async () => {
    const agent = join(folder, 'agent.mjs');
    const begun = JSON.stringify(join(folder, 'begun'));
    await writeFile(
      agent,
      `import { writeFileSync } from 'node:fs';
       writeFileSync(${begun}, '');
       await new Promise((resolve) => setTimeout(resolve, 60_000));`,
    );
    await interrupt(agent);
  });

  it('while an agent loops as it is loaded, and says where', async () => {
    const agent = join(folder, 'agent.mjs');
    await writeFile(agent, 'let n = 0;\nfor (;;)\n  n += 1;\n');
    const env = { PORT: '0', DATA_DIR: join(folder, 'data') };
    const up = await startProgram({ file: 'apps/cli/src/main.ts', args: ['up', agent], env });
    await up.waitFor(/worker +│ loading: for 4 s a module of an agent runs at \S+agent\.mjs:[23],/, 20_000);
    up.kill('SIGINT');
    expect(await up.exited).toBe(0);
  });

  it('while Redis loads its data', async () => {
    const slow = join(folder, 'redis-server');
    await writeFile(slow, `#!/bin/sh\n: >'${join(folder, 'begun')}'\nexec sleep 60\n`);
    await chmod(slow, 0o755);
    await interrupt('examples/echo/agent.ts', { PATH: `${folder}:${process.env.PATH}` });
  });
});

it('prints its command so that a shell reads it as it was typed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-quoted-'));
  const agent = join(folder, 'my agent.ts');
  await copyFile('examples/hello/agent.ts', agent);
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const env = { PORT: String(port), REDIS_URL: inject('redisUrl'), DATA_DIR: join(folder, 'data'), AUTH: 'api-key' };
  const up = await startProgram({ file: 'apps/cli/src/main.ts', args: ['up', agent], env });
  expect(await up.exited).toBe(1);
  expect(up.output()).toMatch(/Choose another one: PORT=\d+ .*AUTH=api-key .* up '\S+my agent\.ts'\n/);
  taken.close();
  await rm(folder, { recursive: true, force: true });
});

it.each<[what: string, name: string, problem: string]>([
  ['cannot be made', 'file/data', 'ENOTDIR: '],
  ['is a file', 'file', 'it is a file. '],
  ['has a folder in the place of a key', 'odd-key', 'EISDIR: '],
  ['has a file in the place of the folder of Redis', 'odd-redis', 'EEXIST: .*/odd-redis/redis'],
])('says which setting names another place if its data folder %s', async (_, name, problem) => {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-no-folder-'));
  await writeFile(join(folder, 'file'), '');
  await mkdir(join(folder, 'odd-key/operator-key'), { recursive: true });
  await mkdir(join(folder, 'odd-redis'));
  await writeFile(join(folder, 'odd-redis/redis'), '');
  const data = join(folder, name);
  const env = { PORT: '0', ADMIN_PORT: '0', DATA_DIR: data };
  const up = await startProgram({ file: 'apps/cli/src/main.ts', args: ['up', 'examples/echo/agent.ts'], env });
  expect(await up.exited).toBe(1);
  const says = `The data folder ${data} cannot be used: ${problem}.*Set DATA_DIR to a folder that you may write to`;
  expect(up.output()).toMatch(new RegExp(says));
  await rm(folder, { recursive: true });
});
