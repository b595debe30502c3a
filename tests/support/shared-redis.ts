import type { TestProject } from 'vitest/node';
import { startRedis } from './redis.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Of the one Redis of this run: `inject('redisUrl')`. */
    redisUrl: string;
  }
}

/** vitest global set-up: one private Redis for the whole run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const redis = await startRedis();
  project.provide('redisUrl', redis.url);
  return redis.stop;
}
