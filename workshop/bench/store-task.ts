import { randomUUID } from 'node:crypto';
import type { Message } from '@switchyard/protocol';
import type { OpenTurn, Scope, Store } from '@switchyard/store';
import type { Redis } from 'ioredis';
import { userMessage } from '../../tests/support/messages.ts';

export const benchScope: Scope = { principal: { tenant: 'default', subject: 'anonymous', scopes: [] }, agent: 'bench' };

const agentMessage = (text: string): Message => ({ ...userMessage(text), role: 'ROLE_AGENT' });

/** Memory of keys, including their names and entries in the key space. */
export async function bytesOf(redis: Redis, keys: readonly string[]): Promise<number> {
  const sizes = await Promise.all(keys.map((key) => redis.memory('USAGE', key, 'SAMPLES', 0)));
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}

/** A task whose turn this process runs, without a queue or an agent. */
export class BenchTask {
  readonly #store: Store;
  readonly #turn: OpenTurn;
  #chunks = 0;

  private constructor(store: Store, turn: OpenTurn) {
    this.#store = store;
    this.#turn = turn;
  }

  static async begin(store: Store): Promise<BenchTask> {
    const acceptance = await store.tasks.accept(benchScope, { message: userMessage('work') });
    if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
    const hooks = { onCancel: (): void => undefined, onFenced: (): void => undefined };
    const start = { queue: benchScope.agent, taskId: acceptance.taskId, job: 1, started: 1, token: 'bench' };
    const turn = await store.turns.jobOf(start).begin(hooks);
    if (typeof turn === 'string') throw new Error(turn);
    return new BenchTask(store, turn);
  }

  /** A small task. Its events so far: submitted, working, the artifact, another chunk. */
  static async small(store: Store): Promise<BenchTask> {
    const task = await BenchTask.begin(store);
    await task.working();
    await task.chunk('x'.repeat(100));
    await task.chunk('y'.repeat(100));
    return task;
  }

  /** Writes chunks, `together` of them in each script call. */
  async chunks(count: number, together: number): Promise<void> {
    for (let done = 0; done < count; done += together) {
      const batch = Array.from({ length: Math.min(together, count - done) }, () =>
        this.chunk(`chunk ${this.#chunks} of the bench text `),
      );
      await Promise.all(batch);
      await this.flush();
    }
  }

  async chunk(text: string): Promise<void> {
    const artifact = { artifactId: 'chunks', parts: [{ text }] };
    await this.#turn.publish({ kind: 'artifact', artifact, append: this.#chunks++ > 0, lastChunk: false });
  }

  /** Resolves when everything published is written. */
  flush(): Promise<unknown> {
    return Promise.resolve(this.#turn.flush());
  }

  async working(text?: string): Promise<void> {
    const message = text === undefined ? {} : { message: agentMessage(text) };
    await this.#turn.publish({ kind: 'status', state: 'TASK_STATE_WORKING', settles: false, ...message });
  }

  async complete(text: string): Promise<void> {
    const message = agentMessage(text);
    await this.#turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true, message });
  }

  /** @returns length of the task's JSON */
  async read(): Promise<number> {
    const reading = await this.#store.tasks.read(benchScope, this.#turn.start.taskId);
    return reading?.task?.length ?? 0;
  }
}

/**
 * The minimum of an append of as many bytes: each event is added to the stream and published, the text appended, and
 * the events counted. No fencing, no record, no parts of several artifacts.
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

/** The limit of an append: a task whose chunks are written by a bare script, as by `BenchTask.chunks`. */
export async function beginBareAppend(redis: Redis): Promise<Pick<BenchTask, 'chunks'>> {
  const sha = String(await redis.script('LOAD', script));
  const [taskId, artifactId] = [randomUUID(), randomUUID()];
  let written = 0;
  const chunk = (): [event: string, text: string] => {
    const text = `chunk ${written++} of the bench text `;
    const artifact = { artifactId, parts: [{ text }] };
    const update = { taskId, contextId: taskId, artifact, append: true, lastChunk: false };
    return [JSON.stringify({ artifactUpdate: update }), text];
  };
  return {
    async chunks(count, together) {
      for (let done = 0; done < count; done += together) {
        const batch = Array.from({ length: Math.min(together, count - done) }, chunk);
        await redis.evalsha(sha, 1, `bench{s0}:bare:${taskId}`, ...batch.flat());
      }
    },
  };
}
