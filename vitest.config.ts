import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { longTests } from './vitest.faults.config.ts';

/**
 * Packages whose tests run in this process and leave nothing behind: the files of a worker share the process, so that
 * the modules are loaded once, not for each of 250 files (docs/adr/0144-what-npm-test-spends.md).
 */
const shared = [
  'gateway',
  'agent',
  'operator-api',
  'operators',
  'outgoing',
  'protocol',
  'settings',
  'store',
  'telemetry',
];
const inPackages = `{apps,packages}/{${shared}}/test/**/*.test.ts`;
/** They share a browser. */
const inBrowser = 'apps/console/test/**/*.test.ts';
/** Tests of these packages that need a process of their own: they look at V8's state, or leave clients of a dead Redis. */
const withOwnProcess = [
  'apps/gateway/test/{main,reload,outage,shutdown}.test.ts',
  'packages/protocol/test/engine.test.ts',
  'packages/store/test/{consumer,deployment,leases,start}.test.ts',
  'packages/store/test/{tasks,redis/many-queues}.test.ts',
  'packages/store/test/attacks/*.test.ts',
];
// `npm run test:faults` and `npm run test:release`
const others = [...configDefaults.exclude, 'workshop/faults/**', ...longTests, 'tests/release/**'];

export default defineConfig({
  test: {
    globalSetup: ['tests/support/compile-cache.ts', 'tests/support/shared-redis.ts'],
    // Shared with the Redis and the processes that the tests start: two on two cores, three on four.
    maxWorkers: Math.max(2, Math.floor(availableParallelism() * 0.75)),
    // A process takes ten times as long to start on a machine that does other things.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'alone',
          include: [
            `{apps,packages,examples}/!(${[...shared, 'console'].join('|')})/test/**/*.test.ts`,
            'tests/**/*.test.ts',
            'scripts/test/**/*.test.ts',
            'workshop/**/test/**/*.test.ts',
            ...withOwnProcess,
          ],
          exclude: others,
        },
      },
      {
        extends: true,
        test: { name: 'browser', isolate: false, include: [inBrowser], exclude: others },
      },
      {
        extends: true,
        test: { name: 'shared', isolate: false, include: [inPackages], exclude: [...others, ...withOwnProcess] },
      },
    ],
  },
});
