import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tests/support/longest-first.ts';
import { patience } from './tests/support/until.ts';

/** In CI a test that fails runs once more, and CI's last lines name it (docs/adr/0144). */
export const tries = process.env.CI ? 2 : 1;

/** A violation that is seen once is one: they have one try. */
const guarantees = ['workshop/faults/test/**/*.test.ts'];

/** A test that hangs is named by what it waits for (`until`): these end what waits without such a name. */
export const timeouts = {
  testTimeout: 300_000 * patience,
  hookTimeout: 300_000 * patience,
  teardownTimeout: 10_000 * patience,
  expect: { poll: { timeout: 25_000 * patience } },
};

/** They kill and freeze processes, wait for locks, start everything, or put a load on the machine. */
export const longTests = [
  ...guarantees,
  'workshop/fuzz/test/fuzz.test.ts',
  'workshop/load/test/{errors,overload,profiles,ramp,run,slow-clients}.test.ts',
  'workshop/test/{commands,soak}.test.ts',
  'apps/cli/test/{all,up/ends,up/interrupted}.test.ts',
  'apps/console/test/{newcomer,real-stack,tasks-10000,task/chunks}.test.ts',
  'apps/gateway/test/{ends-of-streams,killed-retries,lost-events,v1_1/killed}.test.ts',
  'apps/worker/test/{archiving,blocked,frozen,watch,push/survival}.test.ts',
  'packages/executor-command/test/interruption.test.ts',
  'packages/files/test/large-file-in-bucket.test.ts',
  'packages/local/test/{embedded-redis,guarded-process}.test.ts',
  'packages/store/test/{deadline,outage,refusals/moving-slots}.test.ts',
  'scripts/test/start.test.ts',
  'tests/budgets/{allocations,connections}.test.ts',
  'tests/wire/{archive,broken-agents,coding-team,interruptions,killed-extensions,killed-gateways,logs,pizza-restarts}.test.ts',
  'tests/wire/{files,files-in-bucket,moving-slots,preview-1.1,remote,resume-by-id,resuming-clients,schedules,slow-readers,steering,steps-and-calls,time-to-live,usage}.test.ts',
];

/** They put a load on both cores, or measure what a process does over some seconds, so they run after all others. */
const measuring = [
  'apps/console/test/{tasks-10000,task/chunks}.test.ts',
  'tests/budgets/allocations.test.ts',
  'workshop/load/test/ramp.test.ts',
  'workshop/test/commands.test.ts',
];

/** Searches of which `npm test` has a shorter form. */
const searches = [
  'apps/gateway/test/bad-requests.property.test.ts',
  'packages/protocol/test/violations.test.ts',
  'packages/store/test/{consumer,model,rules-of-turns}.test.ts',
  'tests/sources/regular-expressions.test.ts',
  'tests/wire/resume.test.ts',
];

/** `npm run test:faults`: the short forms of `npm run faults`, `soak`, `bench` and the like. */
export default defineConfig({
  test: {
    globalSetup: ['tests/support/compile-cache.ts', 'tests/support/shared-redis.ts'],
    // A worker waits two fifths of its time, for leases, retention, and processes that start.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    retry: tries - 1,
    ...timeouts,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'faults',
          include: longTests,
          exclude: [...guarantees, ...measuring],
          sequence: { groupOrder: 1 },
        },
      },
      // They have one try, and some expect that others take over in seconds: two at once, and no other tests of this run.
      // They wait most of the time, so CI runs them beside npm test.
      {
        extends: true,
        test: {
          name: 'guarantees',
          include: guarantees,
          retry: 0,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: { name: 'searches', include: searches, env: { THOROUGH: '1' }, sequence: { groupOrder: 1 } },
      },
      { extends: true, test: { name: 'measuring', include: measuring, maxWorkers: 1, sequence: { groupOrder: 3 } } },
    ],
  },
});
