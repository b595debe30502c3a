import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tests/support/longest-first.ts';
import { timeouts, tries } from './vitest.faults.config.ts';

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
    retry: tries - 1,
    ...timeouts,
    sequence: { sequencer: LongestFirst },
  },
});
