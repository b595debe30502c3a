import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { type Block, blocksOf } from './blocks.ts';

const repository = process.cwd();

/** A folder in which modules find the packages of this repository. */
export async function openFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'switchyard-docs-')));
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  return folder;
}

/** Writes the TypeScript of a page into its own folder: a file for each agent by its id, the others by number. */
export async function writeSnippets(
  page: string,
  folder: string,
): Promise<{ folder: string; files: string[]; runnable: string[] }> {
  const own = join(folder, basename(page, '.md'));
  await mkdir(own, { recursive: true });
  const blocks = blocksOf(page).filter(({ language, notes }) => language === 'ts' && !notes['no-check']);
  const written = blocks.map((block, index) => ({ block, file: block.notes.file ?? nameOf(block, index) }));
  for (const { block, file } of written) await writeFile(join(own, file), block.code);
  const runnable = written.filter(({ block }) => block.notes.run);
  return { folder: own, files: written.map(({ file }) => file), runnable: runnable.map(({ file }) => file) };
}

function nameOf({ code }: Block, index: number): string {
  return `${/ id: '([a-z-]+)',\n {2}\w/.exec(code)?.[1] ?? `snippet-${index + 1}`}.ts`;
}

/** The compiler's errors for the files of a folder; empty if there is none. */
export async function typeErrors(folder: string): Promise<string> {
  const config = {
    extends: join(repository, 'tsconfig.json'),
    // Four checkers, the default, resolve the same types four times: twice the processor time.
    compilerOptions: { types: ['node'], checkers: 1 },
    include: ['**/*.ts'],
    exclude: ['node_modules'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(repository, 'node_modules/.bin/tsc');
  return promisify(execFile)(tsc, ['-p', folder], { cwd: folder }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}
