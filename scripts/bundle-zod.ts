// Part of a package's build: puts what a built file needs of zod into that file, so that it works where there is none.
//
//   node scripts/bundle-zod.ts dist/schemas/parse-agent-card.js

import { copyFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const [file] = process.argv.slice(2);
if (!file) throw new Error('usage: bundle-zod <file>');

const bundle = await rolldown({
  input: resolve(file),
  platform: 'node',
  // Classes of errors stay where they are: a second copy would fail `instanceof`.
  external: /\/errors\//,
});
const folder = dirname(resolve(file));
const banner = '// Contains parts of zod (https://zod.dev), whose terms are in LICENSE.zod.';
await bundle.write({ dir: folder, format: 'esm', postBanner: banner });
await bundle.close();
// The compiler's, of what the file was before.
rmSync(`${resolve(file)}.map`);
copyFileSync(
  join(dirname(createRequire(resolve(file)).resolve('zod/package.json')), 'LICENSE'),
  join(folder, 'LICENSE.zod'),
);
