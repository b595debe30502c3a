import { randomUUID } from 'node:crypto';
import { Pace } from '@switchyard/pace';
import type { TurnEvent } from '@switchyard/protocol';
import type { OpenDeliveryQueue } from '@switchyard/push';
import { createConnections, mastersOf, type RedisConnection } from '@switchyard/redis';
import { beginScheduledScript } from '@switchyard/schedules';
import { Cluster, type Redis } from 'ioredis';
import { uniquePrefix } from '../../../../tests/support/prefix.ts';
import { until } from '../../../../tests/support/until.ts';
import { ownerOf } from '../../src/deployment/scope.ts';
import { Shards } from '../../src/deployment/shards.ts';
import { type OpenTurn, Store, type StoreSettings } from '../../src/index.ts';
import { sweepScript } from '../../src/outbox/outbox.ts';
import type { AgentQueue } from '../../src/queue/agent-queue.ts';
import { QueueLoads } from '../../src/queue/load.ts';
import { queueRoot } from '../../src/queue/queue-names.ts';
import type { RunningJob } from '../../src/queue/running-job.ts';
import { recordArgValues } from '../../src/record/record-args.ts';
import { accepted, begun, userMessage } from '../support/drive.ts';
import { alice, onStore, type TestStore } from '../support/redis.ts';
import { queueOf } from '../support/runs.ts';
import { turnTaker } from '../support/take-turns.ts';

/** A store on a private Redis that the tests disturb, with functions that prepare its contents. */
export class Stage implements AsyncDisposable {
  readonly store: TestStore;
  /** A connection with the same options as that of the store. */
  readonly #commands: RedisConnection;
  readonly #shards: Shards;
  readonly queue: AgentQueue;
  readonly loads: QueueLoads;
  /** As that of the store, but it waits until Redis comes back. */
  readonly pace: Pace;
  /** The keys of the queue of the agent `echo`. */
  readonly queueRoot: string;

  private constructor(redisUrl: string, settings: Partial<StoreSettings>) {
    const store = new Store({ redisUrl, prefix: uniquePrefix(), ...settings }, () => undefined);
    this.store = Object.assign(store, onStore(store));
    this.#commands = createConnections({ redisUrl }, { isReplicated: false }).commands;
    const { prefix, shards } = this.store.settings;
    this.#shards = new Shards(prefix, shards);
    const keys = this.#shards.of('');
    this.queue = queueOf(this.store, this.#commands, { processId: 'taker' });
    this.queueRoot = queueRoot('echo', keys);
    this.pace = new Pace({ ...this.store.inside, redis: this.#commands }, 60_000);
    this.loads = new QueueLoads(this.#commands, { maxWaitMs: 1_000, maxWaiting: 0 });
  }

  static async open(redisUrl: string, settings: Partial<StoreSettings> = {}): Promise<Stage> {
    const stage = new Stage(redisUrl, settings);
    await stage.store.start();
    await stage.#commands.ping(); // a Cluster knows its masters only then
    // The first command of a queue needs another round trip, which the tests must not see.
    await Promise.all(['echo', 'kitchen'].map((agent) => stage.store.queue.waiting(agent)));
    return stage;
  }

  /** All keys of the store with their dumped values. */
  async contents(): Promise<Readonly<Record<string, string>>> {
    const isCluster = this.#commands instanceof Cluster;
    const dumpsOf = async (node: Redis): Promise<(readonly [key: string, dump: string])[]> => {
      const keys = await node.keys(`${this.store.settings.prefix}*`);
      const dumped = keys.map((key) => {
        if (isCluster) void node.asking(); // the slot may be moving to this node
        return node.dumpBuffer(key);
      });
      return (await Promise.all(dumped)).map((dump, i) => [keys[i] ?? '', dump?.toString('base64') ?? '']);
    };
    return Object.fromEntries((await Promise.all(mastersOf(this.#commands).map(dumpsOf))).flat().sort());
  }

  /** The connection and keys that functions of the store need. */
  get port(): { readonly redis: RedisConnection; readonly shards: Shards } {
    return { redis: this.#commands, shards: this.#shards };
  }

  /** Takes jobs like a worker of the agent. @returns their ids */
  async takeJobs(prefix: string): Promise<readonly string[]> {
    return (await turnTaker(this.store, this.#commands)(prefix)).map(({ id }) => id);
  }

  /** Adds a job, and takes it. */
  async takenJob(): Promise<RunningJob> {
    await accepted(this.store, alice);
    const { jobs } = await this.queue.take({ taker: 'taker', number: 1, count: 1, kinds: 'any' });
    const [job] = jobs;
    if (!job) throw new Error('no job was taken');
    return job;
  }

  /** Creates a task with a finished step. @returns its id */
  async taskWithStep(name: string): Promise<string> {
    const turn = await this.turn();
    await this.store.steps.begin(turn, `step ${name}`);
    await this.store.steps.end(turn, `step ${name}`, '1');
    return turn.start.taskId;
  }

  async turn(): Promise<OpenTurn> {
    const { taskId } = await accepted(this.store, alice, userMessage('hello', { contextId: 'context' }));
    return begun(this.store, taskId);
  }

  /** Suspends a turn whose time has come. */
  async suspendedTurn(): Promise<void> {
    const turn = await this.turn();
    await turn.suspend({ dueMs: Date.now() + 3_600_000, events: [], waits: [] });
    await this.#commands.zadd(this.#shards.of(turn.start.taskId).suspended, 'XX', 1, turn.start.taskId);
  }

  /** Accepts a message whose time to live has ended. */
  async unbegunMessage(): Promise<void> {
    const sent = await this.store.tasks.accept(alice, { message: userMessage(), timeToLiveMs: 1 });
    if (sent.verdict !== 'accepted') throw new Error(sent.verdict);
    await until(
      async () => Number(await this.#commands.zscore(this.#shards.of('').beginBy, sent.taskId)) < Date.now() - 1,
      {
        what: 'the time to live has ended',
      },
    );
  }

  /** Creates a scheduled task that is due. @returns its id */
  async scheduledTask(): Promise<string> {
    const schedule = { at: new Date(0).toISOString() };
    const acceptance = await this.store.tasks.accept(alice, { message: userMessage(), schedule });
    if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
    return acceptance.taskId;
  }

  /** Sweeps a task that this process has claimed. @returns the verdict */
  async sweep(taskId: string): Promise<string> {
    const keys = this.#shards.of('').record(taskId);
    const claimedMs = (await this.#commands.zscore(keys.outbox, taskId)) ?? 0;
    const args = { ...recordArgValues(taskId, this.store.settings), claimedMs };
    return (await sweepScript.run(this.#commands, { keys: { ...keys, root: this.queueRoot }, args }))[0];
  }

  async beginScheduled(taskId: string): Promise<string> {
    const keys = { ...this.#shards.of('').record(taskId), queueRoot: this.queueRoot };
    const args = { owner: ownerOf(alice), hasNext: '' };
    const call = { keys, args: { ...recordArgValues(taskId, this.store.settings), ...args } };
    return (await beginScheduledScript.run(this.#commands, call))[0];
  }

  /** Creates a completed task. @returns its id */
  async endedTask(): Promise<string> {
    const turn = await this.turn();
    await turn.publish(outcome('COMPLETED'));
    return turn.start.taskId;
  }

  /** Creates a task with a webhook that has an undelivered event. @returns the id of the task */
  async webhook(): Promise<string> {
    const acceptance = await this.store.tasks.accept(alice, {
      message: userMessage(),
      webhook: { id: 'a', url: 'https://client.example.com/hook' },
    });
    if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
    return acceptance.taskId;
  }

  async deliveryQueue(): Promise<OpenDeliveryQueue> {
    const taskId = await this.webhook();
    const queue = await this.store.deliveries.open({ taskId, number: 1, job: 1, token: randomUUID() });
    if (typeof queue === 'string') throw new Error(queue);
    return queue;
  }

  /** Creates a dead letter of a webhook. @returns its id */
  async deadLetter(): Promise<string> {
    const queue = await this.deliveryQueue();
    await queue.deadLetter({ origin: 'https://client.example.com', reason: 'the answer was 400', attempts: 9 });
    return `${queue.id.taskId}.1`;
  }

  async conversation(turn: OpenTurn): Promise<string> {
    return this.store.conversations.open(turn, { seed: 'one', toAgent: 'kitchen', maxTurns: 3 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#commands.disconnect();
    await this.store.stop();
  }
}

export function outcome(state: 'COMPLETED' | 'FAILED' | 'AUTH_REQUIRED'): TurnEvent {
  return { kind: 'status', state: `TASK_STATE_${state}`, settles: state !== 'AUTH_REQUIRED' };
}
