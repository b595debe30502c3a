import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { publishedWorkspaces } from '../../scripts/release/workspaces.ts';
import { EmptyFolder } from './support/empty-folder.ts';

const names = publishedWorkspaces().map(({ shortName }) => shortName);

let folder: EmptyFolder;

beforeAll(async () => {
  folder = await EmptyFolder.create();
  await folder.install(names);
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
    ['switchyard', /^Usage: switchyard|^switchyard/m],
    ['switchyard-gateway', /SEND_MODE/],
    ['switchyard-worker', /MAX_ATTEMPTS/],
  ])('the command %s says what it does', async (bin, text) => {
    const { code, stdout, stderr } = await folder.run(join(folder.path, 'node_modules/.bin', bin), ['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(text);
  });

  it.each(['switchyard', 'switchyard-gateway', 'switchyard-worker'])(
    'the command %s names the Node that it needs where it is older',
    async (bin) => {
      const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.19.0' } })`;
      const file = join(folder.path, 'node_modules/.bin', bin);
      const ran = await folder.run('node', ['--import', `data:text/javascript,${older}`, file, '--help']);
      const stderr = `${bin} needs Node 24 or later: this is Node 22.19.0\n`;
      expect(ran).toEqual({ code: 1, stdout: '', stderr });
    },
  );
});

/** What may be imported of a package: its entries, but programs, which would start. */
async function entriesOf(name: string): Promise<string[]> {
  const file = join(inject('tarballs'), '../npm', name, 'package.json');
  const { exports }: { exports: Record<string, unknown> } = JSON.parse(await readFile(file, 'utf8'));
  return Object.keys(exports)
    .filter((entry) => entry !== './main' && entry !== './package.json')
    .map((entry) => `@switchyard/${name}${entry.slice(1)}`);
}
