import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a port of this machine that can go dead without a word, as a network does that loses a route. */
export interface SilentProxy extends AsyncDisposable {
  readonly port: number;
  /** What is open now stays open and carries nothing any more. New connections work. */
  silence(): void;
}

export async function startSilentProxy(port: number): Promise<SilentProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((inside) => {
    const outside = connect({ host: '127.0.0.1', port });
    const pair = [inside, outside] as const;
    pairs.add(pair);
    inside.pipe(outside).pipe(inside);
    for (const socket of pair) {
      socket.on('error', () => socket.destroy());
      socket.on('close', () => pairs.delete(pair));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    silence() {
      for (const [inside, outside] of pairs) {
        inside.unpipe(outside).resume();
        outside.unpipe(inside).resume();
      }
    },
    async [Symbol.asyncDispose]() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
