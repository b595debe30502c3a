import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder with the tarballs of all published packages: `inject('tarballs')`. */
    tarballs: string;
  }
}

/** vitest global set-up: builds and packs every published package once per run. */
export async function setup(project: TestProject): Promise<void> {
  await promisify(execFile)('npm', ['run', '--silent', 'pack']);
  project.provide('tarballs', resolve('build/tarballs'));
}
