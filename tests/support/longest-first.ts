import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, on two cores from 164 to 45 s. Only their order depends on this list. */
export const longest = [
  'workshop/test/soak.test.ts',
  'tests/release/image.test.ts',
  'workshop/faults/test/killed-waits.test.ts',
  'workshop/faults/test/fail-over.test.ts',
  'packages/store/test/model.test.ts',
  'tests/release/packages.test.ts',
  'workshop/faults/test/kept-tasks.test.ts',
  'apps/worker/test/blocked.test.ts',
  'workshop/faults/test/deployments.test.ts',
  'tests/release/upgrade.test.ts',
  'tests/wire/archive.test.ts',
  'tests/release/create.test.ts',
  'workshop/faults/test/redis.test.ts',
  'tests/wire/files-in-bucket.test.ts',
  'apps/cli/test/up/ends.test.ts',
  'tests/wire/broken-agents.test.ts',
  'workshop/faults/test/chaos.test.ts',
  'workshop/faults/test/workers.test.ts',
  'workshop/faults/test/stalled-clients.test.ts',
  'tests/wire/files.test.ts',
  'tests/release/up.test.ts',
  'scripts/test/start.test.ts',
];

/**
 * Long files begin first, so that no worker is without work while another one has a long file left. vitest itself sorts
 * a new clone's files by their size, and those of each project after those of the one before.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = longest.findIndex((file) => moduleId.endsWith(`/${file}`));
      return place < 0 ? longest.length : place;
    };
    const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => groupOf(a) - groupOf(b) || placeOf(a) - placeOf(b));
  }
}
