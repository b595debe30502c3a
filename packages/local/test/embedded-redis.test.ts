import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { sendRedisCommand } from '../src/redis/redis-command.ts';

describe('the embedded Redis', () => {
  let folder: string;
  const programs: Program[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchyard-embedded-'));
  });

  afterEach(async () => {
    await Promise.all(programs.splice(0).map((program) => program.stop()));
    await rm(folder, { recursive: true, force: true });
  });

  async function start(): Promise<Program> {
    const program = await startProgram({ file: 'packages/local/test/fixtures/redis-owner.ts', args: [folder] });
    programs.push(program);
    return program;
  }

  async function portOf(program: Program): Promise<number> {
    return Number((await program.waitFor(/redis \d+ (\d+)/))[1]);
  }

  it('never evicts keys, appends every second and stores small hashes compactly', async () => {
    const port = await portOf(await start());
    const ask = async (setting: string): Promise<string> => sendRedisCommand(port, `CONFIG GET ${setting}`);
    expect(await ask('maxmemory-policy')).toContain('noeviction');
    expect(await ask('appendfsync')).toContain('everysec');
    expect(await ask('appendonly')).toContain('yes');
    expect(await ask('hash-max-listpack-value')).toContain('1024');
    expect(await ask('stream-node-max-bytes')).toContain('1024');
    expect(await ask('bind')).toContain('127.0.0.1');
  });

  it('keeps its data and its port over a restart', async () => {
    const first = await start();
    const port = await portOf(first);
    await sendRedisCommand(port, 'SET task completed');
    expect(await first.stop()).toBe(0);
    expect(await portOf(await start())).toBe(port);
    expect(await sendRedisCommand(port, 'GET task')).toContain('completed');
  });

  it('takes another port if that of its last start is in use, or is not one', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await writeFile(join(folder, 'port'), `${port}\n`);
    const first = await start();
    expect(await portOf(first)).not.toBe(port);
    server.close();
    await first.stop();
    await writeFile(join(folder, 'port'), '123456\n');
    expect(await portOf(await start())).toBeLessThan(65_536);
  });

  it('refuses a second owner of the same folder with an error that names the first', async () => {
    const first = await start();
    await portOf(first);
    const second = await start();
    await second.waitFor(new RegExp(`refused: .*already runs here \\(process ${first.pid},`));
    expect(first.isRunning()).toBe(true);
  });

  it('keeps its data after its owner was killed', async () => {
    const first = await start();
    await sendRedisCommand(await portOf(first), 'SET task working');
    first.kill('SIGKILL');
    expect(await sendRedisCommand(await portOf(await start()), 'GET task')).toContain('working');
  });

  it('starts although a crashed owner left its owner file', async () => {
    await writeFile(join(folder, 'owner.json'), JSON.stringify({ pid: 2 ** 30, port: 1 }));
    expect(await portOf(await start())).toBeGreaterThan(0);
  });

  it('starts although another process has the process id of the crashed owner', async () => {
    await writeFile(join(folder, 'owner.json'), JSON.stringify({ pid: process.pid, port: 1 }));
    expect(await portOf(await start())).toBeGreaterThan(0);
  });
});
