import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const home = join(root, 'apps/console');
const dist = join(home, 'dist');
/** Names the sources of a build. */
const stampFile = 'sources';

const sources = [
  'apps/console/index.html',
  'apps/console/src/**/*',
  'packages/{operator-api,protocol}/src/**/*.ts',
  'scripts/console/build-console.ts',
  'package-lock.json',
];

/** Several may build at once: each moves a whole build into its place. */
export async function buildConsole(): Promise<{ readonly wasBuilt: boolean; readonly ms: number }> {
  const startedAt = performance.now();
  const stamp = hashOfSources();
  const isBuilt = (await readFile(join(dist, stampFile), 'utf8').catch(() => '')) === stamp;
  if (!isBuilt) await buildAs(stamp);
  return { wasBuilt: !isBuilt, ms: Math.round(performance.now() - startedAt) };
}

async function buildAs(stamp: string): Promise<void> {
  // It takes a moment to load, and is seldom needed.
  const { build } = await import('vite');
  const draft = join(home, `dist/draft-${process.pid}`);
  await build({
    configFile: false,
    root: home,
    base: '/console/',
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: draft,
      emptyOutDir: true,
      target: 'es2024',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
    },
  });
  await writeFile(join(draft, stampFile), stamp);
  for (const name of ['assets', 'index.html', stampFile]) {
    await rm(join(dist, name), { recursive: true, force: true }).catch(ifAnotherWasFaster);
    await rename(join(draft, name), join(dist, name)).catch(ifAnotherWasFaster);
  }
  await rm(draft, { recursive: true, force: true });
}

function ifAnotherWasFaster(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')) throw error;
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  const isFile = /\.\w+$/;
  const files = sources.flatMap((pattern) => globSync(pattern, { cwd: root })).filter((path) => isFile.test(path));
  for (const path of files.sort()) hash.update(path).update(readFileSync(join(root, path)));
  return hash.digest('hex');
}
