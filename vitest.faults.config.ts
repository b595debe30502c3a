import { defineConfig } from 'vitest/config';

/** They kill and freeze processes, and wait for locks, or put a load on them: `npm test` is to take less than ten minutes. */
export const longTests = [
  'workshop/faults/test/**/*.test.ts',
  'workshop/load/test/profiles.test.ts',
  'apps/cli/test/all.test.ts',
  'apps/console/test/newcomer.test.ts',
  'apps/gateway/test/{killed-retries,lost-events,v1_1/killed}.test.ts',
  'apps/worker/test/{frozen,push/survival}.test.ts',
  'packages/executor-command/test/interruption.test.ts',
  'tests/wire/{interruptions,killed-extensions,killed-gateways,preview-1.1,resume-by-id,resuming-clients,schedules,steering}.test.ts',
];

/** `npm run test:faults`: the short forms of `npm run faults`, and the like. */
export default defineConfig({
  test: {
    include: longTests,
    globalSetup: ['tests/support/compile-cache.ts', 'tests/support/shared-redis.ts'],
    maxWorkers: 2,
    testTimeout: 15_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
  },
});
