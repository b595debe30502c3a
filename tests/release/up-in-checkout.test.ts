import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../apps/cli/test/support/run.ts';
import { descendantsOf, isAlive } from '../support/descendants.ts';
import { type Program, startProgram } from '../support/process.ts';
import { until } from '../support/until.ts';

const cli = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url));

const agent = (id: string, greeting: string): string => `
import { defineAgent } from '@switchyard/agent';

export default defineAgent({
  id: '${id}',
  card: {
    name: '${id}', description: 'Greets.', version: '1.0.0',
    skills: [{ id: 'greet', name: 'Greet', description: 'Greets.', tags: ['demo'], examples: ['Ada'] }],
  },
  execute: (turn) => turn.complete(\`${greeting}, \${turn.text}, from \${process.pid}\`),
});
`;

// From the sources, in a folder that has no packages. Several processes start in each test, on cores that other tests use too.
describe('switchyard up', { timeout: 60_000 }, () => {
  let folder: string;
  let program: Program | undefined;

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'switchyard-up-')));
  });
  afterEach(async () => {
    await program?.stop();
    program = undefined;
    await rm(folder, { recursive: true, force: true });
  });

  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);

  async function up(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Program> {
    program = await startProgram({ file: cli, args: ['up', ...args], env: { PORT: '0', ...env }, cwd: folder });
    return program;
  }

  const send = async (text: string, ...args: string[]) => (await run(['send', text, ...args], { folder })).out;

  it('runs agents of a folder with two workers, keeps its files there, and stops everything', async () => {
    await write('agent.ts', agent('greeter', 'Hello'));
    await write('other.ts', agent('other', 'Good day'));
    const started = await up(['./other.ts', './agent.ts', '--workers', '2']);
    const [, url = ''] = await started.waitFor(/ready on (\S+)/, 30_000);
    expect(started.output()).toContain('switchyard send --stream "Ada"');
    expect(await send('Ada')).toContain('Good day, Ada, from');
    expect(await send('Ada', '-a', `${url}/agents/greeter`)).toContain('Hello, Ada, from');
    const workers = descendantsOf(started.pid).filter(({ command }) => /^\S*node\S* \S*\/apps\/worker\//.test(command));
    expect(workers).toHaveLength(2);
    expect(await readFile(join(folder, '.switchyard/.gitignore'), 'utf8')).toBe('*\n');
    const all = descendantsOf(started.pid);
    started.kill('SIGINT');
    expect(await started.exited).toBe(0);
    await until(() => !all.some(({ pid }) => isAlive(pid)), { what: 'all its processes are gone' });
  });

  it('finds agent.ts by itself, loads it again when it changes, and says so', async () => {
    await write('agent.ts', agent('greeter', 'Hello'));
    const started = await up(['--watch']);
    await started.waitFor(/ready on (\S+)/, 30_000);
    expect(await send('Ada')).toContain('Hello, Ada');
    await write('agent.ts', 'const broken = ;');
    await started.waitFor(/agent\.ts:1:16: Expression expected/, 20_000);
    expect(await send('Ada')).toContain('Hello, Ada');
    await write('agent.ts', agent('greeter', 'Good evening'));
    await started.waitFor(/the changed agents run/, 20_000);
    await until(async () => (await send('Ada')).includes('Good evening, Ada'), { what: 'the changed agent answers' });
  });

  it('finds the agents of the folder agents', async () => {
    await mkdir(join(folder, 'agents/second'), { recursive: true });
    await write('agents/first.ts', agent('first', 'Hello'));
    await write('agents/first.test.ts', 'throw new Error("a test is no agent");');
    await write('agents/second/agent.ts', agent('second', 'Hello'));
    const [, url = ''] = await (await up([])).waitFor(/ready on (\S+)/, 30_000);
    await until(async () => (await fetch(`${url}/agents/second/.well-known/agent-card.json`)).ok, { what: 'both run' });
    expect(await (await fetch(`${url}/.well-known/agent-card.json`)).json()).toMatchObject({ name: 'first' });
  });

  it.each([
    ['no agent', [], /There is no agent here: neither agent\.ts nor agents\/\*\.ts/],
    ['no such file', ['./nowhere.ts'], /There is no module \S+nowhere\.ts/],
    ['a broken agent', ['./broken.ts'], /broken\.ts:1:16: Expression expected/],
    ['no definition of an agent', ['./incomplete.ts'], /incomplete\.ts:2:16: The agent "a" cannot be defined: card\./],
    ['no number', ['--workers', 'many', './agent.ts'], /--workers: must be a whole number from 1 to 64/],
    ['no option', ['--wokers', '2'], /Unknown option '--wokers'[\s\S]*Usage: switchyard up/],
  ])('ends at once where there is %s, says why, and leaves nothing behind', async (_, args, words) => {
    await write('broken.ts', 'const broken = ;');
    await write(
      'incomplete.ts',
      `import { defineAgent } from '@switchyard/agent';\nexport default defineAgent({ id: 'a', card: {} });\n`,
    );
    const started = await up(args);
    expect(await started.exited).toBe(1);
    expect(started.output()).toMatch(words);
    expect(started.output()).not.toMatch(/│ starting |^ +at /m);
    await expect(readFile(join(folder, '.switchyard/.gitignore'))).rejects.toThrow('ENOENT');
  });
});
