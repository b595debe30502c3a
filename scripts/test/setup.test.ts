import { spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

describe('the set-up before npm start and npm test', () => {
  let path: string;

  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'switchyard-path-'));
  });
  afterEach(() => rm(path, { recursive: true, force: true }));

  /** An otherwise empty PATH with a program that always exits with this code. */
  async function plant(name: string, exitCode = 0): Promise<void> {
    await mkdir(path, { recursive: true });
    await writeFile(join(path, name), `#!/bin/sh\nexit ${exitCode}\n`);
    await chmod(join(path, name), 0o755);
  }

  function setUp({ redisUrl, args = [], root = '.' }: { redisUrl?: string; args?: string[]; root?: string } = {}) {
    const env = { PATH: path, HOME: path, ...(redisUrl ? { REDIS_URL: redisUrl } : {}) };
    const run = spawnSync(process.execPath, [join(root, 'scripts/setup.mjs'), '--dry-run', ...args], {
      env,
      encoding: 'utf8',
    });
    return { said: run.stdout + run.stderr, code: run.status ?? -1 };
  }

  it('does nothing if redis-server is installed', async () => {
    await plant('redis-server');
    expect(setUp()).toEqual({ said: '', code: 0 });
  });

  it('does nothing before npm start if REDIS_URL is set', () => {
    expect(setUp({ redisUrl: 'redis://elsewhere' })).toEqual({ said: '', code: 0 });
  });

  it('needs a Redis for the tests even if REDIS_URL is set, which they do not use', async () => {
    const { said } = setUp({ redisUrl: 'redis://elsewhere', args: ['--tests'] });
    expect(said).toContain('setup: No Redis and no Docker engine found: ');
  });

  it('needs a browser for the tests of the console, and continues if none can be installed', async () => {
    expect(setUp({ args: ['--browser'] })).toMatchObject({ said: expect.stringContaining('No Chromium'), code: 0 });
    await plant('apk');
    expect(setUp({ args: ['--browser'] }).said).toContain('apk add --no-cache chromium');
    await plant('chromium');
    expect(setUp({ args: ['--browser'] })).toEqual({ said: '', code: 0 });
  });

  it('runs npm ci in a new checkout, and npm install if the link of a package is missing', async () => {
    const lock = { packages: { 'node_modules/@switchyard/store': { resolved: 'packages/store', link: true } } };
    const nodeModules = join(path, 'node_modules');
    await mkdir(join(nodeModules, '.bin'), { recursive: true });
    await mkdir(join(nodeModules, '@switchyard'));
    await mkdir(join(path, 'scripts'));
    await cp('scripts/setup.mjs', join(path, 'scripts', 'setup.mjs'));
    await writeFile(join(path, 'package-lock.json'), JSON.stringify(lock));
    await writeFile(join(nodeModules, '.bin', 'node'), '');
    const said = () => setUp({ args: ['--packages'], root: path }).said;
    expect(said()).toContain('no packages are installed yet: npm ci,');
    await writeFile(join(nodeModules, '.package-lock.json'), JSON.stringify(lock));
    expect(said()).toContain('node_modules/@switchyard/store is not the one of package-lock.json: npm install,');
    await symlink(path, join(nodeModules, '@switchyard', 'store'));
    expect(said()).toBe('');
  });

  it('does not look for Redis if only packages are requested', () => {
    expect(setUp({ args: ['--packages'] })).toEqual({ said: '', code: 0 });
  });
});
