import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisConnection } from './connection.ts';
import { NotReplicated } from './outage.ts';

const INCLUDE = /^ *--- @include "(.+)"$/gm;

/**
 * A Lua script that lies beside its caller. A line `--- @include "../redis/lua/record.lua"` is replaced by that file.
 * Run by its hash; Redis is sent the source when it does not know it (after a restart or SCRIPT FLUSH).
 */
export class Script {
  readonly source: string;
  readonly #sha: string;

  /** @param file path of the `.lua` file, relative to @param from the `import.meta.url` of its caller */
  constructor(file: string, from: string) {
    this.source = withIncludes(new URL(file, from));
    this.#sha = createHash('sha1').update(this.source).digest('hex');
  }

  async run(redis: RedisConnection, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await redis.evalsha(this.#sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return redis.eval(this.source, keys.length, ...keys, ...args);
    }
  }

  /**
   * As `run`, but only once so many replicas have what it wrote. It leaves with its WAIT, on one connection, so that a
   * fail-over between the two cannot pass for a confirmation.
   * @throws {NotReplicated} it may have been written all the same
   */
  async runReplicated(
    redis: RedisConnection,
    keys: readonly string[],
    args: readonly (string | number)[],
    { replicas, timeoutMs }: Replication,
  ): Promise<unknown> {
    const send = async (script: 'eval' | 'evalsha', source: string): Promise<unknown> => {
      const pipeline = redis.pipeline([[script, source, keys.length, ...keys, ...args]]);
      const [ran, waited] = (await pipeline.wait(replicas, timeoutMs).exec()) ?? [];
      if (ran?.[0]) throw ran[0];
      if (waited?.[0]) throw waited[0];
      if (Number(waited?.[1]) < replicas) throw new NotReplicated(Number(waited?.[1]), replicas);
      return ran?.[1];
    };
    try {
      return await send('evalsha', this.#sha);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return send('eval', this.source);
    }
  }
}

export interface Replication {
  readonly replicas: number;
  /** How long they may take. */
  readonly timeoutMs: number;
}

function withIncludes(url: URL): string {
  return readFileSync(url, 'utf8').replace(INCLUDE, (_, file: string) => withIncludes(new URL(file, url)));
}
