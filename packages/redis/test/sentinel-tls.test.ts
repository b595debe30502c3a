import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { channelServers } from '../src/channel-servers.ts';
import { createConnections, type RedisConnection } from '../src/connection.ts';

/** The first byte of a TLS handshake. */
const HANDSHAKE = 0x16;

const tlsOptionsOf = (connection: RedisConnection | undefined): unknown => {
  if (!(connection instanceof Redis)) return undefined;
  const { enableTLSForSentinelMode, tls, sentinelTLS } = connection.options;
  return { enableTLSForSentinelMode, tls, sentinelTLS };
};

test('with rediss+sentinel:// the connections to the sentinels and to the master use TLS', async () => {
  const server = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const access = { redisUrl: `rediss+sentinel://:secret@127.0.0.1:${port}/mymaster`, redisCa: 'an authority' };
  const { commands, replicated } = createConnections(access, { isReplicated: true });
  const subscriber = channelServers(access, commands).connect('');
  const tls = { ca: 'an authority' };
  for (const connection of [commands, subscriber, replicated])
    expect(tlsOptionsOf(connection)).toEqual({ enableTLSForSentinelMode: true, tls, sentinelTLS: tls });

  commands.on('error', () => undefined);
  const connected = commands.connect().catch(() => undefined);
  const [socket] = await once(server, 'connection');
  const [bytes] = await once(socket, 'data');
  expect(bytes[0]).toBe(HANDSHAKE);
  socket.destroy();
  commands.disconnect();
  await connected;
});
