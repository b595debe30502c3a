import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisConnection } from './connection.ts';

const INCLUDE = /^--- @include "(.+)"$/gm;

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
}

function withIncludes(url: URL): string {
  return readFileSync(url, 'utf8').replace(INCLUDE, (_, file: string) => withIncludes(new URL(file, url)));
}
