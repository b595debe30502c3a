import { includedFile, withIncludes } from '@switchyard/redis';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { Shards } from '../src/deployment/shards.ts';
import { Queues } from '../src/queue/queues.ts';
import type { RunningJob } from '../src/queue/running-job.ts';
import { FairQueue } from './reference/fair-queue.ts';
import { testRedis } from './support/redis.ts';
import { killRun, queueOf, recoverNow } from './support/runs.ts';

// With any operations on the jobs of several tenants in a queue: each tenant's jobs are taken in order, none is lost or
// taken twice, and tenants that wait at the same time are served equally often.

const redis = testRedis();
const LEASE_MS = 60_000;
const TENANTS = ['acme', 'globex', 'initech', 'umbrella'];

const source = (file: string): string => withIncludes(new URL(`../src/queue/${file}`, import.meta.url));
const server = withIncludes(includedFile('@switchyard/redis/server.lua', new URL(import.meta.url)));
const PUT_BACK_SUSPECT = `${server}\n${source('put-back-suspect.lua')}\nput_back_suspect(KEYS[1], unpack(ARGV))`;

const pick = fc.nat(99);
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ act: fc.constant('add' as const), pick, count: fc.integer({ min: 1, max: 6 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ act: fc.constant('take' as const), pick, count: fc.integer({ min: 1, max: 9 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constantFrom(
        'call',
        'finish',
        'hand back',
        'delay',
        'due',
        'stall',
        'put back suspect',
        'remove',
        'recover',
        'older gateway',
      ),
      pick,
      count: fc.constant(1),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A queue in Redis, and the model that it must agree with. */
class World {
  readonly model = new FairQueue();
  readonly #settings = { prefix: uniquePrefix(), shards: 1 };
  readonly #shards = new Shards(this.#settings.prefix, 1);
  readonly #queues = new Queues(redis, this.#shards);
  readonly #queue = queueOf({ settings: this.#settings }, redis);
  #jobs = 0;
  #taken = 0;
  #due = 0;
  #suspects = 0;
  readonly #runs = new Map<string, RunningJob>();

  async start(): Promise<void> {
    await recoverNow(redis, this.#queue.keys);
  }

  async run({ act, pick: nth, count }: Step): Promise<void> {
    const { model } = this;
    const tenant = TENANTS[nth % TENANTS.length] ?? '';
    const active = model.active[nth % Math.max(1, model.active.length)];
    if (act === 'add') for (let i = 0; i < count; i++) await this.#add(tenant, 'ordinary');
    else if (act === 'call') await this.#add(tenant, 'awaited');
    else if (act === 'take') await this.#take(count);
    else if (act === 'recover') await recoverNow(redis, this.#queue.keys);
    else if (act === 'older gateway') await this.#addToList();
    else if (act === 'due') await this.#bringBack(nth);
    else if (act === 'remove') await this.#remove(nth);
    else if (active) await this.#change(act, active);
  }

  async stop(): Promise<void> {
    while (this.model.delayed.length > 0) await this.#bringBack(0);
    while (this.model.waiting > this.#suspects) await this.#take(9);
    for (const job of [...this.model.active]) await this.#change('finish', job);
    await recoverNow(redis, this.#queue.keys);
    expect((await redis.hget(this.#queue.keys.runningByQueue, this.#queue.root)) ?? '0').toBe('0');
    const keys = await redis.keys(`${this.#queue.root}*`);
    // An empty queue stores no tenants.
    if (this.#suspects === 0) expect(keys.filter((key) => key.endsWith(':tenants'))).toEqual([]);
    if (keys.length > 0) await redis.del(...keys);
  }

  /** Ids whose order is not that of their creation, like random ids. */
  #newId(): string {
    return `task${(++this.#jobs * 7_919) % 10_007}`;
  }

  async #add(tenant: string, kind: 'ordinary' | 'awaited'): Promise<void> {
    const taskId = this.#newId();
    await this.#queues.add(`${tenant}/someone/echo`, { taskId, job: 1 }, { isAwaited: kind === 'awaited' });
    this.model.add(`${taskId}.1`, tenant, kind);
  }

  /** As gateways of earlier releases did. A check of the queue moves such jobs to the others, for the tenant `-`. */
  async #addToList(): Promise<void> {
    const id = `${this.#newId()}.1`;
    await redis.multi().hset(`${this.#queue.root}${id}`, 'priority', '0').lpush(`${this.#queue.root}wait`, id).exec();
    // Only queues that have had a take are tidied.
    await redis.hsetnx(this.#queue.keys.runningByQueue, this.#queue.root, '0');
    await recoverNow(redis, this.#queue.keys);
    this.model.add(id, '-', 'ordinary');
  }

  async #remove(nth: number): Promise<void> {
    const [taskId] = this.model.remove(nth)?.split('.') ?? [];
    if (taskId) await this.#queues.remove('echo', taskId, 1);
  }

  async #take(count: number): Promise<void> {
    const number = this.#taken;
    this.#taken += count;
    const take = () => this.#queue.take({ taker: 'taker', number, count, kinds: 'any' });
    const { jobs, waiting, hasSuspects } = await take();
    const ids = jobs.map(({ id }) => id);
    expect(this.model.take(ids, count)).toEqual([]);
    expect([waiting, hasSuspects]).toEqual([this.model.waiting, this.#suspects > 0]);
    for (const run of jobs) this.#runs.set(run.id, run);
    if (ids.length > 0) expect((await take()).jobs.map(({ id }) => id)).toEqual(ids);
  }

  async #change(act: string, job: FairQueue['active'][number]): Promise<void> {
    const { id } = job;
    const run = this.#runs.get(id);
    if (!run) throw new Error(`${id} was not taken`);
    if (act === 'finish') {
      await run.end('done');
      this.model.finish(job);
    } else if (act === 'hand back') {
      await run.end('requeue');
      this.model.handBack(job);
    } else if (act === 'stall') {
      await killRun(redis, this.#queue.keys, run.token);
      await recoverNow(redis, this.#queue.keys);
      this.model.handBack(job);
    } else if (act === 'delay') {
      await run.end({ retryAfterMs: LEASE_MS });
      this.model.delay(job);
    } else if (act === 'put back suspect') {
      await redis.eval(PUT_BACK_SUSPECT, 1, this.#queue.root, id, run.token);
      this.model.putBackSuspect(job);
      this.#suspects++;
    }
  }

  async #bringBack(nth: number): Promise<void> {
    const job = this.model.delayed[nth % Math.max(1, this.model.delayed.length)];
    if (!job) return;
    await redis.zadd(`${this.#queue.root}delayed`, ++this.#due * 4_096, job.id);
    this.model.due(job.id);
    await this.#take(1);
  }
}

/** A job is handed back after a new one of its tenant was added: it must come before the new one. */
const handedBackLate: Step[] = [
  { act: 'add', pick: 0, count: 3 },
  { act: 'take', pick: 0, count: 3 },
  { act: 'recover', pick: 0, count: 1 },
  { act: 'add', pick: 0, count: 1 },
  { act: 'hand back', pick: 2, count: 1 },
];

/** A tenant is not charged for removed jobs. */
const removed: Step[] = [
  { act: 'add', pick: 0, count: 6 },
  ...Array.from({ length: 5 }, () => ({ act: 'remove' as const, pick: 0, count: 1 as const })),
  { act: 'add', pick: 1, count: 6 },
  { act: 'add', pick: 0, count: 3 },
  { act: 'take', pick: 0, count: 9 },
];

/** Nor is it if a job of another tenant with the same tag runs at that time. */
const removedBesideRunning: Step[] = [
  { act: 'call', pick: 0, count: 1 },
  { act: 'add', pick: 87, count: 3 },
  { act: 'call', pick: 0, count: 1 },
  { act: 'add', pick: 0, count: 3 },
  { act: 'take', pick: 0, count: 7 },
  { act: 'add', pick: 0, count: 6 },
  { act: 'add', pick: 61, count: 5 },
  { act: 'add', pick: 63, count: 5 },
  { act: 'take', pick: 0, count: 5 },
  { act: 'remove', pick: 8, count: 1 },
  { act: 'add', pick: 0, count: 1 },
  { act: 'add', pick: 0, count: 1 },
  { act: 'call', pick: 0, count: 1 },
];

test('waiting tenants are served in turn, each in its order, with any operations on the queue', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const world = new World();
      await world.start();
      for (const one of steps) await world.run(one);
      await world.stop();
    }),
    { numRuns: 100, examples: [[handedBackLate], [removed], [removedBesideRunning]] },
  );
});
