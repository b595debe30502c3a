import type { TestProject } from 'vitest/node';
import { startRedis } from './redis.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The Redis that all tests of this run share: `inject('redisUrl')`. */
    redisUrl: string;
  }
}

/** vitest global set-up: starts one private Redis for the whole run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const redis = await startRedis();
  if (process.env.TEST_SERVER) process.stdout.write(`${process.env.TEST_SERVER} answers\n`);
  project.provide('redisUrl', redis.url);
  return redis.stop;
}
