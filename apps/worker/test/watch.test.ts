import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { isAlive } from '../../../tests/support/descendants.ts';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { until } from '../../../tests/support/until.ts';
import { Desk } from './support/desk.ts';

const agent = `
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';
import { greeting } from './greeting.ts';

export default defineAgent({
  id: 'greeter',
  card: { name: 'Greeter', description: 'Greets.', version: '1.0.0', skills: [] },
  async execute(turn) {
    if (turn.text === 'slowly') {
      await turn.working(greeting);
      while (!existsSync(new URL('go', import.meta.url))) await delay(20, undefined, { signal: turn.signal });
    }
    return turn.complete(greeting);
  },
});
`;

const repository = fileURLToPath(new URL('../../..', import.meta.url));
/** The longest start of a worker on a busy machine. */
const startTime = { timeoutMs: 20_000 };

let folder: string;
let desk: Desk;
let program: Program;

const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
const writeGreeting = (greeting: string): Promise<void> =>
  write('greeting.ts', `export const greeting = '${greeting}';\n`);
const starts = (): string[] => program.output().match(/"event":"started"/g) ?? [];
const workerPids = (): number[] =>
  Array.from(program.output().matchAll(/"pid":(\d+)[^\n]*"event":"started"/g), ([, pid]) => Number(pid));

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'switchyard-watch-')));
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
  await write('package.json', '{"type":"module"}');
  await write('agent.ts', agent);
  await writeGreeting('Hello');
  const prefix = uniquePrefix();
  desk = await Desk.open({ redisUrl: inject('redisUrl'), prefix, agent: 'greeter' });
  program = await startProgram({
    file: 'apps/worker/src/main.ts',
    args: ['--watch', '--agents', join(folder, 'agent.ts')],
    env: { REDIS_URL: inject('redisUrl'), KEY_PREFIX: prefix, DRAIN_MS: '0' },
  });
  await program.waitFor(/"event":"started"/, 20_000);
});

afterEach(async () => {
  await program.stop();
  await desk.close();
  await rm(folder, { recursive: true, force: true });
});

describe('a worker with --watch', () => {
  it('runs the new code when the module of an agent or one of its imports changes', async () => {
    expect(await desk.ask('Hi')).toBe('Hello');
    await writeGreeting('Good evening');
    await until(() => starts().length === 2, { what: 'a second worker has started', ...startTime });
    await until(() => !isAlive(workerPids()[0] ?? 0), { what: 'the first worker is gone', ...startTime });
    expect(await desk.ask('Hi')).toBe('Good evening');
    await write('agent.ts', agent.replace('complete(greeting)', 'complete(greeting + "!")'));
    await until(() => starts().length === 3, { what: 'a third worker has started', ...startTime });
    await until(() => !isAlive(workerPids()[1] ?? 0), { what: 'the second worker is gone', ...startTime });
    expect(await desk.ask('Hi')).toBe('Good evening!');
  });

  it('loses no turn that runs during a change', async () => {
    const answer = desk.ask('slowly');
    await desk.untilWorking();
    await writeGreeting('Good evening');
    await until(() => !isAlive(workerPids()[0] ?? 0), { what: 'the worker that ran it is gone', ...startTime });
    await write('go', '');
    expect(await answer).toBe('Good evening');
  });

  it('keeps the old code while the new code cannot be loaded', async () => {
    await writeGreeting("' + nonsense + '");
    await program.waitFor(/"event":"change-refused","isServed":true/, 20_000);
    expect(await desk.ask('Hi')).toBe('Hello');
    await writeGreeting('Good evening');
    await until(() => starts().length === 2, { what: 'a second worker has started', ...startTime });
    await until(() => !isAlive(workerPids()[0] ?? 0), { what: 'the first worker is gone', ...startTime });
    expect(await desk.ask('Hi')).toBe('Good evening');
  });

  it('withdraws an agent at once whose id has changed, and says so', async () => {
    expect(await desk.announced()).toEqual(['greeter']);
    await write('agent.ts', agent.replace("id: 'greeter'", "id: 'welcomer'"));
    await program.waitFor(/the changed agents are running: agent greeter is gone; agent welcomer is new/, 20_000);
    await until(() => !isAlive(workerPids()[0] ?? 0), { what: 'the first worker is gone', ...startTime });
    expect(await desk.announced()).toEqual(['welcomer']);
    await write('agent.ts', agent);
    await program.waitFor(/the changed agents are running: agent welcomer is gone; agent greeter is new/, 20_000);
    expect(await desk.ask('Hi')).toBe('Hello');
  });

  it('is restarted when it crashes', async () => {
    process.kill(workerPids()[0] ?? 0, 'SIGKILL');
    await until(() => starts().length === 2, { what: 'a second worker has started', ...startTime });
    expect(await desk.ask('Hi')).toBe('Hello');
  });

  it('leaves no process behind when its parent process is killed', async () => {
    const [worker = 0] = workerPids();
    program.kill('SIGKILL');
    await until(() => !isAlive(worker), { what: 'the worker is gone', ...startTime });
  });
});
