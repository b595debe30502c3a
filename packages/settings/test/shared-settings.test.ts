import { expect, it } from 'vitest';
import { givenAssignments, sharedAssignments } from '../src/index.ts';

it('the settings that all processes share are quoted for a shell, with secrets as variables', () => {
  const environment = {
    REDIS_URL: 'redis://127.0.0.1:6379',
    PUSH_ALLOW_HOSTS: "it's one",
    SHARDS: '4',
    KEY_PREFIX: '',
    PUSH_SECRET: 'topsecret',
    PORT: '4000',
  };
  expect(sharedAssignments(environment)).toBe(
    `REDIS_URL=redis://127.0.0.1:6379 SHARDS=4 PUSH_ALLOW_HOSTS='it'\\''s one' PUSH_SECRET="\${PUSH_SECRET:?}"`,
  );
  expect(sharedAssignments({ REDIS_URL: 'redis://me:hunter2@redis' })).toBe(`REDIS_URL="\${REDIS_URL:?}"`);
});

it('the given settings of commands are repeated without those that are replaced, and without secrets', () => {
  const environment = { PORT: '4000', DATA_DIR: '/tmp/my data', ADMIN_KEY: 'hunter2', DRAIN_MS: '5', HOME: '/root' };
  expect(givenAssignments(environment, { commands: ['start'], without: ['PORT'] }).sort()).toEqual([
    'ADMIN_KEY="${ADMIN_KEY:?}"',
    "DATA_DIR='/tmp/my data'",
  ]);
  expect(givenAssignments(environment, { commands: ['start', 'worker'], without: ['PORT'] })).toContain('DRAIN_MS=5');
});
