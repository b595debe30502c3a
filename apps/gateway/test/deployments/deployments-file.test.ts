import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { readDeployments } from '../../src/deployments/deployments-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'deployments-'));

function fileWith(content: unknown): string {
  const path = join(folder, 'deployments.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const first = { number: 0, redisUrl: 'redis://127.0.0.1:6379' };
const second = {
  number: 1,
  redisUrl: 'redis+cluster://a:1,b:2',
  prefix: 'next',
  shards: 8,
  opensAt: '2030-01-31T09:00:00Z',
};

describe('A file of deployments', () => {
  it('has defaults, times and files', () => {
    const password = join(folder, 'password');
    writeFileSync(password, 'secret\n');
    const [one, other] = readDeployments(
      fileWith({ deployments: [{ ...first, redisPasswordFile: password, tenants: ['a'] }, second] }),
    );
    expect(one).toMatchObject({ prefix: 'sw', shards: 1, share: 1, redisPassword: 'secret', tenants: ['a'] });
    expect(other).toMatchObject({ prefix: 'next', shards: 8, opensAt: Date.parse('2030-01-31T09:00:00Z') });
  });

  it.each<[what: string, content: unknown, message: RegExp]>([
    ['no JSON', '{', / is not JSON/],
    ['no deployment', { deployments: [] }, /^deployments: /],
    ['unknown fields', { deployments: [{ ...first, weight: 2 }] }, /^deployments\[0\]: .*weight/],
    ['a wrong number', { deployments: [{ ...first, number: 256 }] }, /^deployments\[0\]\.number: /],
    ['a wrong address', { deployments: [{ ...first, redisUrl: 'http://x' }] }, /^deployments\[0\]\.redisUrl: /],
    [
      'two wrong fields',
      { deployments: [{ ...first, share: -1, closedAt: 'x' }] },
      /\.share: .*; .*\.closedAt: must be/,
    ],
    ['a file that is missing', { deployments: [{ ...first, redisCaFile: '/none' }] }, /redisCaFile: .*ENOENT/],
    ['a number twice', { deployments: [first, { ...second, number: 0 }] }, /\[1\]\.number: is that of another/],
    ['one place twice', { deployments: [first, { ...first, number: 1 }] }, /\[1\]\.prefix: must differ/],
    ['formerTenants alone', { deployments: [{ ...first, formerTenants: ['a'] }] }, /formerTenants: needs movedAt/],
    ['a share of 0 alone', { deployments: [first, { ...second, share: 0 }] }, /\[1\]\.share: needs closedAt or/],
    ['none for everyone', { deployments: [{ ...first, tenants: ['a'] }] }, /^deployments: need one for all other/],
    ['only closed ones', { deployments: [{ ...first, closedAt: '2020-01-01T00:00:00Z' }] }, /^deployments: need one/],
  ])('is refused with %s, and the field is named', (_, content, message) => {
    expect(() => readDeployments(fileWith(content))).toThrow(message);
  });

  it('can have one that is closed, and opens again for everyone', () => {
    const again = { ...first, closedAt: '2020-01-01T00:00:00Z', opensAt: '2030-01-31T09:00:00Z' };
    const until = { ...second, opensAt: undefined, closedAt: again.opensAt };
    expect(readDeployments(fileWith({ deployments: [again, until] }))).toHaveLength(2);
  });

  it('replaces the settings of one deployment, which are refused beside it', () => {
    const DEPLOYMENTS_FILE = fileWith({ deployments: [first, second] });
    const { deployments, store, files } = readConfig({ DEPLOYMENTS_FILE, DEPLOYMENT: '1' });
    expect(deployments).toHaveLength(2);
    expect(store.deployment).toBe(1);
    expect(files).toEqual([]);
    expect(() => readConfig({ DEPLOYMENTS_FILE, REDIS_URL: 'redis://x', SHARDS: '2', DEPLOYMENT: '7' })).toThrow(
      /REDIS_URL: belongs into.*SHARDS: belongs into.*DEPLOYMENT: must be a number in the file/s,
    );
  });
});
