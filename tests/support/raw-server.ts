import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** A server that sends any bytes, well-formed or not, once a request has begun. */
export class RawServer implements AsyncDisposable {
  readonly requests: string[] = [];
  readonly sockets = new Set<Socket>();
  connections = 0;
  readonly #server: Server;
  readonly #address: string;

  constructor(answer: (socket: Socket) => void, address = '127.0.0.2') {
    this.#address = address;
    this.#server = createServer((socket) => {
      this.connections++;
      this.sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('data', (data) => {
        this.requests.push(String(data));
        answer(socket);
      });
    });
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  get url(): string {
    return `http://${this.#address}:${this.port}/`;
  }

  async start(port = 0): Promise<this> {
    this.#server.listen(port, this.#address);
    await once(this.#server, 'listening');
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.sockets) socket.destroy();
    await once(this.#server, 'close');
  }
}

export const answerOf = (body: string | Buffer, ...headers: string[]): Buffer =>
  Buffer.concat([Buffer.from([`HTTP/1.1 200 OK`, ...headers, '', ''].join('\r\n')), Buffer.from(body)]);

/** Writes for as long as the client reads. */
export function writeWithoutEnd(socket: Socket, piece: string): void {
  const write = (): void => {
    while (socket.writable && socket.write(piece));
  };
  socket.on('drain', write);
  write();
}
