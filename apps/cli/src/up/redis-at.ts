import { connect } from 'node:net';
import { urlHost } from '@switchyard/settings';
import { parseRedisAddress, type RedisAddress } from '@switchyard/store';

const TIMEOUT_MS = 2_000;

/** @throws {Error} no server listens at any host of the URL; the message says what to do */
export async function requireRedisAt(redisUrl: string, command: string): Promise<void> {
  const { nodes } = parseRedisAddress(redisUrl);
  const isThere = await Promise.all(nodes.map(listens));
  if (isThere.includes(true)) return;
  const hosts = nodes.map(({ host, port }) => `${urlHost(host)}:${port}`);
  throw new Error(
    `nothing listens at ${hosts.join(', ')}, where REDIS_URL says that Redis is. ` +
      `Start Redis there or correct REDIS_URL; without it, ${command} runs a Redis of its own.`,
  );
}

function listens({ host, port }: RedisAddress['nodes'][number]): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const answer = (listening: boolean) => (): void => {
      socket.destroy();
      resolve(listening);
    };
    socket.setTimeout(TIMEOUT_MS, answer(false)).on('connect', answer(true)).on('error', answer(false));
  });
}
