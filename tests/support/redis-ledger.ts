import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { RequestParser } from './request-parser.ts';
import { until } from './until.ts';

/** What a client sent to Redis. */
export interface Tally {
  /** Round trips: commands sent together are one. */
  readonly trips: number;
  /** Names of the commands, in order. */
  readonly commands: readonly string[];
}

/** A proxy to a Redis that counts commands. */
export interface RedisLedger extends AsyncDisposable {
  readonly url: string;
  /** The commands sent during an action and shortly afterwards. */
  during(act: () => Promise<unknown>): Promise<Tally>;
  /** Resolves when nothing has been sent for a moment. */
  quiet(): Promise<void>;
  /** Resolves when this command is sent. */
  next(command: string): Promise<void>;
}

/** After this time without a command an action is complete. Unused channels are unsubscribed after 50 ms, or later. */
const QUIET_MS = 400;

export async function openLedger(redisUrl: string): Promise<RedisLedger> {
  const { hostname: host, port } = new URL(redisUrl);
  const sockets = new Set<Socket>();
  let trips = 0;
  let commands: string[] = [];
  let sentAt = 0;

  function carry(client: Socket): void {
    const redis = connect({ host, port: Number(port) });
    const requests = new RequestParser();
    let isAnswered = true;
    client.on('data', (bytes) => {
      // Connections are checked by a ping each second, which belongs to no operation.
      const names = requests.push(bytes).filter((name) => name !== 'ping');
      if (names.length === 0) return;
      if (isAnswered) trips++;
      isAnswered = false;
      sentAt = performance.now();
      commands.push(...names);
    });
    redis.on('data', () => {
      isAnswered = true;
    });
    client.pipe(redis).pipe(client);
    for (const socket of [client, redis]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => sockets.delete(socket));
    }
  }

  async function quiet(): Promise<void> {
    const from = performance.now();
    const isQuiet = (): boolean => performance.now() - Math.max(from, sentAt) > QUIET_MS;
    await until(isQuiet, { what: 'nothing more is asked of Redis' });
  }

  const server = createServer({ noDelay: true }, carry).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async during(act) {
      await quiet();
      [trips, commands] = [0, []];
      await act();
      await quiet();
      return { trips, commands };
    },
    quiet,
    async next(command) {
      const from = commands.length;
      await until(() => commands.includes(command, from), { what: `Redis is asked ${command}` });
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
