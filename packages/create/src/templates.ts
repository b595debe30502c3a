import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The templates. `packages`: npm packages in addition to those that every agent needs. */
export const templates = {
  hello: { description: 'greets; the smallest agent (the default)', packages: [] },
  openai: {
    description: 'asks a model with OpenAI’s chat completions API',
    packages: ['@switchyard/executor-openai'],
  },
  sdk: {
    description: 'runs an executor that was written for @a2a-js/sdk',
    packages: ['@switchyard/executor-sdk', '@a2a-js/sdk'],
  },
} as const satisfies Readonly<
  Record<string, { readonly description: string; readonly packages: readonly PackageName[] }>
>;
export type Template = keyof typeof templates;

/** Versions of packages of others. */
const versions = {
  '@a2a-js/sdk': '^1.3.0',
  '@types/node': '^24.0.0',
  node: '^24.0.0',
  typescript: '^7.0.2',
} as const;

type PackageName = keyof typeof versions | `@switchyard/${string}`;

export function isTemplate(name: string): name is Template {
  return Object.hasOwn(templates, name);
}

/** The folder of templates, next to `src`, or next to `dist` in the published package. */
const folder = join(import.meta.dirname, '..', 'template');
const { version }: { version: string } = JSON.parse(readFileSync(join(folder, '..', 'package.json'), 'utf8'));

/** The files of a template, or those of all templates, by name. */
export function filesOf(template: Template | 'common'): ReadonlyMap<string, string> {
  const names = readdirSync(join(folder, template)).sort();
  return new Map(names.map((name) => [targetName(name), readFileSync(join(folder, template, name), 'utf8')]));
}

/** The template's files have no dot, because npm would use them as its own, and leave them out of the package. */
function targetName(name: string): string {
  return /^(?:git|docker)ignore$/.test(name) ? `.${name}` : name;
}

/** The packages that an agent of a template needs at run time, with their versions. */
export function dependenciesOf(template: Template): Readonly<Record<string, string>> {
  return versioned(['@switchyard/agent', '@switchyard/worker', ...templates[template].packages]);
}

/** The packages for development. With `node`, npm's scripts run on Node 24, whatever version is installed. */
export const devDependencies = versioned(['@switchyard/cli', '@types/node', 'node', 'typescript']);

function versioned(names: readonly PackageName[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.toSorted().map((name) => [name, versionOf(name)]));
}

function versionOf(name: PackageName): string {
  return isOurs(name) ? `^${version}` : versions[name];
}

function isOurs(name: PackageName): name is `@switchyard/${string}` {
  return name.startsWith('@switchyard/');
}
