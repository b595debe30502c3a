import { setTimeout as delay } from 'node:timers/promises';
import type { Priority } from '@switchyard/protocol';
import type { Consumer, JobOutcome, Store, TurnJob } from '@switchyard/store';
import { describe, expect, test } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { until } from '../../../tests/support/until.ts';
import type { TurnLimits } from '../src/places/places.ts';
import { accepted, userMessage } from './support/drive.ts';
import { alice, type TestStore, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();
const hooks = { onCancel: (): void => undefined, onFenced: (): void => undefined };
const completed = { kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true } as const;
const LEASE_MS = 1_000;

interface Turn {
  readonly tenant: string;
  readonly text: string;
}

/** What runs now, over all workers that are alive. */
class Observed {
  readonly running = new Map<TurnJob, Turn>();
  readonly ended = new Set<string>();
  readonly order: Turn[] = [];
  most = 0;
  /** The most turns that ran since the last kill. */
  mostSinceKill = 0;
  readonly mostOf = new Map<string, number>();

  begin(job: TurnJob, turn: Turn): void {
    this.running.set(job, turn);
    this.order.push(turn);
    this.most = Math.max(this.most, this.running.size);
    this.mostSinceKill = Math.max(this.mostSinceKill, this.running.size);
    for (const group of [turn.tenant, turn.text]) {
      const count = [...this.running.values()].filter(({ tenant, text }) => tenant === group || text === group).length;
      this.mostOf.set(group, Math.max(this.mostOf.get(group) ?? 0, count));
    }
  }

  end(job: TurnJob): void {
    this.running.delete(job);
  }

  /** Their leases must end first. */
  kill(process: string): void {
    for (const job of this.running.keys()) if (job.token.startsWith(`${process}:`)) this.running.delete(job);
    this.mostSinceKill = 0;
  }
}

interface TestWorker {
  readonly store: Store;
  readonly consumer: Consumer<TurnJob>;
  /** As if its process was killed: its turns do nothing more, and its leases end. */
  readonly kill: () => Promise<void>;
}

interface Deployment {
  readonly prefix: string;
  readonly shards: number;
  readonly observed: Observed;
  readonly errors: Error[];
  readonly turnMs: (turn: Turn) => number;
}

const deployment = ({ shards = 1, turnMs = (): number => 5 } = {}): Deployment => {
  return { prefix: uniquePrefix(), shards, observed: new Observed(), errors: [], turnMs };
};

const storeOf = ({ prefix, shards }: Deployment): Promise<TestStore> =>
  testStore({ prefix, shards, leaseMs: LEASE_MS });

async function startWorker(of: Deployment, limits: TurnLimits, concurrency = 10): Promise<TestWorker> {
  const { observed, turnMs } = of;
  const store = await storeOf(of);
  let isKilled = false;
  const run = async (job: TurnJob): Promise<JobOutcome> => {
    const turn = await job.begin(hooks);
    if (typeof turn === 'string') return 'done';
    const { message, principal } = turn.start;
    const seen = { tenant: principal.tenant, text: message.parts[0]?.text ?? '' };
    if (isKilled) return new Promise(() => undefined);
    observed.begin(job, seen);
    await delay(turnMs(seen));
    if (isKilled) return new Promise(() => undefined);
    observed.end(job);
    await turn.publish(completed);
    observed.ended.add(job.taskId);
    return 'removed';
  };
  const consumer = store.turns.consume({
    queue: 'echo',
    concurrency,
    places: store.turns.places('echo', limits),
    run,
    onError: (error) => {
      if (!isKilled) of.errors.push(error);
    },
  });
  await consumer.start();
  const kill = async (): Promise<void> => {
    isKilled = true;
    observed.kill(store.processId);
    await store.stop();
  };
  return { store, consumer, kill };
}

const scopeOf = (tenant: string) => ({ ...alice, principal: { ...alice.principal, tenant } });

interface ToSend {
  readonly tenant?: string;
  readonly text?: string;
  readonly priority?: Priority;
}

async function send(store: Store, count: number, { tenant = 'acme', text = 'hello', priority }: ToSend = {}) {
  const sendOne = async (): Promise<void> => {
    const sent = await store.tasks.accept(scopeOf(tenant), { message: userMessage(text), priority });
    expect(sent.verdict).toBe('accepted');
  };
  for (let n = 0; n < count; n += 50) await Promise.all(Array.from({ length: Math.min(50, count - n) }, sendOne));
}

/** However long it takes, as long as one task ends after the other. */
const untilEnded = async ({ observed, errors }: Deployment, count: number): Promise<void> => {
  while (observed.ended.size < count) {
    const before = observed.ended.size;
    await until(() => observed.ended.size > before || errors.length > 0, {
      what: `more than ${before} of ${count} tasks have ended`,
    });
    expect(errors).toEqual([]);
  }
};

const stopAll = (workers: readonly TestWorker[]): Promise<unknown> =>
  Promise.all(workers.map(({ consumer }) => consumer.stop()));

test.each([{}, { runningPerTenant: 1 }])(
  'turns wait for a place by their priority, and one of ten is left to a lower one: %o',
  async (perTenant) => {
    const of = deployment();
    const client = await storeOf(of);
    for (const priority of ['low', 'normal'] as const) await send(client, 3, { priority, text: priority });
    await send(client, 40, { priority: 'high', text: 'high' });
    const worker = await startWorker(of, { running: 1, ...perTenant });
    await untilEnded(of, 46);
    const begun = of.observed.order.map(({ text }) => text);
    expect(begun.indexOf('normal')).toBeGreaterThanOrEqual(9);
    expect(begun.indexOf('low')).toBeGreaterThanOrEqual(19);
    expect(begun.indexOf('normal')).toBeLessThan(20);
    expect(begun.indexOf('low')).toBeLessThan(30);
    expect(begun.lastIndexOf('normal')).toBeLessThan(begun.lastIndexOf('low'));
    await stopAll([worker]);
  },
);

describe.each([1, 4])('an agent with limits, on %i shards', (shards) => {
  test('never runs more turns than places, and as many while work waits', async () => {
    const of = deployment({ shards });
    const client = await storeOf(of);
    await send(client, 150);
    const workers = await Promise.all([1, 2, 3].map(() => startWorker(of, { running: 5 })));
    await untilEnded(of, 150);
    expect(of.observed.most).toBe(5);
    await stopAll(workers);
  });

  test('runs as many turns of a tenant and of a key as they have places, and others meanwhile', async () => {
    const of = deployment({ shards });
    const client = await storeOf(of);
    await send(client, 60, { tenant: 'acme', text: 'red' });
    await send(client, 20, { tenant: 'other', text: 'green' });
    const keyOf = (message: { parts: readonly { text?: string }[] }) => message.parts[0]?.text;
    const limits = { running: 6, runningPerTenant: 4, runningPerKey: 2, keyOf };
    const workers = await Promise.all([1, 2].map(() => startWorker(of, limits)));
    await untilEnded(of, 80);
    expect(Object.fromEntries(of.observed.mostOf)).toEqual({ acme: 2, other: 2, red: 2, green: 2 });
    const begun = of.observed.order.map(({ tenant }) => tenant);
    expect(begun.lastIndexOf('other')).toBeLessThan(60);
    await stopAll(workers);
  });

  test('keeps to them while workers are killed, and has all places again after each kill', async () => {
    const of = deployment({ shards, turnMs: () => 60 });
    const client = await storeOf(of);
    const [places, count] = [5, 250];
    await send(client, count);
    const workers = await Promise.all(Array.from({ length: 8 }, () => startWorker(of, { running: places }, 2)));
    await until(() => of.observed.running.size === places, { what: 'all places are taken' });
    for (let kills = 0; kills < 4; kills++) {
      const busy = await until(
        () =>
          workers.find(({ store }) =>
            [...of.observed.running.keys()].some(({ token }) => token.startsWith(store.processId)),
          ),
        { what: 'a worker has a turn', everyMs: 1 },
      );
      workers.splice(workers.indexOf(busy), 1);
      await busy.kill();
      workers.push(await startWorker(of, { running: places }, 2));
      const before = of.observed.ended.size;
      await until(() => of.observed.mostSinceKill === places, { what: 'all places are taken again' });
      await until(() => of.observed.ended.size > before + 30, { what: 'turns end' });
    }
    await untilEnded(of, count);
    expect(of.observed.most).toBe(places);
    await stopAll(workers);
  });
});

test('attempts begin at the rate of the agent', async () => {
  const of = deployment();
  const client = await storeOf(of);
  await send(client, 30);
  const beganAt = performance.now();
  const workers = await Promise.all([1, 2].map(() => startWorker(of, { startsPerMinute: 600 })));
  await untilEnded(of, 30);
  const tookMs = performance.now() - beganAt;
  // A second's worth of them begins at once, and then each after 100 ms.
  expect(tookMs).toBeGreaterThan(1_850);
  await stopAll(workers);
});

test('a change of the limit holds for the turns that begin then', async () => {
  const of = deployment({ turnMs: () => 30 });
  const client = await storeOf(of);
  await send(client, 20);
  const before = await startWorker(of, { running: 6 });
  await until(() => of.observed.most === 6, { what: 'six turns run' });
  const after = await startWorker(of, { running: 2 });
  await before.consumer.stop();
  of.observed.most = 0;
  await untilEnded(of, 20);
  expect(of.observed.most).toBe(2);
  await stopAll([after]);
});

test('a paused queue begins nothing, and a task that waits for a place can be canceled', async () => {
  const of = deployment({ turnMs: () => 200 });
  const client = await storeOf(of);
  await client.ops.agentQueues.pause('echo');
  const tasks = [];
  for (const text of ['first', 'second', 'third'])
    tasks.push(await accepted(client, scopeOf('acme'), userMessage(text)));
  const worker = await startWorker(of, { runningPerTenant: 1 });
  await delay(100);
  expect(of.observed.order).toEqual([]);
  await client.ops.agentQueues.resume('echo');
  await until(() => of.observed.running.size === 1, { what: 'the first turn runs' });
  await until(async () => (await redis.zcard(`${of.prefix}{s0}:q:echo:parked:t:acme`)) === 2, { what: 'two wait' });
  expect(await client.queue.waiting('echo')).toBe(2);
  await client.tasks.cancel(scopeOf('acme'), tasks[1]?.taskId ?? '');
  await untilEnded(of, 2);
  expect(of.observed.order.map(({ text }) => text)).toEqual(['first', 'third']);
  await stopAll([worker]);
});

test.each([
  ['that is no JSON', { h: ',\tno JSON' }],
  ['of which a time is damaged', { time: 'no time' }],
])('a task %s keeps no other of its agent waiting for a key', async (_, damage) => {
  const of = deployment();
  const client = await storeOf(of);
  const { taskId } = await accepted(client, scopeOf('acme'));
  await redis.hset(`${of.prefix}{s0}:t:${taskId}`, damage);
  await send(client, 3, { text: 'red' });
  const keyOf = (message: { parts: readonly { text?: string }[] }) => message.parts[0]?.text;
  const worker = await startWorker(of, { runningPerKey: 1, keyOf });
  await until(() => of.observed.ended.size === 3, { what: 'the others end' });
  await stopAll([worker]);
});
