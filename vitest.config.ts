import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { longTests, timeouts, tries } from './vitest.faults.config.ts';

/** Packages whose tests run in the process itself. */
const inProcess = [
  'access',
  'agent',
  'conversations',
  'gateway',
  'operator-api',
  'operators',
  'outgoing',
  'pace',
  'protocol',
  'push',
  'redis',
  'schedules',
  'schema',
  'settings',
  'store',
  'telemetry',
  'upkeep',
];
const inPackages = `{apps,packages}/{${inProcess}}/test/**/*.test.ts`;
/** They share a browser. */
const inBrowser = 'apps/console/test/**/*.test.ts';
/** They look at V8's state, replace a module of Node, or leave clients of a dead Redis. */
const withOwnProcess = [
  'apps/gateway/test/outage.test.ts',
  'packages/files/test/raw-hashes.test.ts',
  'packages/protocol/test/engine.test.ts',
  'packages/store/test/{consumer,deployment/deployment,leases,start,tasks,many-queues}.test.ts',
  'packages/store/test/attacks/{starvation,script-arguments}.test.ts',
];
// `npm run test:faults` and `npm run test:release`
const others = [...configDefaults.exclude, 'workshop/faults/**', ...longTests, 'tests/release/**'];

export default defineConfig({
  test: {
    globalSetup: ['tests/support/compile-cache.ts', 'tests/support/shared-redis.ts'],
    // A worker waits a third of its time, for processes, leases and browsers: with three, two cores rest for a fifth.
    maxWorkers: 2 * availableParallelism(),
    retry: tries - 1,
    ...timeouts,
    // The files of a project share the processes of its workers and leave nothing behind: the modules are loaded once,
    // not for each file (docs/adr/0144-what-npm-test-spends.md).
    isolate: false,
    projects: [
      { extends: true, test: { name: 'alone', isolate: true, include: withOwnProcess, exclude: others } },
      { extends: true, test: { name: 'browser', include: [inBrowser], exclude: others } },
      {
        extends: true,
        test: {
          name: 'programs',
          include: ['{apps,packages,examples,workshop}/**/test/**/*.test.ts', '{tests,scripts}/**/*.test.ts'],
          exclude: [...others, ...withOwnProcess, inPackages, inBrowser],
        },
      },
      { extends: true, test: { name: 'in-process', include: [inPackages], exclude: [...others, ...withOwnProcess] } },
    ],
  },
});
