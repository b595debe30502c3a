import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** How replies reach the client. */
type Mode = 'pass' | 'slow' | 'dribble' | 'lose';

const SLOW_MS = 80;
/** Maximum number of pieces of a slow reply. */
const PIECES = 20;

/** A TCP proxy that fails as networks do. */
export class FaultProxy implements AsyncDisposable {
  /** Where new connections lead. */
  target: number;
  readonly #server = createServer({ noDelay: true }, (client) => this.#carry(client));
  readonly #sockets = new Set<Socket>();
  #mode: Mode = 'pass';
  #gate: PromiseWithResolvers<void> | undefined;
  /** Connections up to this one carry no more data. */
  #silenced = 0;
  #opened = 0;
  readonly #silent = new Set<number>();
  #lost: { readonly isMeant: (request: string) => boolean; readonly onLost: () => void } | undefined;

  private constructor(target: number) {
    this.target = target;
  }

  static async start(target: number): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Open connections stay open but carry no more data. New connections work. */
  silence(): void {
    this.#silenced = this.#opened;
  }

  /** One connection stays open but carries no more data. @param port of its client, as the server sees it */
  silenceOne(port: number): void {
    this.#silent.add(port);
  }

  /** Closes every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Holds back all data in both directions until `release`. */
  stall(): void {
    this.#gate ??= Promise.withResolvers();
  }

  release(): void {
    this.#gate?.resolve();
    this.#gate = undefined;
  }

  /** Replies are delayed, or arrive in small pieces. */
  async disturb(mode: 'slow' | 'dribble', forMs: number): Promise<void> {
    this.#mode = mode;
    await delay(forMs);
    this.#mode = 'pass';
  }

  /** Requests arrive, but their replies do not, and the connections break. */
  async loseReplies(forMs: number): Promise<void> {
    this.#mode = 'lose';
    await delay(forMs);
    this.cut();
    this.#mode = 'pass';
  }

  /** The next such request arrives, but its connection carries no more data. @returns when that has happened */
  loseReplyTo(isMeant: (request: string) => boolean): Promise<void> {
    const { promise, resolve: onLost } = Promise.withResolvers<void>();
    this.#lost = { isMeant, onLost };
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #carry(client: Socket): void {
    const server = connect({ host: '127.0.0.1', port: this.target, noDelay: true });
    const number = ++this.#opened;
    for (const [socket, other] of [[client, server] as const, [server, client] as const]) {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    const isSilent = (): boolean => number <= this.#silenced || this.#silent.has(server.localPort ?? 0);
    void this.#forward(client, async (bytes) => {
      if (isSilent()) return;
      if (this.#lost?.isMeant(bytes.toString('latin1'))) {
        this.#silent.add(server.localPort ?? 0);
        this.#lost.onLost();
        this.#lost = undefined;
      }
      await written(server, bytes);
    });
    void this.#forward(server, async (bytes) => {
      if (!isSilent()) await this.#reply(client, bytes);
    });
  }

  async #forward(from: Socket, deliver: (bytes: Buffer) => Promise<void>): Promise<void> {
    try {
      for await (const bytes of from) {
        if (this.#gate) await this.#gate.promise;
        await deliver(bytes);
      }
    } catch {
      from.destroy(); // one of the two ends is closed
    }
  }

  async #reply(client: Socket, bytes: Buffer): Promise<void> {
    if (this.#mode === 'lose') return;
    if (this.#mode === 'slow') await delay(SLOW_MS);
    const size = this.#mode === 'dribble' ? Math.ceil(bytes.length / PIECES) : bytes.length;
    for (let from = 0; from < bytes.length; from += size) {
      await written(client, bytes.subarray(from, from + size));
      if (size < bytes.length) await delay(1);
    }
  }
}

async function written(socket: Socket, bytes: Buffer): Promise<void> {
  if (!socket.destroyed && !socket.write(bytes)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
}
