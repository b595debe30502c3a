import { defineConfig } from 'vitest/config';

/** They kill and freeze processes, and wait for locks, or put a load on them: `npm test` is to take less than ten minutes. */
export const longTests = [
  'workshop/faults/test/**/*.test.ts',
  'workshop/load/test/{errors,profiles,ramp,run}.test.ts',
  'workshop/test/commands.test.ts',
  'apps/cli/test/{all,up/ends}.test.ts',
  'apps/console/test/newcomer.test.ts',
  'apps/gateway/test/{ends-of-streams,killed-retries,lost-events,v1_1/killed}.test.ts',
  'apps/worker/test/{blocked,frozen,push/survival}.test.ts',
  'packages/executor-command/test/interruption.test.ts',
  'tests/wire/{broken-agents,interruptions,killed-extensions,killed-gateways,preview-1.1,resume-by-id,resuming-clients,schedules,steering}.test.ts',
];

/** They put a load on both cores, so they run after all others. */
const measuring = 'workshop/test/commands.test.ts';

/** `npm run test:faults`: the short forms of `npm run faults`, `soak`, `bench` and the like. */
export default defineConfig({
  test: {
    globalSetup: ['tests/support/compile-cache.ts', 'tests/support/shared-redis.ts'],
    maxWorkers: 2,
    testTimeout: 15_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    projects: [
      {
        extends: true,
        test: { name: 'faults', include: longTests, exclude: [measuring], sequence: { groupOrder: 1 } },
      },
      { extends: true, test: { name: 'measuring', include: [measuring], sequence: { groupOrder: 2 } } },
    ],
  },
});
