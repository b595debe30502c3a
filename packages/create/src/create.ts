import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { UsageError } from './arguments.ts';
import { dependenciesOf, devDependencies, filesOf, type Template } from './templates.ts';

export interface NewFolder {
  /** An absolute path; it may exist, if it is empty. Its last part names the agent. */
  readonly folder: string;
  readonly template: Template;
}

/** Writes a folder with an agent. @returns what was written @throws {UsageError} */
export function createFolder({ folder, template }: NewFolder): { name: string; files: string[] } {
  const name = agentName(basename(folder));
  requireEmpty(folder);
  const files = new Map([...filesOf('common'), ...filesOf(template), ['package.json', packageJson(name, template)]]);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of files) writeFileSync(join(folder, file), named(text, name));
  return { name, files: [...files.keys()].sort() };
}

export interface NewAgent {
  /** With a package.json. */
  readonly folder: string;
  /** Of the agent, and of its file. */
  readonly name: string;
  readonly template: Template;
}

/** Writes a further agent and its test into a folder. @returns the files @throws {UsageError} */
export function addAgent({ folder, name, template }: NewAgent): string[] {
  agentName(name);
  requirePackages(folder, template);
  const files = new Map(
    Array.from(filesOf(template), ([file, text]): [string, string] => [
      file.replace(/^agent\b/, name),
      named(text, name).replaceAll("'./agent.ts'", `'./${name}.ts'`),
    ]),
  );
  const [existing] = [...files.keys()].filter((file) => existsSync(join(folder, file)));
  if (existing) throw new UsageError(`There is a file ${existing} already: choose another name.`);
  for (const [file, text] of files) writeFileSync(join(folder, file), text);
  return [...files.keys()];
}

/** The templates' agent has the name `my-agent`, so that they are agents which can be run and tested as they lie. */
function named(text: string, name: string): string {
  const title = name[0]?.toUpperCase() + name.slice(1).replaceAll('-', ' ');
  return text.replaceAll('my-agent', name).replaceAll('My agent', title);
}

/** The same rule as for the id of an agent, of which it becomes one. @throws {UsageError} */
function agentName(name: string): string {
  if (name.length <= 63 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) return name;
  const better = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 63);
  const hint = better ? `, for example ${better.replace(/-$/, '')}` : '';
  throw new UsageError(
    `"${name}" cannot name an agent: lower-case letters, digits and single hyphens, at most 63${hint}.`,
  );
}

/** A folder that git has begun may be empty all the same. @throws {UsageError} */
function requireEmpty(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new UsageError(`${folder} is a file: choose another name.`);
  const [found] = readdirSync(folder).filter((file) => file !== '.git');
  if (!found) return;
  throw new UsageError(
    `${folder} is not empty (it has ${found}): name another folder, or add an agent to this one with --add <name>.`,
  );
}

/** @throws {UsageError} */
function requirePackages(folder: string, template: Template): void {
  const { dependencies } = readPackageJson(folder);
  const missing = Object.keys(dependenciesOf(template)).filter((name) => !dependencies.includes(name));
  if (missing.length === 0) return;
  throw new UsageError(`The package.json of this folder lacks ${missing.join(', ')}: npm install ${missing.join(' ')}`);
}

function readPackageJson(folder: string): { dependencies: readonly string[] } {
  const file = join(folder, 'package.json');
  if (!existsSync(file))
    throw new UsageError('There is no package.json here: go to the folder of your agent, or name a new folder.');
  const { dependencies = {} }: { dependencies?: object } = JSON.parse(readFileSync(file, 'utf8'));
  return { dependencies: Object.keys(dependencies) };
}

function packageJson(name: string, template: Template): string {
  const content = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=24' },
    scripts: {
      dev: 'switchyard up ./agent.ts --watch',
      start: 'switchyard-worker ./agent.ts',
      test: 'node --test',
      typecheck: 'tsc',
    },
    dependencies: dependenciesOf(template),
    devDependencies,
    // npm 11 asks before it runs a package's install script: that of Node is needed, the others are not.
    allowScripts: { node: true, 'msgpackr-extract': false, protobufjs: false },
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}
