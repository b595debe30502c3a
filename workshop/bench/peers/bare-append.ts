import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';

/**
 * The minimum of an append, with as many bytes: each event kept in the stream, all of them published, the text appended
 * and the events counted. No fencing, no record, no parts of several artifacts.
 */
const script = `
local seq, lines, text = tonumber(redis.call('HGET', KEYS[1], 'seq') or 0), {}, {}
for i = 1, #ARGV, 2 do
  seq = seq + 1
  redis.call('XADD', KEYS[1] .. ':e', 'MAXLEN', '~', '10000', seq .. '-0', 'w', ARGV[i])
  lines[#lines + 1], text[#text + 1] = seq .. '|w|' .. ARGV[i], ARGV[i + 1]
end
redis.call('APPEND', KEYS[1] .. ':p', table.concat(text))
redis.call('HSET', KEYS[1], 'seq', seq)
redis.call('PUBLISH', KEYS[1] .. ':e', table.concat(lines, '\\n'))
return seq`;

/** The limit of an append: a task whose chunks are written by a bare script. */
export class BareAppend {
  readonly #redis: Redis;
  readonly #sha: string;
  readonly #taskId = randomUUID();
  readonly #artifactId = randomUUID();
  #chunks = 0;

  private constructor(redis: Redis, sha: string) {
    this.#redis = redis;
    this.#sha = sha;
  }

  static async begin(redis: Redis): Promise<BareAppend> {
    return new BareAppend(redis, String(await redis.script('LOAD', script)));
  }

  /** As `BenchTask.chunks`. */
  async chunks(count: number, together: number): Promise<void> {
    for (let done = 0; done < count; done += together) {
      const batch = Array.from({ length: Math.min(together, count - done) }, () => this.#chunk());
      await this.#redis.evalsha(this.#sha, 1, `bench{s0}:bare:${this.#taskId}`, ...batch.flat());
    }
  }

  #chunk(): [event: string, text: string] {
    const text = `chunk ${this.#chunks++} of the bench text `;
    const artifact = { artifactId: this.#artifactId, parts: [{ text }] };
    const ids = { taskId: this.#taskId, contextId: this.#taskId };
    return [JSON.stringify({ artifactUpdate: { ...ids, artifact, append: true, lastChunk: false } }), text];
  }
}
