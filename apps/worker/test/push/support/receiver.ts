import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StreamResponse } from '@switchyard/protocol';

/** One request to a webhook. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly event: StreamResponse;
  /** The last part of the delivery id, such as `3`, `3.1` or `3.task`, without the incarnation. */
  readonly mark: string;
}

/** Handles the nth request (1 is the first), and returns the status to answer. */
export type Behave = (received: Received, nth: number, res: ServerResponse) => number | Promise<number>;

/** A webhook receiver: an HTTP server on loopback. */
export class Receiver implements AsyncDisposable {
  /** The requests that were answered with 2xx. */
  readonly taken: Received[] = [];
  /** All requests, in the order of arrival. */
  readonly requests: Received[] = [];
  behave: Behave = () => 200;
  /** The number of connections, also of those without a request. */
  connections = 0;
  readonly #host: string;
  #server: Server | undefined;
  #port = 0;

  constructor(host = '127.0.0.1') {
    this.#host = host;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://${this.#host}:${this.#port}/hook?key=hush`;
  }

  /** Listens, at the same port as before if it was open. */
  async open(port = this.#port): Promise<this> {
    const server = createServer((req, res) => void this.#receive(req, res));
    server.on('connection', () => {
      this.connections++;
    });
    await new Promise<void>((resolve) => server.listen(port, this.#host, resolve));
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    return this;
  }

  /** Breaks open connections and refuses new ones. */
  async die(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    this.#server?.closeAllConnections();
    await closed;
  }

  marks(): string[] {
    return this.taken.map(({ mark }) => mark);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server?.listening) await this.die();
  }

  async #receive(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const text = (await req.setEncoding('utf8').toArray()).join('');
    const { method = '', url: path = '', headers } = req;
    const lastPart = String(headers['x-a2a-delivery-id']).split(':')[2] ?? '';
    const mark = lastPart.replace(/-[0-9a-z]+/, '');
    const received = { method, path, headers, text, event: JSON.parse(text), mark };
    const nth = this.requests.push(received);
    res.statusCode = await this.behave(received, nth, res);
    if (res.destroyed) return;
    if (res.statusCode < 300) this.taken.push(received);
    res.end();
  }
}
