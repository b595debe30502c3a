import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { UsageError } from './arguments.ts';
import { dependenciesOf, devDependencies, filesOf, type Template } from './templates.ts';

export interface NewFolder {
  /** Absolute path of a folder that is empty or does not exist. Its last part becomes the name of the agent. */
  readonly folder: string;
  readonly template: Template;
}

/** Creates a folder with an agent. @returns its name and files @throws {UsageError} */
export function createFolder({ folder, template }: NewFolder): { name: string; files: string[] } {
  const name = agentName(basename(folder));
  requireEmpty(folder);
  const files = new Map([...filesOf('common'), ...filesOf(template), ['package.json', packageJson(name, template)]]);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of files) writeFileSync(join(folder, file), withName(text, name));
  return { name, files: [...files.keys()].sort() };
}

export interface NewAgent {
  /** A folder with a package.json. */
  readonly folder: string;
  /** The name of the agent and of its file. */
  readonly name: string;
  readonly template: Template;
}

/** Adds an agent and its test to a folder. @returns the new files @throws {UsageError} */
export function addAgent({ folder, name, template }: NewAgent): string[] {
  agentName(name);
  requirePackages(folder, template);
  const files = new Map(
    Array.from(filesOf(template), ([file, text]): [string, string] => [
      file.replace(/^agent\b/, name),
      withName(text, name).replaceAll("'./agent.ts'", `'./${name}.ts'`),
    ]),
  );
  const [existing] = [...files.keys()].filter((file) => existsSync(join(folder, file)));
  if (existing) throw new UsageError(`The file ${existing} already exists: choose another name.`);
  for (const [file, text] of files) writeFileSync(join(folder, file), text);
  return [...files.keys()];
}

/** Replaces the templates' name `my-agent`, which is valid so that the templates themselves can be run and tested. */
function withName(text: string, name: string): string {
  const title = name[0]?.toUpperCase() + name.slice(1).replaceAll('-', ' ');
  return text.replaceAll('my-agent', name).replaceAll('My agent', title);
}

/** Checks a name by the rule for ids of agents, because it becomes the agent's id. @throws {UsageError} */
function agentName(name: string): string {
  if (name.length <= 63 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) return name;
  const better = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 63);
  const hint = better ? `, for example ${better.replace(/-$/, '')}` : '';
  throw new UsageError(
    `"${name}" cannot be the name of an agent: use at most 63 lower-case letters, digits and single hyphens${hint}.`,
  );
}

/** A folder with only `.git` counts as empty. @throws {UsageError} */
function requireEmpty(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new UsageError(`${folder} is a file: choose another name.`);
  const [found] = readdirSync(folder).filter((file) => file !== '.git');
  if (!found) return;
  throw new UsageError(
    `${folder} is not empty (it contains ${found}): name another folder, or add an agent to it with --add <name>.`,
  );
}

/** @throws {UsageError} */
function requirePackages(folder: string, template: Template): void {
  const { dependencies } = readPackageJson(folder);
  const missing = Object.keys(dependenciesOf(template)).filter((name) => !dependencies.includes(name));
  if (missing.length === 0) return;
  throw new UsageError(
    `The package.json of this folder has no ${missing.join(', ')}: run npm install ${missing.join(' ')}`,
  );
}

function readPackageJson(folder: string): { dependencies: readonly string[] } {
  const file = join(folder, 'package.json');
  if (!existsSync(file))
    throw new UsageError('There is no package.json here: go to the folder of your agent, or name a new folder.');
  const { dependencies }: { dependencies?: object } = parsePackageJson(readFileSync(file, 'utf8'));
  return { dependencies: Object.keys(dependencies ?? {}) };
}

function parsePackageJson(text: string): { dependencies?: object } {
  try {
    return Object(JSON.parse(text));
  } catch (cause) {
    throw new UsageError(`The package.json of this folder is not valid JSON: ${String(cause)}`, { cause });
  }
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
    // npm 11 asks before it runs install scripts. Only the script of `node` is needed.
    allowScripts: { node: true, 'msgpackr-extract': false, protobufjs: false },
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}
