import { defineConfig } from 'vitest/config';

/** `npm run test:faults`: the short forms of `npm run faults`. They kill and freeze processes, and wait for locks. */
export default defineConfig({
  test: {
    include: ['workshop/faults/test/**/*.test.ts'],
    globalSetup: ['tests/support/shared-redis.ts'],
    maxWorkers: 2,
    testTimeout: 15_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
  },
});
