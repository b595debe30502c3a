import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { uniquePrefix } from '../../../../tests/support/prefix.ts';
import { type Program, startProgram } from '../../../../tests/support/process.ts';
import { until } from '../../../../tests/support/until.ts';
import { working } from './support/events.ts';
import { type Behave, Receiver } from './support/receiver.ts';
import { Stage } from './support/stage.ts';

const EVENTS = 500;
const programs: Program[] = [];
afterAll(() => Promise.all(programs.map((program) => program.stop())));

/** A worker process. Its own agent is not called: the test takes the part of the agent. */
async function startWorker(prefix: string, env: Readonly<Record<string, string>> = {}): Promise<Program> {
  const worker = await startProgram({
    file: 'apps/worker/src/main.ts',
    args: ['--agents', 'examples/hello/agent.ts'],
    env: {
      REDIS_URL: inject('redisUrl'),
      KEY_PREFIX: prefix,
      PUSH_ALLOW_HTTP: 'true',
      PUSH_ALLOW_HOSTS: '127.0.0.0/8',
      PUSH_BACKOFF_MS: '5',
      PUSH_TIMEOUT_MS: '500',
      ...env,
    },
  });
  programs.push(worker);
  return worker;
}

/** Fails every third request on average (503, 429, timeout, broken connection), and answers the others slowly. */
const unreliable: Behave = async (_, nth, res) => {
  await delay(Math.random() * 4);
  if (Math.random() > 1 / 3) return 200;
  if (nth % 50 === 0) await delay(600); // longer than PUSH_TIMEOUT_MS
  if (nth % 3 === 0) res.destroy();
  return nth % 3 === 1 ? 503 : 429;
};

/** The deliveries without repetitions, in the order of their first arrival. */
function withoutRepetitions(marks: readonly string[]): string[] {
  return [...new Set(marks)];
}

describe('500 events of a task', () => {
  test('arrive in order at receivers that fail, stall and restart, while all workers are killed twice', async () => {
    await using receiver = await new Receiver().open();
    await using second = await new Receiver().open();
    receiver.behave = second.behave = unreliable;
    const prefix = uniquePrefix();
    await using stage = await Stage.withoutDeliverer({ prefix });
    let workers = await Promise.all([startWorker(prefix), startWorker(prefix)]);

    const taskId = await stage.task({ id: 'first', url: receiver.url });
    await stage.also(taskId, { id: 'second', url: second.url });
    const turn = await stage.begin(taskId);
    const publishing = (async () => {
      for (let i = 2; i <= EVENTS; i++) await turn.publish(working(`event ${i}`));
    })();

    for (const taken of [75, 200]) {
      await until(() => receiver.taken.length > taken, { what: `${taken} deliveries`, timeoutMs: 90_000 });
      for (const worker of workers) worker.kill('SIGKILL');
      await Promise.all(workers.map(({ exited }) => exited));
      workers = await Promise.all([startWorker(prefix), startWorker(prefix)]);
    }
    await until(() => receiver.taken.length > 325, { what: '325 deliveries', timeoutMs: 90_000 });
    await receiver.die();
    await delay(1_000); // long enough for the circuit of the host to open
    await receiver.open();
    await publishing;

    const all = Array.from({ length: EVENTS }, (_, i) => `${i + 1}`);
    for (const each of [receiver, second]) {
      await until(() => new Set(each.marks()).size >= EVENTS - Number(each === second), {
        what: 'all deliveries',
        timeoutMs: 180_000,
      });
    }
    expect(withoutRepetitions(receiver.marks())).toEqual(all);
    expect(withoutRepetitions(second.marks())).toEqual(all.slice(1));
    expect(receiver.requests.length).toBeGreaterThan(EVENTS * 1.3);
  }, 1_200_000);
});

describe('the crash of a worker', () => {
  /** The bound that docs/guarantees.md promises. A busy machine takes longer, so it is compared with the settings. */
  const maxDelayMs = 10_000;
  const afterCrash = { what: 'another worker delivers', timeoutMs: 60_000 };

  test('during a delivery delays the delivery until the lease has run out', async () => {
    await using receiver = await new Receiver().open();
    receiver.behave = async (_, nth) => (nth === 1 ? new Promise<number>(() => undefined) : 200);
    const prefix = uniquePrefix();
    await using stage = await Stage.withoutDeliverer({ prefix });
    expect(stage.store.settings.leaseMs).toBeLessThan(maxDelayMs / 2);
    const first = await startWorker(prefix, { PUSH_TIMEOUT_MS: '30000' });
    await stage.task({ url: receiver.url });
    await until(() => receiver.requests.length === 1, { what: 'the delivery has begun' });
    await startWorker(prefix);
    first.kill('SIGKILL');
    await until(() => receiver.taken.length === 1, afterCrash);
  });

  test('between claiming a delivery queue and adding its job delays the delivery until it can be claimed again', async () => {
    await using receiver = await new Receiver().open();
    const prefix = uniquePrefix();
    await using stage = await Stage.withoutDeliverer({ prefix });
    const taskId = await stage.task({ url: receiver.url });
    await stage.claimAndDie(taskId);
    expect(stage.store.settings.reclaimAfterMs).toBeLessThanOrEqual(maxDelayMs / 2);
    await startWorker(prefix);
    await until(() => receiver.taken.length === 1, afterCrash);
  });
});
