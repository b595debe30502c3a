import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { parseRedisAddress, type RedisAccess, type RedisAddress } from './address.ts';
import { RedisUnreachable } from './errors.ts';

/** One connection to a Redis, or the connections to a Cluster's nodes. */
export type RedisConnection = Redis | Cluster;

export interface Connections {
  /** Scripts, reads and the queue's adds: commands issued together cost one round trip. */
  readonly commands: RedisConnection;
  /** Commands followed by WAIT, which would delay the others. */
  readonly replicated?: RedisConnection;
}

/** Not yet connected: `connect()` is the store's `start`. @throws {RedisUnusable} the address cannot be used */
export function createConnections(given: RedisAccess, { isReplicated }: { isReplicated: boolean }): Connections {
  const address = addressOf(given);
  const connections = {
    commands: createConnection(address),
    ...(isReplicated && { replicated: createConnection(address) }),
  };
  // Each queue adds listeners, and there is one per agent and shard. BullMQ adds 3 to the limit for each, and would make
  // a limit of 3 of Node's 0, which means no limit, too.
  for (const connection of Object.values(connections)) connection.setMaxListeners(Number.POSITIVE_INFINITY);
  return connections;
}

/** @throws {RedisUnusable} */
export function addressOf({ redisUrl, redisPassword, redisCa }: RedisAccess): RedisAddress {
  const address = parseRedisAddress(redisUrl);
  return {
    ...address,
    ...(redisPassword && { password: redisPassword }),
    ...(address.tls && redisCa && { tls: { ca: redisCa } }),
  };
}

/** How long a Redis may take to start: it may have been started together with this process. */
const START_WITHIN_MS = 5_000;

/** Connects, with retries. Rejects with the error of the first attempt. */
export async function connectWithRetries(connection: RedisConnection): Promise<void> {
  // An earlier start has opened it.
  if (connection.status === 'ready') return;
  try {
    await connection.connect();
  } catch (cause) {
    if (connection.status === 'end') throw unreachable(cause); // it was disconnected meanwhile
    // ioredis retries by itself.
    await new Promise<void>((resolve, reject) => {
      const isReady = (): void => {
        clearTimeout(late);
        resolve();
      };
      const late = setTimeout(() => {
        connection.off('ready', isReady);
        reject(unreachable(cause));
      }, START_WITHIN_MS);
      connection.once('ready', isReady);
    });
  }
}

/** Opens a connection for one short use. @throws {RedisUnusable} Redis does not answer, or the address is wrong */
export async function onConnection<Used>(
  access: RedisAccess,
  use: (redis: RedisConnection) => Promise<Used>,
): Promise<Used> {
  const { commands } = createConnections(access, { isReplicated: false });
  commands.on('error', () => undefined); // commands reject with the error
  let late: NodeJS.Timeout | undefined;
  // A frozen Redis accepts connections, but never answers.
  const deadline = new Promise<never>((_, reject) => {
    late = setTimeout(() => reject(unreachable()), START_WITHIN_MS);
  });
  try {
    return await Promise.race([connectWithRetries(commands).then(() => use(commands)), deadline]);
  } finally {
    clearTimeout(late);
    commands.disconnect();
  }
}

const unreachable = (cause?: unknown): RedisUnreachable =>
  new RedisUnreachable(
    `Redis did not answer within ${START_WITHIN_MS / 1_000} s: is it running where REDIS_URL says?`,
    {
      cause,
    },
  );

/** How often a connection of its own that blocks looks where its shard is, besides after errors. */
const BLOCKING_REFRESH_MS = 5_000;

/** A connection for commands that block. It connects with its first command. */
export function waitingConnection(redis: RedisConnection): RedisConnection {
  return redis instanceof Cluster
    ? rejectUnanswered(withSafeAsking(redis.duplicate([], { slotsRefreshInterval: BLOCKING_REFRESH_MS })))
    : rejectUnanswered(redis.duplicate());
}

/** How long to wait before a connection is tried again. */
export const retryDelayMs = (attempt: number): number => Math.min(50 * 2 ** Math.min(attempt, 5), 1_000);

/** The master became a replica: reconnects to find the new one, and sends the command there. */
const reconnectOnError = (error: Error): false | 2 => (error.message.startsWith('READONLY') ? 2 : false);

// Auto-pipelining stays off: it makes BullMQ slower, and brought nothing here (docs/performance.md). Commands wait for
// a connection that comes back; a caller that must not wait sets a deadline.
// A frozen server does not close its end: commands go to the new master only once the socket is destroyed.
const COMMON = { lazyConnect: true, maxRetriesPerRequest: null, connectTimeout: 3_000, disconnectTimeout: 500 };
const STANDALONE = { ...COMMON, retryStrategy: retryDelayMs, reconnectOnError };
/**
 * A frozen master keeps its connections open: only the sentinels report that there is a new master. A frozen sentinel
 * does the same: without a time limit it would be asked for ever, and the others never.
 */
const SENTINEL = {
  ...STANDALONE,
  failoverDetector: true,
  sentinelRetryStrategy: retryDelayMs,
  sentinelCommandTimeout: COMMON.connectTimeout,
};
/** With ioredis' defaults, adds fail and workers hang when a master is killed. */
const CLUSTER = {
  lazyConnect: true,
  enableReadyCheck: false,
  maxRedirections: 1_000,
  slotsRefreshInterval: 1_000,
  // The default of 1 s is too short on a machine that starts everything at once.
  slotsRefreshTimeout: 2_000,
  clusterRetryStrategy: retryDelayMs,
} as const;

/**
 * While a slot moves, ioredis sends ASKING before a command, and drops its promise: if the connection is closed then,
 * as when a master is removed, an error that nobody handles would end the process. The command itself fails as well.
 */
function withSafeAsking(cluster: Cluster): Cluster {
  return cluster.on('+node', (node: Redis) => {
    const ask = node.asking.bind(node);
    node.asking = () => {
      const asked = ask();
      asked.catch(() => undefined);
      return asked;
    };
  });
}

type Sent = Parameters<Cluster['sendCommand']>[0];
/** The commands of pipelines. */
const sentTogether = new WeakMap<object, Set<Sent>>();

/** Whether all commands of a pipeline are settled; also those that come later, as all are sent in one go. */
function isRefusedWhole(stream: object, command: Sent): boolean {
  const commands = sentTogether.get(stream) ?? new Set();
  sentTogether.set(stream, commands.add(command));
  for (const each of commands) if (!each.isSettled) return false;
  return true;
}

/**
 * ioredis sends commands again after a reconnection, and those of its queue. Without this it would also send those that
 * their deadline has rejected: what a caller was refused would happen minutes later, and undo what came in between.
 *
 * A pipeline, of which some commands may have been rejected a millisecond before the others, is sent again or not as a
 * whole: ioredis writes it together, waits for all of it, and would take replies for those of other commands.
 */
function forgetRefused<Connection extends RedisConnection>(connection: Connection): Connection {
  const send: Cluster['sendCommand'] = connection.sendCommand.bind(connection);
  const sendCommand: Cluster['sendCommand'] = (command, stream, node) => {
    const isRefused = stream ? isRefusedWhole(stream, command) : command.isSettled;
    return isRefused ? command.promise : send(command, stream, node);
  };
  return Object.assign(connection, { sendCommand });
}

/** What ioredis has besides its types. */
interface Insides {
  /** Commands that it sends again after the next reconnection. */
  readonly prevCommandQueue?: { shift(): { readonly command: Sent } | undefined } | null;
  flushQueue(error: Error): void;
  setStatus(status: 'end'): void;
}

/**
 * `disconnect` rejects all commands that have no reply. ioredis forgets those that it would have sent again, and,
 * between two attempts to connect, all others, too (redis/ioredis#2169): a process that waits for them would never stop.
 */
function rejectUnanswered<Connection extends RedisConnection>(connection: Connection): Connection {
  const end = connection.disconnect.bind(connection);
  const insides = connection as unknown as Insides;
  const disconnect = (reconnect = false): void => {
    const isBetweenAttempts = connection.status === 'reconnecting';
    end(reconnect);
    if (reconnect) return;
    const closed = new Error('Connection is closed.');
    for (let item = insides.prevCommandQueue?.shift(); item; item = insides.prevCommandQueue?.shift())
      item.command.reject(closed);
    if (!isBetweenAttempts) return;
    insides.flushQueue(closed);
    insides.setStatus('end');
  };
  return Object.assign(connection, { disconnect });
}

/** With what ioredis lacks. */
const ours = <Connection extends RedisConnection>(connection: Connection): Connection =>
  rejectUnanswered(forgetRefused(connection));

function createConnection(address: RedisAddress): RedisConnection {
  const { kind, nodes, master: _, database: __, ...access } = address;
  if (kind !== 'cluster') return createRedis(address);
  const cluster = new Cluster([...nodes], { ...CLUSTER, redisOptions: { ...COMMON, ...access } });
  return ours(withSafeAsking(cluster.on('+node', forgetRefused)));
}

/** A connection to one Redis, or to the master that the sentinels name. */
export function createRedis(
  { kind, nodes, master, database, ...access }: RedisAddress,
  more: Pick<RedisOptions, 'retryStrategy' | 'autoResubscribe'> = {},
): Redis {
  if (kind === 'sentinel') {
    const encryption = access.tls && { enableTLSForSentinelMode: true, sentinelTLS: access.tls };
    const sentinels = { ...encryption, sentinels: [...nodes], name: master };
    return ours(new Redis({ ...SENTINEL, ...access, ...sentinels, db: database, ...more }));
  }
  const [{ host, port } = { host: '127.0.0.1', port: 6379 }] = nodes;
  return ours(new Redis({ ...STANDALONE, ...access, host, port, db: database, ...more }));
}
