import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { publishedWorkspaces } from '../../scripts/release/workspaces.ts';
import { EmptyFolder } from './support/empty-folder.ts';

const names = publishedWorkspaces().map(({ shortName }) => shortName);
const bins = ['switchyard', 'switchyard-gateway', 'switchyard-worker'];

let folder: EmptyFolder;

beforeAll(async () => {
  folder = await EmptyFolder.create();
  await folder.install(names, ['@types/node@24', 'typescript@7']);
});

afterAll(() => folder.remove());

describe('The published packages, installed from their tarballs alone', () => {
  it.each(names)('@switchyard/%s: every entry loads', async (name) => {
    for (const entry of await entriesOf(name)) {
      const ran = await folder.run('node', ['--input-type=module', '--eval', `await import('${entry}')`]);
      expect(ran, entry).toEqual({ code: 0, stdout: '', stderr: '' });
    }
  });

  it.each([
    { module: 'nodenext', moduleResolution: 'nodenext' },
    { module: 'esnext', moduleResolution: 'bundler' },
  ])('have types that compile with moduleResolution $moduleResolution, also in their READMEs', async (resolution) => {
    const entries = (await Promise.all(names.map(entriesOf))).flat();
    const imports = entries.map((entry, n) => `export * as entry${n} from '${entry}';`).join('\n');
    const options = { ...resolution, strict: true, target: 'es2022', types: ['node'], noEmit: true };
    // A README imports its own first example by its file name, as Node does.
    const compilerOptions = { ...options, rewriteRelativeImportExtensions: true, skipLibCheck: false };
    await folder.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['types/**/*.ts'] }));
    await folder.write('types/entries.ts', imports);
    await writePages();
    expect(await folder.run(join(folder.path, 'node_modules/.bin/tsc'), [])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  it.each([
    ['switchyard', /^Usage: switchyard|^switchyard/m],
    ['switchyard-gateway', /SEND_MODE/],
    ['switchyard-worker', /MAX_ATTEMPTS/],
  ])('the command %s prints its help', async (bin, text) => {
    const { code, stdout, stderr } = await folder.run(join(folder.path, 'node_modules/.bin', bin), ['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(text);
  });

  it.each(bins)('the command %s names the required Node version if it runs with an older one', async (bin) => {
    const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.19.0' } })`;
    const file = join(folder.path, 'node_modules/.bin', bin);
    const ran = await folder.run('node', ['--import', `data:text/javascript,${older}`, file, '--help']);
    const stderr = `${bin} needs Node 24 or later: this is Node 22.19.0. In this folder: npm install node@24\n`;
    expect(ran).toEqual({ code: 1, stdout: '', stderr });
  });
});

describe.each(names)('The tarball of @switchyard/%s', (name) => {
  it('has no warnings of publint', async () => {
    const { messages, pkg = {} } = await publint({ pkgDir: stagedFolder(name), level: 'warning', strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  // Published for Node 24 only, whose require() can load ES modules: there is no CommonJS build.
  it.skipIf(name === 'console' || name === 'create')('has types that attw can resolve', async () => {
    const tarball = join(inject('tarballs'), `switchyard-${name}-${(await stagedManifest(name)).version}.tgz`);
    const attw = promisify(execFile)(resolve('node_modules/.bin/attw'), [tarball, '--profile', 'esm-only', '--quiet']);
    await expect(attw).resolves.toEqual({ stdout: '', stderr: '' });
  });
});

/** The entries that can be imported: programs would start. */
async function entriesOf(name: string): Promise<string[]> {
  const { exports } = await stagedManifest(name);
  return Object.keys(exports)
    .filter((entry) => entry !== './main' && entry !== './package.json')
    .map((entry) => `@switchyard/${name}${entry.slice(1)}`);
}

/** The TypeScript of each package's README, its first block as agent.ts. */
async function writePages(): Promise<void> {
  for (const name of names) {
    const page = await readFile(join(stagedFolder(name), 'README.md'), 'utf8');
    const pieces = Array.from(page.matchAll(/^```ts\n(.*?)^```/gms), ([, code = '']) => code);
    for (const [n, code] of pieces.entries())
      await folder.write(`types/${name}/${n === 0 ? 'agent' : `piece-${n}`}.ts`, code);
  }
}

function stagedFolder(name: string): string {
  return join(inject('tarballs'), '../npm', name);
}

async function stagedManifest(name: string): Promise<{ version: string; exports: Record<string, unknown> }> {
  return JSON.parse(await readFile(join(stagedFolder(name), 'package.json'), 'utf8'));
}
