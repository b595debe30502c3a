import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  Channels,
  type Connections,
  channelServers,
  connectWithRetries,
  createConnections,
  type Deadline,
  HealthCheck,
  ioredisProblem,
  type RedisConnection,
  RedisUnusable,
  withDeadline,
} from '@switchyard/redis';
import { Migrator, Schema } from '@switchyard/schema';
import type { TaskArchive } from './archive/task-archive.ts';
import { Calls } from './calls/calls.ts';
import { Orphans } from './calls/orphans.ts';
import { checkDeployment, deploymentId } from './deployment/deployment.ts';
import { Observer, type StoreObserver } from './deployment/observer.ts';
import { defaultStoreSettings, type StoreSettings } from './deployment/settings.ts';
import { PerShard, Shards } from './deployment/shards.ts';
import { Encryption } from './encryption/encryption.ts';
import { Feeds } from './feed/feeds.ts';
import { Memory } from './memory/memory.ts';
import { Outbox } from './outbox/outbox.ts';
import type { ConsumerDependencies } from './queue/consumer.ts';
import { Isolation } from './queue/isolation.ts';
import { Lease } from './queue/lease.ts';
import { QueueLoads } from './queue/load.ts';
import { Queues } from './queue/queues.ts';
import { ShardChecks } from './queue/shard-checks.ts';
import { WakeUps } from './queue/wake-ups.ts';
import { Registry } from './registry/registry.ts';
import { Steps } from './steps/steps.ts';
import type { AcceptDependencies } from './tasks/accept/accept.ts';
import { NewTasks } from './tasks/accept/new-tasks.ts';
import type { DeleteDependencies } from './tasks/delete/delete.ts';
import { ByteBudget } from './tasks/read/byte-budget.ts';
import { LargeTasks } from './tasks/read/large-tasks.ts';
import { type CachedReadDependencies, taskReads } from './tasks/read/read.ts';
import { TaskCache } from './tasks/read/task-cache.ts';
import { Tasks } from './tasks/tasks.ts';
import { TimesToLive } from './time-to-live/times-to-live.ts';
import { Turns } from './turns/turns.ts';
import { Waits } from './waits/waits.ts';

/** How long a program that ends waits for Redis to unregister it. Its registration expires soon anyway. */
const LEAVE_WITHIN_MS = 500;

export type Availability = 'writable' | 'refuses-writes' | 'unreachable';

/** The parts of a store that requests of clients and operators are served with. */
export interface RequestStore extends Pick<Store, 'tasks' | 'inside'> {
  readonly waits: Pick<Waits, 'give' | 'giveByCallback'>;
}

/** What all parts of a store share. */
interface Common {
  readonly shards: Shards;
  readonly health: Deadline['health'];
  readonly settings: StoreSettings;
  readonly consumers: ConsumerDependencies;
  readonly cache: TaskCache;
  readonly largeTasks: LargeTasks;
  readonly encryption: Encryption;
  readonly observer: Observer;
  readonly archive: TaskArchive | undefined;
  readonly onError: (error: Error) => void;
}

/** How parts of a store reach Redis. */
interface RedisDependencies {
  readonly redis: RedisConnection;
  readonly replicated: RedisConnection | undefined;
  readonly queue: Queues;
  /** Unset: commands wait for Redis. */
  readonly deadline?: Deadline;
}

/** What packages above the store build on. */
export interface StoreInside extends DeleteDependencies, AcceptDependencies, CachedReadDependencies {
  readonly channels: Channels;
  readonly registry: Registry;
  readonly settings: StoreSettings;
  readonly encryption: Encryption;
  readonly consumers: ConsumerDependencies;
  readonly health: Deadline['health'];
}

/** Everything that Switchyard keeps in Redis. */
export class Store {
  readonly tasks: Tasks;
  readonly feeds: Feeds;
  readonly turns: Turns;
  readonly steps: Steps;
  readonly waits: Waits;
  readonly timesToLive: TimesToLive;
  readonly calls: Calls;
  readonly orphans: Orphans;
  readonly memory: Memory;
  readonly queue: Queues;
  readonly outbox: Outbox;
  /** Tells a process which work is due, besides jobs. */
  readonly dueWork: Pick<ShardChecks, 'listen'>;
  readonly registry: Registry;
  /** For packages that build on the store: see `inside.ts`. */
  readonly inside: StoreInside;
  readonly schema: Schema;
  readonly migrator: Migrator;
  readonly settings: StoreSettings;
  /** Names this process in records, leases and reports. Contains no colon and no blank. */
  readonly processId = `${hostname()}-${randomUUID().slice(0, 8)}`;
  readonly #connections: Connections;
  readonly #healthCheck: HealthCheck;
  readonly #leases: PerShard<Lease>;
  readonly #shards: Shards;
  readonly #channels: Channels;
  readonly #common: Common;
  #stopped: Promise<void> | undefined;

  /**
   * Does not connect: see `start`.
   * @param onError gets errors of the connections, which reconnect by themselves, and of damaged tasks that lists leave out
   * @param archive has the tasks that Redis has forgotten; unset: they are gone
   */
  constructor(
    settings: Partial<StoreSettings> & Pick<StoreSettings, 'redisUrl'>,
    onError: (error: Error) => void,
    archive?: TaskArchive,
  ) {
    this.settings = { ...defaultStoreSettings, ...settings };
    const { prefix, shards: shardCount, deployment, waitReplicas } = this.settings;
    this.#connections = createConnections(this.settings, { isReplicated: waitReplicas > 0 });
    for (const connection of Object.values(this.#connections)) connection.on('error', onError);
    const redis = this.#connections.commands;
    const shards = new Shards(prefix, shardCount, deployment);
    this.#shards = shards;
    const channels = new Channels(channelServers(this.settings, redis), onError);
    this.#channels = channels;
    this.#healthCheck = new HealthCheck(redis, channels);
    this.queue = new Queues(redis, shards);
    const { leaseMs } = this.settings;
    const { processId } = this;
    this.#leases = new PerShard((keys) => new Lease({ redis, leaseMs, processId, onError }, keys));
    const wakeUps = new WakeUps(redis, processId, onError);
    const checks = new ShardChecks({ redis, shards, wakeUps, settings: this.settings, onError });
    this.dueWork = checks;
    const process = { leases: this.#leases, wakeUps, checks, isolation: new Isolation(), processId };
    this.#common = {
      shards,
      health: this.#healthCheck,
      settings: this.settings,
      consumers: { shards, ...process },
      cache: new TaskCache(this.settings.readCacheBytes),
      largeTasks: new LargeTasks(new ByteBudget(this.settings.maxAnswerBytes)),
      encryption: new Encryption(this.settings.pushSecrets),
      observer: new Observer(),
      archive,
      onError,
    };
    const dependencies = this.#dependenciesOver({ redis, replicated: this.#connections.replicated, queue: this.queue });
    this.tasks = new Tasks(dependencies);
    this.turns = new Turns(dependencies, channels);
    this.steps = new Steps(dependencies);
    this.waits = new Waits(dependencies);
    this.timesToLive = new TimesToLive(dependencies);
    this.calls = new Calls(dependencies);
    this.memory = new Memory(dependencies);
    this.orphans = new Orphans(dependencies);
    this.outbox = new Outbox(dependencies);
    this.feeds = new Feeds(dependencies, channels, this.settings);
    this.registry = new Registry(redis, channels, prefix);
    this.inside = { ...dependencies, channels, registry: this.registry };
    this.schema = new Schema(redis, { prefix, shards: shardCount, deployment, program: processId });
    // In the order in which they run. A version that changes no stored data has none; the first version has none.
    this.migrator = new Migrator({ redis, prefix, processId, schema: this.schema }, []);
  }

  /**
   * The parts that serve requests: no command waits longer than `timeoutMs`, and none waits while Redis is unreachable.
   * They reject with errors that `isOutage` recognises.
   */
  forRequests(timeoutMs: number): RequestStore {
    const { commands, replicated } = this.#connections;
    const deadline = { ms: timeoutMs, health: this.#healthCheck };
    const redis = withDeadline(commands, deadline);
    const dependencies = this.#dependenciesOver({
      redis,
      replicated: replicated && withDeadline(replicated, deadline),
      queue: new Queues(redis, this.#shards),
      deadline,
    });
    const { prefix } = this.settings;
    const registry = new Registry(redis, this.#channels, prefix);
    return {
      tasks: new Tasks(dependencies),
      waits: new Waits(dependencies),
      inside: { ...dependencies, channels: this.#channels, registry },
    };
  }

  /**
   * @param as a reader is not registered as a program that works here, for example a command
   * @throws {RedisUnusable} Redis does not answer, may evict keys, or has data that this release must not work with
   */
  async start(as: 'program' | 'reader' = 'program'): Promise<void> {
    const problem = ioredisProblem();
    if (problem) throw new RedisUnusable(problem);
    // Before, so that requests do not wait, and are not executed later, while Redis has not been reached.
    this.#healthCheck.start();
    await Promise.all(Object.values(this.#connections).map(connectWithRetries));
    await checkDeployment(this.#connections.commands, this.settings);
    await (as === 'program' ? this.schema.register() : this.schema.read());
    this.feeds.start();
  }

  /** Ends open feeds and the connections. Idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** Sets the observer, in place of an earlier one. */
  observe(observer: StoreObserver): void {
    this.#common.observer.target = observer;
  }

  /** A random id of the deployment: the same as long as Redis has its data. */
  deploymentId(): Promise<string> {
    return deploymentId(this.#connections.commands, this.settings.prefix);
  }

  /** Whether Redis answers, by the last health check: known without a round trip. */
  get isAnswering(): boolean {
    return this.#healthCheck.isAnswering;
  }

  /** Bytes of large tasks that are being read or sent: see `maxAnswerBytes`. */
  get answerBytes(): number {
    return this.#common.largeTasks.bytes;
  }

  /**
   * Writes a key of each shard to check its master: a server that is full, has a full disk or became a replica answers
   * PING, but accepts no work.
   */
  async availability(timeoutMs = 1_000): Promise<Availability> {
    const redis = withDeadline(this.#connections.commands, { ms: timeoutMs, health: this.#healthCheck });
    try {
      await Promise.all(this.#shards.all.map(({ writable }) => redis.set(writable, '', 'EX', 1)));
      return 'writable';
    } catch (error) {
      return error instanceof Error && error.name === 'ReplyError' ? 'refuses-writes' : 'unreachable';
    }
  }

  #dependenciesOver(dependencies: RedisDependencies) {
    const base = { ...this.#common, ...dependencies };
    const { maxQueueWaitMs, maxWaiting } = this.settings;
    return {
      ...base,
      reads: taskReads(base),
      newTasks: new NewTasks(base),
      loads: new QueueLoads(base.redis, { maxWaitMs: maxQueueWaitMs, maxWaiting }),
    };
  }

  async #stop(): Promise<void> {
    this.#healthCheck.stop();
    for (const lease of this.#leases.made) lease.stop();
    this.feeds.stop();
    const deadline = { ms: LEAVE_WITHIN_MS, health: this.#healthCheck };
    await this.schema.leave(withDeadline(this.#connections.commands, deadline));
    for (const connection of Object.values(this.#connections)) connection.disconnect();
    this.#channels.stop();
  }
}
