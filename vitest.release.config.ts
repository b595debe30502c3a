import { defineConfig } from 'vitest/config';

/** `npm run test:release`: what is published, installed from its tarballs and used as its users will. */
export default defineConfig({
  test: {
    include: ['tests/release/**/*.test.ts'],
    globalSetup: [
      'tests/support/compile-cache.ts',
      'tests/support/shared-redis.ts',
      'tests/release/support/tarballs.ts',
    ],
    // Two cores, shared with what the tests install and start.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 240_000,
    teardownTimeout: 10_000,
  },
});
