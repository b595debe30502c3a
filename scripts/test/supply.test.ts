import { describe, expect, it } from 'vitest';
import { checkLockfile, type LockedPackage, type Manifest } from '../supply/check-lockfile.ts';

const sound: LockedPackage = { version: '1.0.0', integrity: 'sha512-x', license: 'MIT' };
const check = (locked: LockedPackage, manifest: Manifest = {}) =>
  checkLockfile({ packages: { '': {}, 'node_modules/left': locked } }, { 'package.json': manifest });

describe('the check of the supply chain', () => {
  it('accepts packages of the registry', () => {
    expect(check({ ...sound, resolved: 'https://registry.npmjs.org/left/-/left-1.0.0.tgz' })).toEqual([]);
    expect(check({ ...sound, license: '(GPL-3.0 OR MIT)' }, { dependencies: { left: '^1.0.0' } })).toEqual([]);
    const alias = { devDependencies: { old: 'npm:@scope/left@0.3.14' }, allowScripts: { left: false } };
    expect(check({ ...sound, hasInstallScript: true }, alias)).toEqual([]);
  });

  it('reports an optional package that is not locked, which npm ci would refuse', () => {
    const packages = { 'node_modules/left': { ...sound, optionalDependencies: { 'left-darwin': '1.0.0' } } };
    expect(checkLockfile({ packages }, {})).toEqual([expect.stringContaining('left-darwin is missing')]);
    expect(checkLockfile({ packages: { ...packages, 'node_modules/left-darwin': sound } }, {})).toEqual([]);
  });

  it.each<[LockedPackage, Manifest, string]>([
    [{ ...sound, resolved: 'https://evil.example/left.tgz' }, {}, 'left comes from https://evil.example/left.tgz'],
    [{ ...sound, resolved: 'git+ssh://git@github.com/a/left.git#1' }, {}, 'left comes from git+ssh'],
    [{ ...sound, resolved: 'https://registry.npmjs.org.evil.example/left' }, {}, 'left comes from https://registry'],
    [{ version: '1.0.0', license: 'MIT' }, {}, 'left has no sha512 hash'],
    [{ ...sound, integrity: 'sha1-x' }, {}, 'left has no sha512 hash'],
    [{ ...sound, license: 'AGPL-3.0' }, {}, 'left has the licence "AGPL-3.0"'],
    [{ ...sound, license: 'MIT AND GPL-3.0' }, {}, 'left has the licence "MIT AND GPL-3.0"'],
    [{ version: '1.0.0', integrity: 'sha512-x' }, {}, 'left has the licence ""'],
    [{ ...sound, hasInstallScript: true }, {}, 'does not say whether left may run its install script'],
    [{ ...sound, hasInstallScript: true }, { allowScripts: { left: true } }, 'allowScripts names left'],
    [sound, { allowScripts: { left: false } }, 'allowScripts names left'],
    [sound, { dependencies: { left: 'github:a/left' } }, 'left is wanted as "github:a/left"'],
    [sound, { devDependencies: { left: 'https://evil.example/left.tgz' } }, 'left is wanted as "https:'],
    [sound, { optionalDependencies: { left: 'file:../left' } }, 'left is wanted as "file:../left"'],
    [sound, { dependencies: { left: 'latest' } }, 'left is wanted as "latest"'],
    [sound, { dependencies: { left: '*' } }, 'left is wanted as "*"'],
  ])('reports: $2', (locked, manifest, problem) => {
    expect(check(locked, manifest)).toEqual([expect.stringContaining(problem)]);
  });
});
