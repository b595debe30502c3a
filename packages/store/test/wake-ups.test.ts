import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createConnections } from '@switchyard/redis';
import { expect, inject, onTestFinished, test } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { until } from '../../../tests/support/until.ts';
import { ShardKeys } from '../src/deployment/keys.ts';
import { type WakeUp, WakeUps } from '../src/queue/wake-ups.ts';
import { testRedis } from './support/redis.ts';

const redisUrl = inject('redisUrl');
const redis = testRedis();
const QUEUES = ['echo', 'kitchen', 'pizza', 'oven'];

/** Queues of one shard with counters for their jobs, and processes that wait for their markers without polling. */
class World {
  readonly keys = new ShardKeys(uniquePrefix(), 0);
  readonly waiting: Record<string, number> = {};
  taken = 0;
  passedOn = 0;
  readonly #connections = createConnections({ redisUrl }, { isReplicated: false });

  constructor() {
    onTestFinished(() => {
      for (const connection of Object.values(this.#connections)) connection.disconnect();
    });
  }

  process(): (queue: string) => WakeUp {
    const wakeUps = new WakeUps(this.#connections.commands, randomUUID(), (error) => expect.unreachable(error.message));
    return (queue) => {
      const wakeNext = async (): Promise<void> => {
        this.passedOn++;
        if (this.waiting[queue]) await this.mark(queue);
      };
      const wakeUp = wakeUps.open(this.keys, { marker: this.marker(queue), wakeNext });
      onTestFinished(() => wakeUp.close());
      return wakeUp;
    };
  }

  async add(queue: string): Promise<void> {
    this.waiting[queue] = (this.waiting[queue] ?? 0) + 1;
    await this.mark(queue);
  }

  async mark(queue: string): Promise<void> {
    await redis.zadd(this.marker(queue), 0, '0');
  }

  /** As take-jobs.lua: if others wait, another process is woken. */
  async take(queue: string): Promise<number> {
    const waiting = this.waiting[queue] ?? 0;
    if (waiting === 0) return 0;
    this.taken++;
    this.waiting[queue] = waiting - 1;
    if (waiting > 1) await this.mark(queue);
    return 1;
  }

  marker(queue: string): string {
    return `${this.keys.queues}:${queue}:marker`;
  }
}

test('every job is taken without polling, whichever processes have free slots', async () => {
  const world = new World();
  /** Now and then all slots of the queue are full. */
  const run = async (queue: string, wakeUp: WakeUp, seed: number): Promise<void> => {
    for (let round = seed; await wakeUp.wait(); round++) {
      if ((await world.take(queue)) === 0 || round % 3 > 0) continue;
      wakeUp.leave();
      await delay(round % 4);
    }
  };
  for (let process = 0; process < 3; process++) {
    const open = world.process();
    for (const [n, queue] of QUEUES.entries()) void run(queue, open(queue), process + n);
  }
  for (let n = 1; n <= 600; n++) {
    await world.add(QUEUES[((n * 7) % 11) % QUEUES.length] ?? '');
    if (n % 7 === 0) await until(() => world.taken === n, { what: `${n} jobs are taken`, everyMs: 1 });
  }
  await until(() => world.taken === 600, { what: 'all jobs are taken' });
});

test('a process waits for all of its queues over one connection, and gets no wake-up of a queue that has left', async () => {
  const world = new World();
  const [first, second] = [world.process(), world.process()];
  const busy = QUEUES.map((queue) => first(queue));
  const waits = busy.map((wakeUp) => wakeUp.wait());
  await world.mark('kitchen');
  expect(await waits[1]).toBe(true);
  busy[1]?.leave();
  // The other queues are waited for: a marker of this one belongs to the second process.
  await world.mark('echo');
  expect(await waits[0]).toBe(true);
  await world.mark('kitchen');
  const idle = second('kitchen');
  expect(await idle.wait()).toBe(true);
  expect(world.passedOn).toBe(0);
  // Once the first process waits again, it is woken again.
  const again = busy[1]?.wait();
  await world.mark('kitchen');
  expect(await again).toBe(true);
});

test('a wake-up that arrives after the end of its wait is passed on', async () => {
  const world = new World();
  const [open, other] = [world.process(), world.process()];
  const [kitchen, echo] = [open('kitchen'), open('echo')];
  void echo.wait();
  expect(await kitchen.wait(20)).toBe(false);
  const isOthersTurn = other('kitchen').wait();
  await world.add('kitchen');
  expect(await isOthersTurn).toBe(true);
  expect(world.passedOn).toBeLessThanOrEqual(1);
});

test('a queue that closes ends its wait', async () => {
  const world = new World();
  const wakeUp = world.process()('echo');
  const woken = wakeUp.wait();
  wakeUp.close();
  expect(await woken).toBe(false);
  expect(await wakeUp.wait()).toBe(false);
});
