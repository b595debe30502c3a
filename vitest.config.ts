import { configDefaults, defineConfig } from 'vitest/config';
import { longTests } from './vitest.faults.config.ts';

export default defineConfig({
  test: {
    include: [
      '{packages,apps,examples}/*/test/**/*.test.ts',
      'tests/**/*.test.ts',
      'scripts/test/**/*.test.ts',
      'workshop/**/test/**/*.test.ts',
    ],
    // `npm run test:faults` and `npm run test:release`
    exclude: [...configDefaults.exclude, 'workshop/faults/**', ...longTests, 'tests/release/**'],
    globalSetup: ['tests/support/compile-cache.ts', 'tests/support/shared-redis.ts'],
    // Two cores, shared with the Redis and the processes that the tests start.
    maxWorkers: 2,
    testTimeout: 15_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
  },
});
