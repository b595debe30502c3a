import type { Cluster } from 'ioredis';
import type { RedisConnection } from './connection.ts';
import { RedisAway } from './errors.ts';
import type { HealthCheck } from './health-check.ts';

/** How long a request waits for Redis. */
export interface Deadline {
  readonly ms: number;
  readonly health: Pick<HealthCheck, 'isAnswering' | 'isAnsweringFor'>;
}

/**
 * The same connection for requests: commands wait for a Redis that comes back, clients should not. While it is known to
 * be away nothing is sent at all, so that an outage gathers no commands of callers who have long gone.
 * A command that was sent may still be done after its caller was sent away: a retry finds what it has done.
 */
export function withDeadline(redis: RedisConnection, { ms, health }: Deadline): RedisConnection {
  const send: Cluster['sendCommand'] = redis.sendCommand.bind(redis);
  /** By pipeline, which is sent or refused as a whole: of a part ioredis would wait for replies that never come. */
  const decisions = new WeakMap<object, boolean>();
  const isToBeSent: (...call: Parameters<typeof send>) => boolean = (command, stream, node) => {
    const decided = stream && decisions.get(stream);
    if (decided !== undefined) return decided;
    const isAnswering = health.isAnsweringFor(command, node?.slot);
    if (stream) decisions.set(stream, isAnswering);
    return isAnswering;
  };
  const sendCommand: Cluster['sendCommand'] = (command, stream, node) => {
    if (!isToBeSent(command, stream, node)) {
      command.reject(new RedisAway());
      return command.promise;
    }
    command.setTimeout(ms);
    return send(command, stream, node);
  };
  // Every command and pipeline of ioredis ends in this method; all else is the connection's own.
  return Object.create(redis, { sendCommand: { value: sendCommand } });
}
