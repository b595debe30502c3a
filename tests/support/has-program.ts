import { spawnSync } from 'node:child_process';

/** In CI nothing is skipped: a test that needs what is missing fails there. */
export const isCi = process.env.CI !== undefined;

/**
 * Whether a program is on the PATH. In CI always true, so that the test that needs it fails.
 * @param arguments_ of a call that exits with 0
 */
export function hasProgram(name: string, ...arguments_: readonly string[]): boolean {
  return isCi || spawnSync(name, arguments_).status === 0;
}

/**
 * Why tests are skipped, for `describe.skipIf`. In CI nothing: they fail with what is missing. Languages of
 * `npm run interop` are skipped in CI, too: Switchyard itself does not need them.
 */
export function skippedFor(missing: string | undefined): string | undefined {
  return isCi ? undefined : missing;
}
