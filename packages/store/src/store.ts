import { randomUUID } from 'node:crypto';
import { Calls } from './calls/calls.ts';
import { Orphans } from './calls/orphans.ts';
import { conversationsOf } from './conversations/conversation-reader.ts';
import { Conversations } from './conversations/conversations.ts';
import { DeadTurns } from './dead-turns/dead-turns.ts';
import { Feeds } from './feed/feeds.ts';
import { Memory } from './memory/memory.ts';
import { Ops } from './ops/ops.ts';
import { Workers } from './ops/workers.ts';
import { Outbox } from './outbox/outbox.ts';
import { Push } from './push/push.ts';
import { bullmqProblem } from './queue/bullmq-version.ts';
import type { ConsumerPort } from './queue/consumer.ts';
import { Isolation } from './queue/isolation.ts';
import { Leases } from './queue/leases.ts';
import { Queue } from './queue/queue.ts';
import { Channels } from './redis/channels.ts';
import { checkDeployment } from './redis/check-deployment.ts';
import { type Connections, connectPatiently, createConnections } from './redis/connection.ts';
import { HealthCheck } from './redis/health-check.ts';
import { defaultStoreSettings, type StoreSettings } from './redis/settings.ts';
import { Shards } from './redis/shards.ts';
import { StoreError } from './redis/store-error.ts';
import { Registry } from './registry/registry.ts';
import { Steps } from './steps/steps.ts';
import { InterruptedTasks } from './tasks/interrupted-tasks.ts';
import { NewTasks } from './tasks/new-tasks.ts';
import { taskReads } from './tasks/read.ts';
import { TaskCache } from './tasks/task-cache.ts';
import { Tasks } from './tasks/tasks.ts';
import { Turns } from './turns/turns.ts';
import { Vault } from './vault/vault.ts';

export type Availability = 'writable' | 'refuses-writes' | 'unreachable';

/** Everything that Switchyard keeps in Redis. */
export class Store {
  readonly tasks: Tasks;
  readonly feeds: Feeds;
  readonly turns: Turns;
  readonly steps: Steps;
  readonly calls: Calls;
  readonly orphans: Orphans;
  readonly memory: Memory;
  readonly conversations: Conversations;
  readonly queue: Queue;
  readonly outbox: Outbox;
  readonly interrupted: InterruptedTasks;
  readonly deadTurns: DeadTurns;
  readonly push: Push;
  readonly registry: Registry;
  readonly ops: Ops;
  readonly settings: StoreSettings;
  readonly #connections: Connections;
  readonly #healthCheck: HealthCheck;
  readonly #leases: Leases;
  readonly #shards: Shards;
  #stopped: Promise<void> | undefined;

  /** Connects nothing yet: see `start`. @param onError failures of the connections; they come back by themselves */
  constructor(settings: Partial<StoreSettings> & Pick<StoreSettings, 'redisUrl'>, onError: (error: Error) => void) {
    this.settings = { ...defaultStoreSettings, ...settings };
    const { redisUrl, prefix, shards: shardCount, waitReplicas } = this.settings;
    this.#connections = createConnections(redisUrl, { isReplicated: waitReplicas > 0 });
    for (const connection of Object.values(this.#connections)) connection.on('error', onError);
    const redis = this.#connections.commands;
    this.#healthCheck = new HealthCheck(redis, this.#connections.subscriber);
    const shards = new Shards(prefix, shardCount);
    this.#shards = shards;
    const channels = new Channels(this.#connections.subscriber);
    this.queue = new Queue(redis, shards);
    const common = { redis, shards, settings: this.settings, replicated: this.#connections.replicated };
    const { lockMs } = this.settings;
    this.#leases = new Leases(redis, lockMs, onError);
    const process = { leases: this.#leases, isolation: new Isolation(), processId: randomUUID() };
    const consumers: ConsumerPort = { redis, shards, lockMs, ...process };
    const port = {
      ...common,
      consumers,
      queue: this.queue,
      cache: new TaskCache(this.settings.readCacheBytes),
      reads: taskReads(common),
      newTasks: new NewTasks(common),
      vault: new Vault(this.settings.pushSecrets),
      conversationsOf: conversationsOf(common),
    };
    this.tasks = new Tasks(port);
    this.turns = new Turns(port, channels);
    this.steps = new Steps(port);
    this.calls = new Calls(port);
    this.memory = new Memory(port);
    this.conversations = new Conversations(port, channels);
    this.orphans = new Orphans(port, channels, this.conversations);
    this.outbox = new Outbox(port);
    this.interrupted = new InterruptedTasks(port);
    this.deadTurns = new DeadTurns(port);
    this.push = new Push(port, channels);
    this.feeds = new Feeds(port, channels, this.settings);
    this.registry = new Registry(redis, channels, this.settings);
    const workers = new Workers(redis, channels, prefix);
    this.ops = new Ops({ ...port, registry: this.registry, workers, deadTurns: this.deadTurns, push: this.push });
  }

  /** @throws {StoreError} Redis does not answer, may evict keys, or holds a deployment with other shards. */
  async start(): Promise<void> {
    const problem = bullmqProblem();
    if (problem) throw new StoreError(problem);
    await Promise.all(Object.values(this.#connections).map(connectPatiently));
    await checkDeployment(this.#connections.commands, this.settings);
    this.#healthCheck.start();
    this.feeds.start();
  }

  /** Ends open feeds and the connections. Idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /**
   * Whether Redis answered a moment ago: known without asking. A request that comes while it does not need not wait.
   */
  get isAnswering(): boolean {
    return this.#healthCheck.isAnswering;
  }

  /** Asks Redis by writing: one that is full, a replica, or one whose disk is full answers and takes no work. */
  async availability(timeoutMs = 1_000): Promise<Availability> {
    const late = new Promise<'unreachable'>((resolve) => {
      setTimeout(() => resolve('unreachable'), timeoutMs).unref();
    });
    return Promise.race([this.#tryWriting(), late]);
  }

  /** A key of each shard, so that each master that has some is asked. */
  async #tryWriting(): Promise<Availability> {
    const { commands } = this.#connections;
    try {
      await Promise.all(this.#shards.all.map(({ writable }) => commands.set(writable, '', 'EX', 1)));
      return 'writable';
    } catch (error) {
      return error instanceof Error && error.name === 'ReplyError' ? 'refuses-writes' : 'unreachable';
    }
  }

  async #stop(): Promise<void> {
    this.#healthCheck.stop();
    this.#leases.stop();
    this.feeds.stop();
    await this.queue.stop();
    for (const connection of Object.values(this.#connections)) connection.disconnect();
  }
}
