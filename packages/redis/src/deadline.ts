import type { Cluster } from 'ioredis';
import type { RedisConnection } from './connection.ts';
import { RedisUnavailable } from './errors.ts';
import type { HealthCheck } from './health-check.ts';

/** How long a request waits for Redis. */
export interface Deadline {
  readonly ms: number;
  readonly health: Pick<HealthCheck, 'isAnswering' | 'isAnsweringFor'>;
}

/**
 * The same connection for requests of clients, which must not wait until Redis comes back. While Redis is known to be
 * unreachable nothing is sent, so that an outage piles up no commands of callers that have gone. A command that was sent
 * may still be executed after it was rejected, by a Redis that was slow: a retry of the request finds its effect. It is
 * not sent again after that (`connection.ts`).
 */
export function withDeadline(redis: RedisConnection, { ms, health }: Deadline): RedisConnection {
  const send: Cluster['sendCommand'] = redis.sendCommand.bind(redis);
  /** A pipeline is sent or refused as a whole: ioredis would wait for the replies of commands that were not sent. */
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
      command.reject(new RedisUnavailable());
      return command.promise;
    }
    command.setTimeout(ms);
    return send(command, stream, node);
  };
  // Every command and pipeline of ioredis ends in this method; all others are the connection's own.
  return Object.create(redis, { sendCommand: { value: sendCommand } });
}
