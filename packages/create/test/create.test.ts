import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readArguments } from '../src/arguments.ts';
import { addAgent, createFolder } from '../src/create.ts';
import { isTemplate, type Template, templates } from '../src/templates.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'switchyard-create-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const create = (name: string, template: Template = 'hello') => {
  const folder = join(root, name);
  return { folder, ...createFolder({ folder, template }) };
};
const read = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8');

/** Runs the tests of all created folders in one process, with the packages of this repository. */
async function runTests(): Promise<string> {
  symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));
  const options = ['--test', '--test-isolation=none', '--test-reporter=tap'];
  const { stdout } = await promisify(execFile)(process.execPath, [...options, '*/*.test.ts'], {
    cwd: root,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
  });
  return stdout;
}

describe('a new folder', () => {
  it('has an agent whose test passes, for every template', async () => {
    for (const template of Object.keys(templates)) if (isTemplate(template)) create(`${template}-desk`, template);
    addAgent({ folder: join(root, 'hello-desk'), name: 'kitchen', template: 'hello' });
    expect(await runTests()).toMatch(/^# pass 6\n# fail 0$/m);
  });

  it('has the name of the folder in all files, and nowhere the name of the template', () => {
    const { folder, files } = create('weather-desk');
    expect(files).toEqual(expect.arrayContaining(['agent.ts', 'agent.test.ts', 'package.json', '.gitignore']));
    expect(read(folder, 'agent.ts')).toContain("id: 'weather-desk'");
    expect(read(folder, 'agent.ts')).toContain("name: 'Weather desk'");
    for (const file of files) expect(read(folder, file)).not.toMatch(/my-agent|My agent/);
  });

  it('depends on Switchyard in the version of this package', () => {
    const { folder } = create('desk', 'sdk');
    const { version } = JSON.parse(readFileSync('packages/create/package.json', 'utf8'));
    expect(JSON.parse(read(folder, 'package.json'))).toMatchObject({
      name: 'desk',
      private: true,
      dependencies: { '@switchyard/agent': `^${version}`, '@switchyard/executor-sdk': `^${version}` },
      devDependencies: { '@switchyard/cli': `^${version}`, node: expect.stringMatching(/^\^24/) },
    });
  });

  it('can be created in a folder that contains only .git', () => {
    mkdirSync(join(root, 'desk', '.git'), { recursive: true });
    expect(create('desk').files).toContain('agent.ts');
  });

  it('is refused in a folder that is not empty; nothing is written there', () => {
    mkdirSync(join(root, 'desk'));
    writeFileSync(join(root, 'desk', 'thesis.txt'), 'mine');
    expect(() => create('desk')).toThrow(/is not empty \(it contains thesis.txt\)/);
    expect(readdirSync(join(root, 'desk'))).toEqual(['thesis.txt']);
    expect(() => create('desk/thesis.txt')).toThrow('cannot be the name of an agent');
  });

  it.each([
    ['My Agent', 'for example my-agent'],
    ['agent_1', 'for example agent-1'],
    ['-', 'at most 63 lower-case letters, digits and single hyphens.'],
    ['a'.repeat(64), `for example ${'a'.repeat(63)}`],
  ])('is refused with the invalid agent name "%s"; the error suggests a valid one', (name, hint) => {
    expect(() => create(name)).toThrow(hint);
  });
});

describe('a second agent in a folder', () => {
  it('is created beside the first, with its test', () => {
    const { folder } = create('desk');
    expect(addAgent({ folder, name: 'kitchen', template: 'hello' })).toEqual(['kitchen.test.ts', 'kitchen.ts']);
    expect(read(folder, 'kitchen.ts')).toContain("id: 'kitchen'");
    expect(read(folder, 'kitchen.test.ts')).toContain("from './kitchen.ts'");
  });

  it('is refused if one of its files exists', () => {
    const { folder } = create('desk');
    expect(() => addAgent({ folder, name: 'agent', template: 'hello' })).toThrow(
      'The file agent.test.ts already exists',
    );
  });

  it('is refused if its packages are not installed, or the folder has no package.json', () => {
    const { folder } = create('desk');
    expect(() => addAgent({ folder, name: 'kitchen', template: 'openai' })).toThrow(
      'npm install @switchyard/executor-openai',
    );
    expect(() => addAgent({ folder: root, name: 'kitchen', template: 'hello' })).toThrow(
      'There is no package.json here',
    );
  });

  it('is refused if the package.json is damaged', () => {
    const { folder } = create('damaged');
    writeFileSync(join(folder, 'package.json'), '{"dependencies":');
    expect(() => addAgent({ folder, name: 'kitchen', template: 'hello' })).toThrow('is not valid JSON');
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
    [['a', 'b'], 'Name only one folder'],
    [['a', '--template', 'cobol'], 'choose one of hello, openai, sdk'],
    [['a', '--add', 'b'], 'leave out the name of a folder'],
    [['a', '--frobnicate'], "Unknown option '--frobnicate'"],
  ])('refuses %j with an error that says how to correct it', (args, error) => {
    expect(() => readArguments(args)).toThrow(error);
  });
});
