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

  /** A program on an otherwise empty PATH: it answers everything with one exit code. */
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

  it('has nothing to do where redis-server is there', async () => {
    await plant('redis-server');
    expect(setUp()).toEqual({ said: '', code: 0 });
  });

  it('has nothing to do before npm start where REDIS_URL is set', () => {
    expect(setUp({ redisUrl: 'redis://elsewhere' })).toEqual({ said: '', code: 0 });
  });

  it('finds a Redis for the tests even where REDIS_URL is set: that one is not theirs', async () => {
    const { said } = setUp({ redisUrl: 'redis://elsewhere', args: ['--tests'] });
    expect(said).toContain('setup: No Redis and no Docker engine here: ');
  });

  it('finds a browser for the tests of the console, and goes on where there is none to install', async () => {
    expect(setUp({ args: ['--browser'] })).toMatchObject({ said: expect.stringContaining('No Chromium'), code: 0 });
    await plant('apk');
    expect(setUp({ args: ['--browser'] }).said).toContain('apk add --no-cache chromium');
    await plant('chromium');
    expect(setUp({ args: ['--browser'] })).toEqual({ said: '', code: 0 });
  });

  it('installs anew with npm ci, and brings one package where its link is gone although npm has it in its list', async () => {
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

  it('leaves Redis alone where only packages are needed', () => {
    expect(setUp({ args: ['--packages'] })).toEqual({ said: '', code: 0 });
  });
});
