import { randomUUID } from 'node:crypto';
import { defineAgent, type Execute } from '@switchyard/agent';
import { Ops } from '@switchyard/operators';
import { Store } from '@switchyard/store';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { uniquePrefix } from '../../../../tests/support/prefix.ts';
import { until } from '../../../../tests/support/until.ts';
import { Worker, type WorkerEvent } from '../../src/index.ts';

const card = { name: 'Test agent', description: 'For tests.', version: '1.0.0', skills: [] };
const scope = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: 'test-agent' };
const running: (Worker | Store)[] = [];

afterAll(async () => {
  for (const one of running.reverse()) await one.stop();
});

class Bench {
  readonly prefix: string;
  readonly events: WorkerEvent[] = [];

  constructor(prefix: string = uniquePrefix()) {
    this.prefix = prefix;
  }

  async store(): Promise<Store> {
    const store = new Store(
      { redisUrl: inject('redisUrl'), prefix: this.prefix, sweepAfterMs: 1_000 },
      () => undefined,
    );
    running.push(store);
    await store.start();
    return store;
  }

  async worker(execute: Execute): Promise<Worker> {
    const agent = defineAgent({ id: 'test-agent', card, execute, concurrency: 2 });
    const emit = (event: WorkerEvent): void => void this.events.push(event);
    const store = await this.store();
    const worker = new Worker({ drainMs: 0, sweepEveryMs: 200 }, { store, agents: [agent], emit });
    running.push(worker);
    await worker.start();
    return worker;
  }

  /** The attempts that this worker has begun for a task. */
  begun(taskId: string): number[] {
    return this.events.flatMap((one) => (one.kind === 'turn-begun' && one.taskId === taskId ? [one.attempt] : []));
  }
}

async function send(store: Store): Promise<string> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] };
  const acceptance = await store.tasks.accept(scope, { message });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  return acceptance.taskId;
}

function completed(store: Store, taskId: string): Promise<unknown> {
  const isDone = async () => (await store.tasks.read(scope, taskId))?.state === 'TASK_STATE_COMPLETED';
  return until(isDone, { what: `${taskId} is completed` });
}

async function stateOf(store: Store, id: string): Promise<string | undefined> {
  return (await new Ops(store).workers.list()).find((worker) => worker.id === id)?.state;
}

const inState = (store: Store, id: string, state: string): Promise<unknown> =>
  until(async () => (await stateOf(store, id)) === state, { what: `the worker is ${state}` });

const completeAtOnce: Execute = (turn) => turn.complete('done');

/** An agent that completes when `finish` is called, or throws when it is interrupted. */
function waitingAgent(): { execute: Execute; finish: () => void } {
  const gate = Promise.withResolvers<void>();
  const execute: Execute = async (turn) => {
    const interrupted = new Promise((resolve) => turn.signal.addEventListener('abort', resolve, { once: true }));
    await Promise.race([gate.promise, interrupted]);
    turn.signal.throwIfAborted();
    return turn.complete('done');
  };
  return { execute, finish: () => gate.resolve() };
}

// Each waits for seconds, with its own keys and workers.
describe.concurrent('operators order that', () => {
  describe('a worker that is drained', () => {
    test("takes no more turns and is not counted as its agent's worker; after undrain it takes turns again", async () => {
      const bench = new Bench();
      const store = await bench.store();
      const worker = await bench.worker(completeAtOnce);
      await new Ops(store).workers.drain(worker.id);
      await inState(store, worker.id, 'drained');
      await until(() => bench.events.some(({ kind }) => kind === 'draining'), { what: 'the worker drains' });
      const taskId = await send(store);
      await until(async () => (await new Ops(store).listStuck({ pageSize: 1 })).items[0]?.sweeps, {
        what: 'the sweeper has run, and no worker has taken the job',
      });
      expect(bench.begun(taskId)).toEqual([]);
      expect(await store.registry.list()).toMatchObject([{ id: 'test-agent', workers: 0 }]);
      const other = new Bench(bench.prefix);

      const next = await other.worker(completeAtOnce);
      await completed(store, taskId);
      expect(bench.begun(taskId)).toEqual([]);
      await next.stop();
      await new Ops(store).workers.undrain(worker.id);
      await completed(store, await send(store));
      expect(await stateOf(store, worker.id)).toBe('working');
    });

    test('is "draining" while its turns run, and "drained" when they have ended', async () => {
      const bench = new Bench();
      const store = await bench.store();
      const { execute, finish } = waitingAgent();
      const worker = await bench.worker(execute);
      const taskId = await send(store);
      await until(async () => (await new Ops(store).listTurns({ pageSize: 5 })).totalSize, {
        what: 'the turn is listed',
      });
      const { items } = await new Ops(store).listTurns({ pageSize: 5 });
      expect(items).toMatchObject([{ taskId, worker: worker.id, attempt: 1, epoch: 1, agent: 'test-agent' }]);
      await new Ops(store).workers.drain(worker.id);
      await inState(store, worker.id, 'draining');
      finish();
      await completed(store, taskId);
      await inState(store, worker.id, 'drained');
    });

    test('gives its turns back after giveBackAfterMs; another worker runs them as the same attempt', async () => {
      const bench = new Bench();
      const store = await bench.store();
      const worker = await bench.worker(waitingAgent().execute);
      const taskId = await send(store);
      await until(() => bench.begun(taskId).length, { what: 'the turn has begun' });
      await new Ops(store).workers.drain(worker.id, { giveBackAfterMs: 0 });
      await inState(store, worker.id, 'drained');
      const other = new Bench(bench.prefix);

      await other.worker(completeAtOnce);
      await completed(store, taskId);
      expect(other.begun(taskId)).toEqual([1]);
    });

    test('after undrain runs to the end the turns that it gave back', async () => {
      const bench = new Bench();
      const store = await bench.store();
      const { execute, finish } = waitingAgent();
      const worker = await bench.worker(execute);
      const taskId = await send(store);
      await until(() => bench.begun(taskId).length, { what: 'the turn has begun' });
      await new Ops(store).workers.drain(worker.id, { giveBackAfterMs: 0 });
      await inState(store, worker.id, 'drained');
      await new Ops(store).workers.undrain(worker.id);
      await until(() => bench.begun(taskId).length === 2, { what: 'the turn has begun again' });
      finish();
      await completed(store, taskId);
      expect(bench.begun(taskId)).toEqual([1, 1]);
    });
  });

  describe('an agent that is paused', () => {
    test('has its messages accepted; their turns run when it is resumed', async () => {
      const bench = new Bench();
      const store = await bench.store();
      await bench.worker(completeAtOnce);
      expect(await new Ops(store).agents.pause('test-agent')).toMatchObject({ paused: true });
      const taskId = await send(store);
      const stuck = await until(async () => (await new Ops(store).listStuck({ pageSize: 1 })).items[0], {
        what: 'the task is stuck',
      });
      expect(stuck).toMatchObject({ taskId, reason: 'agent-paused' });
      expect(bench.begun(taskId)).toEqual([]);
      expect(await new Ops(store).agents.resume('test-agent')).toMatchObject({ paused: false });
      await completed(store, taskId);
    });
  });

  test('a stopped worker is not listed', async () => {
    const bench = new Bench();
    const store = await bench.store();
    const worker = await bench.worker(completeAtOnce);
    expect(await stateOf(store, worker.id)).toBe('working');
    await worker.stop();
    expect(await new Ops(store).workers.list()).toEqual([]);
  });
});
