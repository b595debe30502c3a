import { defineConfig } from 'vitest/config';

/** `npm run interop`: clients in other languages, which must be installed first. */
export default defineConfig({
  test: {
    include: ['tests/interop/**/*.interop.ts'],
    globalSetup: ['tests/support/compile-cache.ts', 'tests/support/shared-redis.ts'],
    // They wait for what they install, most of the time.
    maxWorkers: 3,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    reporters: ['verbose'],
  },
});
