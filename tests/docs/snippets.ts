import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const repository = process.cwd();

/** Writes the TypeScript of a page into a folder, a file for each agent by its id, the rest by number. */
export async function writeSnippets(page: string): Promise<{ folder: string; files: string[] }> {
  const text = await readFile(page, 'utf8');
  const blocks = Array.from(text.matchAll(/^```ts\n(.*?)^```/gms), ([, code = '']) => code);
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'switchyard-docs-')));
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const files: string[] = [];
  for (const [index, code] of blocks.entries()) {
    // A piece of something bigger has no imports.
    if (!code.startsWith('import ')) continue;
    const file = `${/ id: '([a-z-]+)',\n {2}\w/.exec(code)?.[1] ?? `snippet-${index + 1}`}.ts`;
    await writeFile(join(folder, file), code);
    files.push(file);
  }
  return { folder, files };
}

/** What the compiler has against the files; empty when all is well. */
export async function typeErrors(folder: string): Promise<string> {
  const config = {
    extends: join(repository, 'tsconfig.json'),
    compilerOptions: { types: ['node'] },
    include: ['*.ts'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(repository, 'node_modules/.bin/tsc');
  return promisify(execFile)(tsc, ['-p', folder], { cwd: folder }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}
