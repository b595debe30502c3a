import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The answer of a webhook that is asked for its consent. */
export type Reply = (res: ServerResponse, token: string) => unknown;

/** Webhooks over HTTP at all loopback addresses, each path with its own answer; others get 404. */
export class ConsentWebhook implements AsyncDisposable {
  readonly requests: {
    readonly method: string;
    readonly url: string;
    readonly headers: string;
    readonly at: number;
  }[] = [];
  /** The highest number of concurrent requests. */
  most = 0;
  #open = 0;
  readonly #server;

  constructor(replies: Readonly<Record<string, Reply>>) {
    this.#server = createServer(async (req, res) => {
      const { method = '', url = '', rawHeaders } = req;
      this.requests.push({ method, url, headers: rawHeaders.join(' '), at: Date.now() });
      this.most = Math.max(this.most, ++this.#open);
      res.on('close', () => this.#open--);
      await delay(20); // Long enough that concurrent requests would overlap.
      const { pathname, searchParams } = new URL(url, 'http://webhook');
      const reply = replies[pathname] ?? ((answer) => answer.writeHead(404).end());
      reply(res, searchParams.get('validationToken') ?? '');
    });
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '0.0.0.0', resolve));
    return this;
  }

  at(path: string, host = '127.0.0.1'): string {
    return `http://${host}:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  of(path: string): readonly string[] {
    return this.requests.filter(({ url }) => url.startsWith(path)).map(({ method }) => method);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}
