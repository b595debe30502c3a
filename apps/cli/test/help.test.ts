import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { modulesOf } from '../../../tests/support/modules-of.ts';
import { examples } from '../src/help/examples.ts';
import { run } from './support/run.ts';

// Every command is asked for its help, and on a busy machine a process starts slowly.
describe('the help', () => {
  it('of every command has an example that begins with the command', async () => {
    const paths = await commandPaths();
    expect(paths).toContain('task push-config create');
    for (const path of paths) {
      const { out } = await run([...path.split(' '), '--help']);
      expect(out, `help/examples.ts has no example for "${path}"`).toMatch(/\nExamples?:\n {2}\S/);
      expect(out).toContain(`  ${examples[path]?.[0]}\n`);
    }
  });

  it('has the options of the command first, then those of every call that the command reads', async () => {
    const { out } = await run(['task', 'list', '--help']);
    expect(out).toMatch(/\nOptions:\n {2}--status[\s\S]*--context-id[\s\S]*\nEvery call:\n[\s\S]*--agent-card/);
    for (const other of ['--async', '--task-id', '--metadata', '--poll-interval', '--version'])
      expect(out).not.toContain(other);
    expect((await run(['queue', 'pause', '--help'])).out).not.toContain('--agent-card');
    expect((await run(['task', '--help'])).out).not.toContain('Every call:');
  });

  it('names the command that a mistyped one may mean', async () => {
    const { code, err } = await run(['sned', 'Hello']);
    expect([code, err]).toEqual([2, expect.stringContaining('Did you mean send?')]);
  });

  it.each([
    [['queue', 'foo'], "unknown command 'foo'"],
    [['archive', 'verfy'], "unknown command 'verfy'"],
    [['task', 'list', '--page-size', 'x'], '--page-size x: it must be a whole number of at most six digits'],
    [['send', '--ttl', 'soon', 'x'], '--ttl soon: it must be a whole number of at most six digits'],
  ])('a mistyped %j is named as it was typed', async (args, reason) => {
    const { code, err } = await run(args);
    expect([code, err.split('\n')[1]]).toEqual([2, `Reason: ${reason}`]);
  });
});

it('a flag that its command does not read is wrong usage, because it may be a mistyped one', async () => {
  for (const [line, text] of [
    ['keys create --subject ada --scope read', 'keys create does not take --scope; it is for login'],
    ['queue -a https://agents.example.com', 'queue list does not take --agent-card'],
    ['task delete --api-key k t', 'task delete does not take --api-key'],
    ['task list --task-id t', 'task list does not take --task-id; it is for send, chat'],
    ['card get --no-wait', 'card get does not take --wait; it is for send, task get, task cancel'],
  ] as const) {
    const { code, err } = await run(line.split(' '));
    expect([code, err]).toEqual([2, expect.stringContaining(text)]);
  }
});

describe('a call of an agent', () => {
  it('loads neither gateway, worker, store nor gRPC, and few modules', async () => {
    const modules = await modulesOf('apps/cli/src/main.ts', ['task', 'list', '-a', 'http://127.0.0.1:9']);
    expect(modules.filter((url) => /apps\/cli\/src\/commands\/task\.ts/.test(url))).toHaveLength(1);
    const heavy = /apps\/(?:gateway|worker)|packages\/(?:store|local|settings\/src\/(?!terminal))|@grpc|bullmq|ioredis/;
    expect(modules.filter((url) => heavy.test(url))).toEqual([]);
    // Each module costs about a millisecond of processor time.
    expect(modules.length).toBeLessThanOrEqual(MAX_MODULES);
  });

  it('is built without zod, of which each file would load 95 modules', async () => {
    const modules = await modulesOf('apps/cli/src/main.ts', ['task', 'list', '-a', 'http://127.0.0.1:9']);
    const own = modules.flatMap((url) => /^file:.*\/apps\/cli\/src\/(.+)\.ts$/.exec(url)?.[1] ?? []);
    const source = (name: string) => readFileSync(`apps/cli/src/${name}.ts`, 'utf8');
    const withZod = own.filter((name) => /^import \{.*\} from 'zod'/m.test(source(name)));
    expect(withZod.length).toBeGreaterThan(0);
    const { scripts } = JSON.parse(readFileSync('apps/cli/package.json', 'utf8'));
    const bundled = new Set(scripts.build.split(' '));
    expect(withZod.filter((name) => !bundled.has(`dist/${name}.js`))).toEqual([]);
  });
});

/** 190 of them are of zod, the SDK with its jose, and Node; three look for the login of the agent's origin. */
const MAX_MODULES = 248;

/** Every command that does something: `task push-config create`. */
async function commandPaths(group: readonly string[] = []): Promise<string[]> {
  const { out } = await run([...group, '--help']);
  const lists = Array.from(out.matchAll(/^(?:Agents|Switchyard|This command|Commands):\n((?: {2}.*\n)+)/gm));
  const names = lists.flatMap(([, list = '']) =>
    Array.from(list.matchAll(/^ {2}([a-z][\w-]*)/gm), ([, name = '']) => name),
  );
  const known = names.filter((name) => !['help', 'up'].includes(name));
  if (known.length === 0) return [group.join(' ')];
  return (await Promise.all(known.map((name) => commandPaths([...group, name])))).flat();
}
