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
  /** Kind of the delivery: the part of the delivery id after the config's, without the incarnation. */
  readonly mark: string;
}

/** What a receiver does with its nth request: the status that it answers. */
export type Behave = (received: Received, nth: number, res: ServerResponse) => number | Promise<number>;

/** A webhook, over HTTP on loopback. */
export class Receiver implements AsyncDisposable {
  /** Those that were answered with 2xx. */
  readonly taken: Received[] = [];
  /** All, in the order in which they came. */
  readonly requests: Received[] = [];
  behave: Behave = () => 200;
  /** That were made to it, whether or not anything was sent. */
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

  /** Opens, at the same port as before if it was open. */
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

  /** Dies: open connections break, new ones are refused. */
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
    const named = String(headers['x-a2a-delivery-id']).split(':')[2] ?? '';
    const mark = named.replace(/-[0-9a-z]+/, '');
    const received = { method, path, headers, text, event: JSON.parse(text), mark };
    const nth = this.requests.push(received);
    res.statusCode = await this.behave(received, nth, res);
    if (res.destroyed) return;
    if (res.statusCode < 300) this.taken.push(received);
    res.end();
  }
}
