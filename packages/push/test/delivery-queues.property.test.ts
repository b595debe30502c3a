import { randomUUID } from 'node:crypto';
import type { OpenTurn } from '@switchyard/store';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentMessage, begun, userMessage } from '../../../tests/support/store/drive.ts';
import { alice, testRedis, testStore } from '../../../tests/support/store/redis.ts';
import type { OpenDeliveryQueue } from '../src/open-delivery-queue.ts';

// Without a lease, a marked queue can be claimed at once, as if time had passed.
const store = await testStore({ reclaimAfterMs: -1, maxWebhooks: 3, keptEvents: 1_000 });
const redis = testRedis();
const root = `${store.settings.prefix}{s0}:`;
const url = 'https://client.example.com/hook';

/** The deliveries to one webhook. */
interface Deliveries {
  /** The number of the last event before the webhook was created. */
  from: number;
  /** The numbers of the delivered events. */
  seqs: number[];
}

/** A task, its webhooks, and any number of workers that deliver concurrently and crash. */
class World {
  readonly #deliveries = new Map<string, Deliveries>();
  readonly #runs: OpenDeliveryQueue[] = [];
  readonly #taskId: string;
  readonly #turn: OpenTurn;

  private constructor(taskId: string, turn: OpenTurn) {
    this.#taskId = taskId;
    this.#turn = turn;
  }

  static async begin(withWebhook: boolean): Promise<World> {
    const webhook = withWebhook ? { webhook: { id: 'a', url } } : {};
    const acceptance = await store.tasks.accept(alice, { message: userMessage(), ...webhook });
    if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
    const world = new World(acceptance.taskId, await begun(store, acceptance.taskId));
    if (withWebhook) world.#deliveries.set('a', { from: 0, seqs: [] });
    return world;
  }

  async publish(count: number): Promise<void> {
    for (let i = 0; i < count; i++)
      await this.#turn.publish({
        kind: 'status',
        state: 'TASK_STATE_WORKING',
        settles: false,
        message: agentMessage(''),
      });
  }

  async accept(id: string): Promise<void> {
    const seq = await this.#seq();
    const message = userMessage('more', { taskId: this.#taskId });
    const { verdict } = await store.tasks.accept(alice, { message, webhook: { id, url } });
    if (verdict === 'accepted' && !this.#deliveries.has(id)) this.#deliveries.set(id, { from: seq, seqs: [] });
  }

  async create(id: string): Promise<void> {
    const seq = await this.#seq();
    const made = await store.webhooks.create(alice, this.#taskId, { id, url });
    if (made !== 'too-many' && !this.#deliveries.has(id)) this.#deliveries.set(id, { from: seq, seqs: [] });
  }

  async delete(id: string): Promise<void> {
    await store.webhooks.delete(alice, this.#taskId, id);
    this.#deliveries.delete(id);
  }

  /** A worker takes a job; earlier workers may still run the same job. */
  async open(n: number): Promise<void> {
    await store.deliveries.claim();
    const queues = (await redis.zrange(`${root}push`, '0', '-1')).filter((queue) => queue.startsWith(this.#taskId));
    const number = Number(queues[n % (queues.length || 1)]?.split('.').at(-1) ?? 0);
    const job = Number(await redis.hget(`${root}t:${this.#taskId}:w`, `${number}:job`));
    const opened = await store.deliveries.open({ taskId: this.#taskId, number, job, token: randomUUID() });
    if (typeof opened !== 'string') this.#runs.push(opened);
  }

  /** One of the workers delivers an event. The delivery counts even if the store then refuses to advance the cursor. */
  async deliver(n: number): Promise<void> {
    const run = this.#runs[n % (this.#runs.length || 1)];
    if (!run) return;
    const events = await run.events();
    const [event] = events === 'trimmed' ? [] : events;
    if (!event) return this.#forget(run);
    this.#record(run, event.seq);
    if ((await run.advance({ seq: event.seq, pending: [] })) !== 'more') this.#forget(run);
  }

  async fail(n: number): Promise<void> {
    const run = this.#runs[n % (this.#runs.length || 1)];
    if (!run) return;
    await run.postpone({ delayMs: 0, attempts: run.attempts + 1 });
    this.#forget(run);
  }

  async deadLetter(n: number): Promise<void> {
    const run = this.#runs[n % (this.#runs.length || 1)];
    if (!run) return;
    await run.deadLetter({ origin: url, reason: 'test', attempts: 1 });
    this.#forget(run);
  }

  async redrive(): Promise<void> {
    const { items } = await store.ops.deadLetters.list({ pageSize: 100 }, { kind: 'webhook' });
    for (const { id, taskId } of items)
      if (taskId === this.#taskId) expect((await store.ops.deadLetters.retry(id)).verdict).toBe('retried');
  }

  crash(n: number): void {
    this.#runs.splice(n % (this.#runs.length || 1), 1);
  }

  /** Expects that all webhooks with undelivered events are marked, unless they are dead letters. */
  async expectMarked(): Promise<void> {
    const fields = await redis.hgetall(`${root}t:${this.#taskId}:w`);
    const queues = Object.entries(fields).flatMap(([name, queue]) => (name.startsWith('id:') ? [queue] : []));
    const dead = queues.filter((queue) => fields[`${queue}:dead`]);
    const live = queues.filter((queue) => !dead.includes(queue));
    const known = (await redis.hget(`${root}t:${this.#taskId}`, 'webhooks'))?.trim().split(' ') ?? [];
    expect(known.sort()).toEqual(live.sort());
    expect(Number(fields.count ?? 0)).toBe(queues.length);
    const seq = await this.#seq();
    const behind = live.filter((queue) => Number.parseInt(fields[`${queue}:cursor`] ?? '', 10) < seq);
    const marked = (await redis.zrange(`${root}push`, '0', '-1')).filter((queue) => queue.startsWith(this.#taskId));
    expect(marked).toEqual(expect.arrayContaining(behind.map((queue) => `${this.#taskId}.${queue}`)));
    const deadLetters = (await redis.zrange(`${root}push:dead`, '0', '-1')).filter((queue) =>
      queue.startsWith(this.#taskId),
    );
    expect(deadLetters.sort()).toEqual(dead.map((queue) => `${this.#taskId}.${queue}`).sort());
  }

  /** Expects that every existing webhook has received all events, with their first deliveries in order. */
  async expectAllDelivered(): Promise<void> {
    await this.redrive();
    for (let i = 0; i < 200 && (await this.#marked()); i++) {
      await this.open(0);
      while (this.#runs.length) await this.deliver(0);
    }
    const seq = await this.#seq();
    for (const [id, { from, seqs }] of this.#deliveries) {
      // Deliveries to a deleted webhook do not count for a new one with its id.
      const firstTime = seqs.filter((one, i) => one > from && seqs.indexOf(one) === i);
      expect(firstTime, `deliveries to ${id}`).toEqual(Array.from({ length: seq - from }, (_, i) => from + 1 + i));
    }
  }

  async #marked(): Promise<boolean> {
    return (await redis.zrange(`${root}push`, '0', '-1')).some((queue) => queue.startsWith(this.#taskId));
  }

  async #seq(): Promise<number> {
    return Number(await redis.hget(`${root}t:${this.#taskId}`, 'seq'));
  }

  #record(run: OpenDeliveryQueue, seq: number): void {
    this.#deliveries.get(run.webhook().id)?.seqs.push(seq);
  }

  #forget(run: OpenDeliveryQueue): void {
    const at = this.#runs.indexOf(run);
    if (at >= 0) this.#runs.splice(at, 1);
  }
}

type Step = (world: World) => Promise<void> | void;
const id = fc.constantFrom('a', 'b', 'c', 'd');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.integer({ min: 1, max: 3 }).map(
      (n): Step =>
        (world) =>
          world.publish(n),
    ),
  },
  {
    weight: 1,
    arbitrary: id.map(
      (it): Step =>
        (world) =>
          world.accept(it),
    ),
  },
  {
    weight: 2,
    arbitrary: id.map(
      (it): Step =>
        (world) =>
          world.create(it),
    ),
  },
  {
    weight: 1,
    arbitrary: id.map(
      (it): Step =>
        (world) =>
          world.delete(it),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.nat(5).map(
      (n): Step =>
        (world) =>
          world.open(n),
    ),
  },
  {
    weight: 8,
    arbitrary: fc.nat(5).map(
      (n): Step =>
        (world) =>
          world.deliver(n),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat(5).map(
      (n): Step =>
        (world) =>
          world.fail(n),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat(5).map(
      (n): Step =>
        (world) =>
          world.deadLetter(n),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat(5).map(
      (n): Step =>
        (world) =>
          world.crash(n),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Step>((world) => world.redrive()) },
);

describe('webhooks', () => {
  test('receive every event in order, with any crashes of workers and any changes of webhooks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(step, { minLength: 5, maxLength: 40 }), async (withWebhook, steps) => {
        const world = await World.begin(withWebhook);
        for (const runStep of steps) {
          await runStep(world);
          await world.expectMarked();
        }
        await world.expectAllDelivered();
      }),
      { numRuns: Number(process.env.WALKS ?? 150) },
    );
  });
});
