import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readArguments } from '../src/arguments.ts';
import { addAgent, createFolder } from '../src/create.ts';
import { isTemplate, type Template, templates } from '../src/templates.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'switchyard-create-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const create = (name: string, template: Template = 'hello') => {
  const folder = join(place, name);
  return { folder, ...createFolder({ folder, template }) };
};
const read = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8');

/** As `npm test` in each folder, in one process, with the packages of this repository. */
async function runTests(): Promise<string> {
  symlinkSync(join(process.cwd(), 'node_modules'), join(place, 'node_modules'));
  const options = ['--test', '--test-isolation=none', '--test-reporter=tap'];
  const { stdout } = await promisify(execFile)(process.execPath, [...options, '*/*.test.ts'], {
    cwd: place,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
  });
  return stdout;
}

describe('a new folder', () => {
  it('has an agent that passes its test, with every template', { timeout: 60_000 }, async () => {
    for (const template of Object.keys(templates)) if (isTemplate(template)) create(`${template}-desk`, template);
    addAgent({ folder: join(place, 'hello-desk'), name: 'kitchen', template: 'hello' });
    expect(await runTests()).toMatch(/^# pass 6\n# fail 0$/m);
  });

  it('has the name of the folder, and nothing that of the template', () => {
    const { folder, files } = create('weather-desk');
    expect(files).toEqual(expect.arrayContaining(['agent.ts', 'agent.test.ts', 'package.json', '.gitignore']));
    expect(read(folder, 'agent.ts')).toContain("id: 'weather-desk'");
    expect(read(folder, 'agent.ts')).toContain("name: 'Weather desk'");
    for (const file of files) expect(read(folder, file)).not.toMatch(/my-agent|My agent/);
  });

  it('wants Switchyard in the version of this package, and no registry is asked for it', () => {
    const { folder } = create('desk', 'sdk');
    const { version } = JSON.parse(readFileSync('packages/create/package.json', 'utf8'));
    expect(JSON.parse(read(folder, 'package.json'))).toMatchObject({
      name: 'desk',
      private: true,
      dependencies: { '@switchyard/agent': `^${version}`, '@switchyard/executor-sdk': `^${version}` },
      devDependencies: { '@switchyard/cli': `^${version}`, node: expect.stringMatching(/^\^24/) },
    });
  });

  it('may be an empty one, or one that git has begun', () => {
    mkdirSync(join(place, 'desk', '.git'), { recursive: true });
    expect(create('desk').files).toContain('agent.ts');
  });

  it('is refused where there is something, and nothing is written', () => {
    mkdirSync(join(place, 'desk'));
    writeFileSync(join(place, 'desk', 'thesis.txt'), 'mine');
    expect(() => create('desk')).toThrow(/is not empty \(it has thesis.txt\)/);
    expect(readdirSync(join(place, 'desk'))).toEqual(['thesis.txt']);
    expect(() => create('desk/thesis.txt')).toThrow('cannot name an agent');
  });

  it.each([
    ['My Agent', 'for example my-agent'],
    ['agent_1', 'for example agent-1'],
    ['-', 'at most 63.'],
    ['a'.repeat(64), `for example ${'a'.repeat(63)}`],
  ])('has a name that an agent may have: not "%s"', (name, hint) => {
    expect(() => create(name)).toThrow(hint);
  });
});

describe('a further agent', () => {
  it('lies beside the first, with its test', () => {
    const { folder } = create('desk');
    expect(addAgent({ folder, name: 'kitchen', template: 'hello' })).toEqual(['kitchen.test.ts', 'kitchen.ts']);
    expect(read(folder, 'kitchen.ts')).toContain("id: 'kitchen'");
    expect(read(folder, 'kitchen.test.ts')).toContain("from './kitchen.ts'");
  });

  it('replaces nothing', () => {
    const { folder } = create('desk');
    expect(() => addAgent({ folder, name: 'agent', template: 'hello' })).toThrow(
      'There is a file agent.test.ts already',
    );
  });

  it('wants its packages first, and a folder of an agent', () => {
    const { folder } = create('desk');
    expect(() => addAgent({ folder, name: 'kitchen', template: 'openai' })).toThrow(
      'npm install @switchyard/executor-openai',
    );
    expect(() => addAgent({ folder: place, name: 'kitchen', template: 'hello' })).toThrow(
      'There is no package.json here',
    );
  });
});

describe('the command line', () => {
  it.each([
    [['desk'], { kind: 'create', folder: 'desk', template: 'hello', install: true }],
    [['desk', '-t', 'openai', '--no-install'], { kind: 'create', folder: 'desk', template: 'openai', install: false }],
    [['--add', 'kitchen'], { kind: 'add', name: 'kitchen', template: 'hello' }],
    [['--help'], { kind: 'help' }],
  ])('reads %j', (args, order) => {
    expect(readArguments(args)).toEqual(order);
  });

  it.each([
    [[], 'Name the folder'],
    [['a', 'b'], 'One folder at a time'],
    [['a', '--template', 'cobol'], 'choose one of hello, openai, sdk'],
    [['a', '--add', 'b'], 'leave the other name out'],
    [['a', '--frobnicate'], "Unknown option '--frobnicate'"],
  ])('has words for %j', (args, words) => {
    expect(() => readArguments(args)).toThrow(words);
  });
});
