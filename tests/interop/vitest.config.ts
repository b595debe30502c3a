import { defineConfig } from 'vitest/config';
import { timeouts } from '../../vitest.faults.config.ts';

/** `npm run interop`: clients in other languages, which must be installed first. */
export default defineConfig({
  test: {
    include: ['tests/interop/**/*.interop.ts'],
    globalSetup: ['tests/support/compile-cache.ts', 'tests/support/shared-redis.ts'],
    // They wait for what they install, most of the time.
    maxWorkers: 3,
    ...timeouts,
    reporters: ['verbose'],
  },
});
