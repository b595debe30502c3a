import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, type GuardedProcess, spawnGuarded } from '@switchyard/local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAlmanac } from '../../examples/remote/almanac/server.ts';
import { descendantsOf, isAlive } from '../support/descendants.ts';
import { type Program, startProgram } from '../support/process.ts';
import { until } from '../support/until.ts';
import { EmptyFolder, environment } from './support/empty-folder.ts';

// A user's first minutes in a folder outside the repository: from nothing to a second agent on two workers. Each test
// continues with the folder as the test before left it.

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

/** Starting several processes takes long on a busy machine. */
const patience = { timeoutMs: 60_000 };

let folder: EmptyFolder;
let up: GuardedProcess | undefined;
let output = '';
let seconds = 0;

beforeAll(async () => {
  folder = await EmptyFolder.create();
  await folder.write('agent.ts', agent('first', 'Hello'));
  await folder.write('second.ts', agent('second', 'Good day'));
  const begun = performance.now();
  await folder.install(['agent', 'cli']);
  up = await spawnGuarded('npx', ['switchyard', 'up', './agent.ts', './second.ts', '--workers', '2', '--watch'], {
    cwd: folder.path,
    env: { ...environment(), PORT: '0' },
  });
  for (const stream of [up.stdout, up.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  await until(() => output.includes('Switchyard is ready') || !up?.isRunning(), { what: 'it is ready', ...patience });
  await until(async () => (await send('second')).includes('Good day, Ada'), {
    what: 'the second answers',
    ...patience,
  });
  seconds = (performance.now() - begun) / 1_000;
});

afterAll(async () => {
  await up?.stop();
  await folder.remove();
});

async function switchyard(...args: string[]): Promise<string> {
  const { stdout, stderr } = await folder.run('npx', ['switchyard', ...args]);
  return stdout + stderr;
}

async function send(id: string): Promise<string> {
  const [, url = ''] = /ready on (\S+)/.exec(output) ?? [];
  return switchyard('send', 'Ada', '-a', `${url}/agents/${id}`);
}

describe('switchyard up, from the tarballs', () => {
  it('leads in three commands from an empty folder to the answer of a second agent on two workers', async () => {
    process.stdout.write(`npm install, switchyard up and switchyard send took ${seconds.toFixed(1)} s\n`);
    expect(output).toContain('npx switchyard send --stream "Ada"');
    await until(async () => /^second .* 2 /m.test(await switchyard('queue')), { what: 'two workers', ...patience });
  });

  it('serves the first agent at the root, and other commands find it on an unusual port', async () => {
    expect(await switchyard('send', 'Ada')).toContain('Hello, Ada, from');
  });

  it("serves the console, which is part of the gateway's package", async () => {
    const [, console = '', key = ''] = /^Console: (\S+)#key=(\S+)$/m.exec(output) ?? [];
    const page = await fetch(console);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<script type="module"')]);
    const headers = { authorization: `Bearer ${key}` };
    expect(await (await fetch(new URL('/admin/me', console), { headers })).json()).toMatchObject({ may: 'all' });
  });

  it('reloads a changed agent, and keeps the old one if the change has an error', async () => {
    await folder.write('agent.ts', agent('first', 'Good evening'));
    const answers = async () => (await switchyard('send', 'Ada')).includes('Good evening, Ada');
    await until(answers, { what: 'the changed agent answers', ...patience });
    await until(() => output.includes('the changed agents are running'), { what: 'the log reports it' });
    await folder.write('agent.ts', 'const broken = ;');
    await until(() => /agent\.ts:1:16: Expression expected/.test(output), {
      what: 'the error is printed',
      ...patience,
    });
    expect(await switchyard('send', 'Ada')).toContain('Good evening, Ada');
  });

  it('starts without warnings, keeps its files in .switchyard, and leaves no process behind', async () => {
    const started = output.slice(0, output.indexOf('Switchyard is ready'));
    expect(started).toContain('starting Redis, a gateway and 2 workers');
    expect(started).not.toMatch(/WARN|ERROR|Warning/);
    expect(await readFile(join(folder.path, '.switchyard/.gitignore'), 'utf8')).toBe('*\n');
    const all = descendantsOf(up?.pid ?? 0);
    const workers = all.filter(({ command }) => /^\S*node\S* .*\/worker\/dist\/main\.js /.test(command));
    expect(workers.length).toBeGreaterThan(1);
    await up?.stop();
    // A guard that lost its parent waits for 5 s before it kills what is left of its group.
    const isGone = () => !all.some(({ pid }) => isAlive(pid));
    await until(isGone, { what: 'all its processes are gone', timeoutMs: 15_000 });
  });

  it('serves an existing agent by its URL', async () => {
    const almanac = await startAlmanac({ port: await freePort(), lineMs: 1 });
    const here = { PORT: '0', DATA_DIR: 'existing' };
    const program = ['switchyard', 'up', '--agent', new URL(almanac.cardUrl).origin];
    const gateway = await spawnGuarded('npx', program, { cwd: folder.path, env: { ...environment(), ...here } });
    let said = '';
    gateway.stdout.on('data', (chunk) => {
      said += chunk;
    });
    await until(() => said.includes('Switchyard is ready'), { what: 'it is ready', ...patience });
    const { stdout } = await folder.run('npx', ['switchyard', 'send', 'The almanac of 2027, please'], here);
    expect(stdout).toContain('The almanac of 2027 is done.');
    await gateway.stop();
    await almanac.close();
  });

  it('runs an agent from a folder without packages', async () => {
    const bare = await EmptyFolder.create();
    await bare.write('agent.ts', agent('bare', 'Hello'));
    const { stdout } = await folder.run('npx', ['switchyard', 'worker', '--list', join(bare.path, 'agent.ts')]);
    expect(JSON.parse(stdout)).toEqual([{ id: 'bare', name: 'bare', example: 'Ada' }]);
    await bare.remove();
  });
});

// The installed command of the folder, run in folders below it.
describe('switchyard up, in another folder', () => {
  async function start(name: string, args: readonly string[]): Promise<Program> {
    const file = join(folder.path, 'node_modules/.bin/switchyard');
    await mkdir(join(folder.path, name), { recursive: true });
    return startProgram({ file, args: ['up', ...args], env: { PORT: '0' }, cwd: join(folder.path, name) });
  }

  it('finds the agents in the folder agents, without warnings', async () => {
    await folder.write('team/package.json', '{}');
    await folder.write('team/agents/first.ts', agent('first', 'Hello'));
    await folder.write('team/agents/first.test.ts', 'throw new Error("a test is no agent");');
    await folder.write('team/agents/second/agent.ts', agent('second', 'Hello'));
    const team = await start('team', []);
    const [, url = ''] = await team.waitFor(/ready on (\S+)/, patience.timeoutMs);
    expect(team.output()).not.toContain('Warning');
    const second = `${url}/agents/second/.well-known/agent-card.json`;
    await until(async () => (await fetch(second)).ok, { what: 'both run', ...patience });
    expect(await (await fetch(`${url}/.well-known/agent-card.json`)).json()).toMatchObject({ name: 'first' });
    team.kill('SIGINT');
    expect(await team.exited).toBe(0);
  });

  it.each([
    ['no agent', [], /There is no agent here: neither agent\.ts nor agents\/\*\.ts/],
    ['no such file', ['./nowhere.ts'], /There is no module \S+nowhere\.ts/],
    ['a broken agent', ['./broken.ts'], /wrong\/broken\.ts:1:16: Expression expected/],
    ['an invalid agent', ['./incomplete.ts'], /incomplete\.ts:2:16: The agent "a" cannot be defined: card\./],
    ['an invalid number', ['--workers', 'many', './agent.ts'], /--workers: must be a whole number from 1 to 64/, 2],
    ['an unknown option', ['--wokers', '2'], /'--wokers' \(did you mean --workers\?\)\nHint: switchyard up --help/, 2],
  ])('exits at once with the reason, and leaves nothing behind, if it finds %s', async (_, args, words, code = 1) => {
    await folder.write('wrong/broken.ts', 'const broken = ;');
    const incomplete = `import { defineAgent } from '@switchyard/agent';\nexport default defineAgent({ id: 'a', card: {} });\n`;
    await folder.write('wrong/incomplete.ts', incomplete);
    const started = await start('wrong', args);
    expect(await started.exited).toBe(code);
    expect(started.output()).toMatch(words);
    expect(started.output()).not.toMatch(/│ starting |^ +at /m);
    await expect(readFile(join(folder.path, 'wrong/.switchyard/.gitignore'))).rejects.toThrow('ENOENT');
  });
});
