import { connect } from 'node:net';

const TIMEOUT_MS = 2_000;

/** @throws {Error} no server listens at any host of the URL; the message says what to do */
export async function requireRedisAt(redisUrl: string, command: string): Promise<void> {
  const hosts = /^\w+(?:\+\w+)?:\/\/(?:[^@/]*@)?([^/?#]+)/.exec(redisUrl)?.[1]?.split(',') ?? [];
  const isThere = await Promise.all(hosts.map(listens));
  if (isThere.includes(true)) return;
  throw new Error(
    `nothing listens at ${hosts.join(', ')}, where REDIS_URL says that Redis is. ` +
      `Start Redis there or correct REDIS_URL; without it, ${command} runs a Redis of its own.`,
  );
}

function listens(address: string): Promise<boolean> {
  const { hostname, port } = new URL(`redis://${address}`);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) });
    const answer = (listening: boolean) => (): void => {
      socket.destroy();
      resolve(listening);
    };
    socket.setTimeout(TIMEOUT_MS, answer(false)).on('connect', answer(true)).on('error', answer(false));
  });
}
