// Part of a package's build: puts what built files need of zod into those files, or beside them if several need it, so
// that they work where there is no zod, and load without the two thirds of it that they do not use.
//
//   node scripts/bundle-zod.ts dist/schemas/parse-agent-card.js

import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const files = process.argv.slice(2).map((file) => resolve(file));
const [first] = files;
if (!first) throw new Error('usage: bundle-zod <file> …');

const isZod = (file: string): boolean => /[\\/]node_modules[\\/]zod[\\/]/.test(file);
const isOnly = files.length === 1;
const folder = isOnly ? dirname(first) : resolve('dist');
const bundle = await rolldown({
  input: Object.fromEntries(files.map((file) => [relative(folder, file).replace(/\.js$/, ''), file])),
  platform: 'node',
  // Classes of errors stay where they are: a second copy would fail `instanceof`. Of several files only zod is shared.
  external: isOnly ? /\/errors\// : (id, from = '') => ![...files, 'zod'].includes(id) && !isZod(id) && !isZod(from),
});
const banner = '// Contains parts of zod (https://zod.dev), whose terms are in LICENSE.zod.';
await bundle.write({
  dir: folder,
  format: 'esm',
  postBanner: banner,
  entryFileNames: '[name].js',
  chunkFileNames: 'zod.js',
});
await bundle.close();
// The compiler's, of what the files were before.
for (const file of files) if (existsSync(`${file}.map`)) rmSync(`${file}.map`);
copyFileSync(join(dirname(createRequire(first).resolve('zod/package.json')), 'LICENSE'), join(folder, 'LICENSE.zod'));
