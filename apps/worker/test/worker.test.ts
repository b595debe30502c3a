import { randomUUID } from 'node:crypto';
import {
  type Agent,
  type AgentDefinition,
  AgentError,
  defineAgent,
  type Execute,
  RetryableError,
} from '@switchyard/agent';
import { Ops } from '@switchyard/operators';
import type { Message, Task } from '@switchyard/protocol';
import { Store, type StoreSettings } from '@switchyard/store';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { begun } from '../../../tests/support/store/drive.ts';
import { until } from '../../../tests/support/until.ts';
import { Worker, type WorkerEvent, type WorkerSettings } from '../src/index.ts';

const card = { name: 'Test agent', description: 'For tests.', version: '1.0.0', skills: [] };
const agentThat = (execute: Execute, more: Partial<AgentDefinition> = {}): Agent =>
  defineAgent({ id: 'test-agent', card, execute, ...more });

const scope = { principal: { tenant: 'acme', subject: 'alice', scopes: ['read'] }, agent: 'test-agent' };
const running: (Worker | Store)[] = [];

afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.stop();
});

class Bench {
  readonly prefix = uniquePrefix();
  readonly events: WorkerEvent[] = [];

  async store(settings: Partial<StoreSettings> = {}): Promise<Store> {
    const store = new Store({ redisUrl: inject('redisUrl'), prefix: this.prefix, ...settings }, () => undefined);
    running.push(store);
    await store.start();
    return store;
  }

  /** A worker with its own store, as in a separate process. */
  async worker(agent: Agent, settings: Partial<WorkerSettings & StoreSettings> = {}): Promise<Worker> {
    const { drainMs = 0, sweepEveryMs = 200, publicUrl, ...storeSettings } = settings;
    const emit = (event: WorkerEvent): void => void this.events.push(event);
    const store = await this.store(storeSettings);
    const worker = new Worker({ drainMs, sweepEveryMs, publicUrl }, { store, agents: [agent], emit });
    running.push(worker);
    await worker.start();
    return worker;
  }

  happened<K extends WorkerEvent['kind']>(kind: K): (WorkerEvent & { kind: K })[] {
    return this.events.filter((one): one is WorkerEvent & { kind: K } => one.kind === kind);
  }
}

const message = (text: string, more: Partial<Message> = {}): Message => ({
  messageId: randomUUID(),
  role: 'ROLE_USER',
  parts: [{ text }],
  ...more,
});

async function send(store: Store, text: string, more: Partial<Message> = {}): Promise<string> {
  const acceptance = await store.tasks.accept(scope, { message: message(text, more) });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  return acceptance.taskId;
}

const read = async (store: Store, taskId: string): Promise<Task> =>
  JSON.parse((await store.tasks.read(scope, taskId))?.task?.toString() ?? 'null');

function reached(store: Store, taskId: string, state: string): Promise<Task> {
  return until(
    async () => {
      const task = await read(store, taskId);
      return task.status.state === `TASK_STATE_${state}` && task;
    },
    { what: `${taskId} ${state}` },
  );
}

const textOf = ({ status }: Task): string | undefined => status.message?.parts[0]?.text;

describe('a worker', () => {
  test('runs a turn and writes its status, artifacts and outcome', async () => {
    const bench = new Bench();
    const store = await bench.store();
    await bench.worker(
      agentThat(async (turn) => {
        await turn.working('on it');
        const report = turn.artifact({ name: 'Report' });
        for (const chunk of ['a', 'b', 'c']) await report.append(chunk);
        return turn.complete(`for ${turn.principal.subject}: ${turn.text}`);
      }),
    );
    const task = await reached(store, await send(store, 'hello'), 'COMPLETED');
    expect(textOf(task)).toBe('for alice: hello');
    expect(task.artifacts).toMatchObject([{ name: 'Report', parts: [{ text: 'abc' }] }]);
    expect(task.history?.map(({ parts }) => parts[0]?.text)).toEqual(['hello', 'on it', 'for alice: hello']);
  });

  test('runs the messages of a task one after the other and in order, different tasks concurrently', async () => {
    const bench = new Bench();
    const store = await bench.store();
    let [now, most] = [0, 0];
    const byTask = new Map<string, string[]>();
    const gate = Promise.withResolvers<void>();
    await bench.worker(
      agentThat(async (turn) => {
        most = Math.max(most, ++now);
        await gate.promise;
        byTask.set(turn.task.id, [...(byTask.get(turn.task.id) ?? []), turn.text]);
        now--;
        return turn.text === '3' ? turn.complete() : turn.requireInput('more?');
      }),
    );
    const tasks = await Promise.all([send(store, '1'), send(store, '1')]);
    for (const text of ['2', '3']) for (const taskId of tasks) await send(store, text, { taskId });
    await until(() => now === 2, { what: 'both tasks running' });
    gate.resolve();
    for (const taskId of tasks) await reached(store, taskId, 'COMPLETED');
    expect(most).toBe(2);
    expect([...byTask.values()]).toEqual([
      ['1', '2', '3'],
      ['1', '2', '3'],
    ]);
  });

  test('answers every one of 20 messages of a task, though a job runs at most eight turns', async () => {
    const bench = new Bench();
    const store = await bench.store();
    const texts: string[] = [];
    const first = Promise.withResolvers<void>();
    await bench.worker(
      agentThat(async (turn) => {
        await first.promise;
        texts.push(turn.text);
        return turn.complete(turn.text);
      }),
    );
    const taskId = await send(store, '1');
    for (let i = 2; i <= 20; i++) await send(store, String(i), { taskId });
    first.resolve();
    const task = await reached(store, taskId, 'COMPLETED');
    expect(texts).toEqual(Array.from({ length: 20 }, (_, i) => String(i + 1)));
    expect(textOf(task)).toBe('20');
    expect(task.history).toHaveLength(40);
  });

  test('retries a turn after a RetryableError, and fails the task after three attempts', async () => {
    const bench = new Bench();
    const store = await bench.store();
    const attempts: number[] = [];
    await bench.worker(
      agentThat(async ({ attempt }) => {
        attempts.push(attempt);
        throw new RetryableError('The oven is cold.', { retryAfterMs: 20 });
      }),
    );
    const task = await reached(store, await send(store, 'bake'), 'FAILED');
    expect(attempts).toEqual([1, 2, 3]);
    expect(textOf(task)).toBe('The agent gave up after 3 attempts: The oven is cold.');
  });

  test.each([1, 2, 5])(
    'makes as many attempts as the retry policy of the agent says (%d), then keeps a dead letter',
    async (attempts) => {
      const bench = new Bench();
      const store = await bench.store();
      const begun: number[] = [];
      await bench.worker(
        agentThat(
          async ({ attempt }) => {
            begun.push(attempt);
            throw new RetryableError('The oven is cold.');
          },
          { retry: { attempts, backoffMs: 5 } },
        ),
      );
      const taskId = await send(store, 'bake');
      await reached(store, taskId, 'FAILED');
      expect(begun).toEqual(Array.from({ length: attempts }, (_, i) => i + 1));
      const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
      const reason = `The agent gave up after ${times}: The oven is cold.`;
      expect(await new Ops(store).deadLetters.get(taskId)).toMatchObject({ kind: 'turn', attempts, reason });
    },
  );

  test('shows the client the message of an AgentError, and hides every other error', async () => {
    const bench = new Bench();
    const store = await bench.store();
    await bench.worker(
      agentThat(async (turn) => {
        throw turn.text === 'known' ? new AgentError('We are closed.') : new Error('password=hunter2');
      }),
    );
    expect(textOf(await reached(store, await send(store, 'known'), 'FAILED'))).toBe('We are closed.');
    const secret = await reached(store, await send(store, 'unknown'), 'FAILED');
    expect(JSON.stringify(secret)).not.toContain('hunter2');
    expect(textOf(secret)).toBe('The agent failed unexpectedly.');
  });

  test('gives running turns back when it stops; another worker runs them as the same attempt', async () => {
    const bench = new Bench();
    const store = await bench.store();
    const attempts: number[] = [];
    let isSlow = true;
    const agent = agentThat(async (turn) => {
      attempts.push(turn.attempt);
      if (!isSlow) return turn.complete('at last');
      await new Promise((_, reject) => turn.signal.addEventListener('abort', () => reject(turn.signal.reason)));
      return turn.complete('never');
    });
    const first = await bench.worker(agent);
    const tasks = await Promise.all(Array.from({ length: 10 }, () => send(store, 'work')));
    await until(() => attempts.length === 10, { what: 'ten turns running' });
    isSlow = false;
    await bench.worker(agent);
    await first.stop();
    for (const taskId of tasks) await reached(store, taskId, 'COMPLETED');
    expect(attempts).toEqual(Array.from({ length: 20 }, () => 1));
  });

  test('waits up to DRAIN_MS for running turns when it stops', async () => {
    const bench = new Bench();
    const store = await bench.store();
    const begun = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const worker = await bench.worker(
      agentThat(async (turn) => {
        begun.resolve();
        await finish.promise;
        return turn.complete('in time');
      }),
      { drainMs: 5_000 },
    );
    const taskId = await send(store, 'work');
    await begun.promise;
    const stopped = worker.stop();
    finish.resolve();
    await stopped;
    expect(textOf(await read(store, taskId))).toBe('in time');
  });

  test('aborts a running turn when its task is canceled, and ends the task as canceled', async () => {
    const bench = new Bench();
    const store = await bench.store();
    const begun = Promise.withResolvers<void>();
    const reasons: unknown[] = [];
    await bench.worker(
      agentThat(async (turn) => {
        begun.resolve();
        await new Promise<void>((resolve) => turn.signal.addEventListener('abort', () => resolve()));
        reasons.push(turn.signal.reason.kind);
        throw turn.signal.reason;
      }),
    );
    const taskId = await send(store, 'work');
    await begun.promise;
    expect(await store.tasks.cancel(scope, taskId)).toBe('requested');
    await reached(store, taskId, 'CANCELED');
    expect(reasons).toEqual(['canceled']);
  });

  test('is fenced off when another worker has taken its turn over: the outcome of the other run counts', async () => {
    const bench = new Bench();
    const store = await bench.store({ sweepAfterMs: 300 });
    const release = Promise.withResolvers<void>();
    const reasons: string[] = [];
    await bench.worker(
      agentThat(async (turn) => {
        await release.promise;
        turn.signal.addEventListener('abort', () => reasons.push(turn.signal.reason.kind));
        await turn.working('am I still the owner?').catch(() => undefined);
        return turn.complete('the fenced run');
      }),
      { sweepAfterMs: 300 },
    );
    const taskId = await send(store, 'work');
    await until(() => bench.happened('turn-begun').length === 1, { what: 'the first run has begun' });
    const other = await begun(store, taskId, { started: 2, token: 'other' });
    release.resolve();
    await until(() => reasons.length === 1, { what: 'the fenced turn is aborted' });
    await other.publish({
      kind: 'status',
      state: 'TASK_STATE_COMPLETED',
      settles: true,
      message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'the owner' }] },
    });
    expect(reasons).toEqual(['taken-over']);
    expect(textOf(await read(store, taskId))).toBe('the owner');
  });

  test('fails a turn that takes longer than turnTimeoutMs of its agent', async () => {
    const bench = new Bench();
    const store = await bench.store();
    await bench.worker(
      agentThat(
        async (turn) => {
          await new Promise<void>((resolve) => turn.signal.addEventListener('abort', () => resolve()));
          throw turn.signal.reason;
        },
        { turnTimeoutMs: 100 },
      ),
    );
    expect(textOf(await reached(store, await send(store, 'dawdle'), 'FAILED'))).toBe(
      'The agent did not finish within 0.1 s.',
    );
  });

  test('lets a task wait in AUTH_REQUIRED, and runs the next turn when the client sends a message', async () => {
    const bench = new Bench();
    const store = await bench.store();
    await bench.worker(
      agentThat(async (turn) =>
        turn.text === 'granted' ? turn.complete('thanks') : turn.requireAuth('Please log in.'),
      ),
    );
    const taskId = await send(store, 'start');
    expect(textOf(await reached(store, taskId, 'AUTH_REQUIRED'))).toBe('Please log in.');
    await send(store, 'granted', { taskId });
    expect(textOf(await reached(store, taskId, 'COMPLETED'))).toBe('thanks');
  });

  test('announces its agents, and is no longer counted as their worker after it has stopped', async () => {
    const bench = new Bench();
    const store = await bench.store();
    const worker = await bench.worker(agentThat(async (turn) => turn.complete()));
    expect(await store.registry.list()).toMatchObject([{ id: 'test-agent', workers: 1, card: { name: 'Test agent' } }]);
    await worker.stop();
    expect(await store.registry.list()).toMatchObject([{ id: 'test-agent', workers: 0 }]);
  });
});

describe('a message with a time to live', () => {
  const sendLate = async (store: Store): Promise<string> => {
    const sent = await store.tasks.accept(scope, { message: message('late'), timeToLiveMs: 100 });
    if (sent.verdict !== 'accepted') throw new Error(sent.verdict);
    return sent.taskId;
  };
  const rejected = (taskId: string) => [{ kind: 'message-rejected', agent: 'test-agent', taskId }];

  test('is rejected while all slots are busy', async () => {
    const bench = new Bench();
    const store = await bench.store();
    const going = Promise.withResolvers<void>();
    const begun: string[] = [];
    const agent = agentThat(
      async (turn) => {
        begun.push(turn.text);
        await going.promise;
        return turn.complete();
      },
      { concurrency: 1 },
    );
    await bench.worker(agent);
    const first = await send(store, 'first');
    await until(() => begun.length === 1, { what: 'the slot is busy' });
    const late = await sendLate(store);
    await reached(store, late, 'REJECTED');
    await until(() => bench.happened('message-rejected').length > 0, { what: 'the worker says so' });
    going.resolve();
    await reached(store, first, 'COMPLETED');
    expect(begun).toEqual(['first']);
    expect(bench.happened('message-rejected')).toEqual(rejected(late));
  });

  test('is rejected, and counted once, by a worker that comes too late', async () => {
    const bench = new Bench();
    const store = await bench.store();
    const late = await sendLate(store);
    const isOver = async () => ((await new Ops(store).tasks.detail(late))?.beginBy ?? '') < new Date().toISOString();
    await until(isOver, { what: 'the time to live is over' });
    await bench.worker(agentThat(async (turn) => turn.complete()));
    await reached(store, late, 'REJECTED');
    await until(() => bench.happened('message-rejected').length > 0, { what: 'the worker says so' });
    expect(bench.happened('message-rejected')).toEqual(rejected(late));
    expect(bench.happened('turn-begun')).toEqual([]);
  });
});

describe('a turn that waits', () => {
  const waits = agentThat(
    async (turn) => {
      await turn.step('ask', () => 'asked');
      const { by } = Object(await turn.waitFor('approval', { timeout: '3 days' }));
      await turn.sleep(1_500);
      return turn.complete(`approved by ${by} in attempt ${turn.attempt}`);
    },
    { concurrency: 1 },
  );

  test('frees its slot, and goes on with an event, then at its time, in the same attempt', async () => {
    const bench = new Bench();
    const store = await bench.store();
    await bench.worker(waits);
    const tasks = [await send(store, 'one'), await send(store, 'two')];
    await until(() => bench.happened('turn-suspended').length === 2, { what: 'both turns wait in one slot' });
    expect(bench.happened('turn-suspended')[0]).toMatchObject({
      outcome: 'suspended',
      waitsFor: ['approval'],
      until: expect.stringMatching(/^\d{4}-/),
    });
    for (const taskId of tasks)
      expect(await store.waits.give(scope, taskId, { name: 'approval', data: '{"by":"Ann"}' })).toEqual({
        verdict: 'resumed',
      });
    for (const taskId of tasks)
      expect(textOf(await reached(store, taskId, 'COMPLETED'))).toBe('approved by Ann in attempt 1');
    expect(bench.happened('turn-begun')).toHaveLength(6);
  });

  test('is taken up by another worker, also if the event came while there was none', async () => {
    const bench = new Bench();
    const store = await bench.store();
    const first = await bench.worker(waits);
    const taskId = await send(store, 'one');
    await until(() => bench.happened('turn-suspended').length === 1, { what: 'the turn waits' });
    await first.stop();
    await store.waits.give(scope, taskId, { name: 'approval', data: '{"by":"Bob"}' });
    await bench.worker(waits);
    expect(textOf(await reached(store, taskId, 'COMPLETED'))).toBe('approved by Bob in attempt 1');
  });

  test('for the next attempt at a step is suspended for as long, also if it runs again earlier', async () => {
    const bench = new Bench();
    const store = await bench.store();
    const attempts: number[] = [];
    const pay = ({ attempt }: { attempt: number }) => {
      attempts.push(attempt);
      throw Object.assign(new Error('busy'), { retryAfterMs: 60_000 });
    };
    const agent = agentThat(async (turn) => {
      await Promise.all([turn.step('pay', pay, { attempts: 2 }), turn.waitFor('approval')]);
      return turn.complete();
    });
    await bench.worker(agent);
    const taskId = await send(store, 'one');
    await until(() => bench.happened('turn-suspended').length === 1, { what: 'the turn waits' });
    await store.waits.give(scope, taskId, { name: 'approval', data: '1' });
    await until(() => bench.happened('turn-suspended').length === 2, { what: 'the turn waits again' });
    expect(bench.happened('turn-suspended')[1]).toMatchObject({ outcome: 'suspended', waitsFor: ['time'] });
    expect(attempts).toEqual([1]);
    await store.tasks.cancel(scope, taskId);
    await reached(store, taskId, 'CANCELED');
  });

  test('has a callback URL on the gateway’s address, or says what is missing', async () => {
    const bench = new Bench();
    const store = await bench.store();
    const agent = agentThat(async (turn) => turn.complete(await turn.callbackUrl('payment').catch(String)));
    await bench.worker(agent, { publicUrl: 'https://agents.example.com/base' });
    const taskId = await send(store, 'one');
    const url = textOf(await reached(store, taskId, 'COMPLETED')) ?? '';
    expect(url).toMatch(new RegExp(`^https://agents.example.com/base/callbacks/${taskId}/[\\w-]{32}$`));
  });
});
