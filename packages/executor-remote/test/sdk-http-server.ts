import { once } from 'node:events';
import type { Server } from 'node:http';
import { AgentCard } from '@a2a-js/sdk';
import { type AgentExecutor, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import { until } from '../../../tests/support/until.ts';

export interface SdkHttpServerOptions {
  /** Default: true. */
  readonly streaming?: boolean;
  /** Default: both. */
  readonly binding?: 'JSONRPC' | 'HTTP+JSON';
  /** The version of A2A. Default: 1.0. */
  readonly version?: '0.3' | '1.0';
  /** The extensions in the card. Default: none. */
  readonly extensions?: readonly { readonly uri: string }[];
  /** A handler that runs before all routes. */
  readonly before?: express.RequestHandler;
}

/** A remote agent: the SDK's server over HTTP. After `kill` and `start` it has forgotten its tasks. */
export class SdkHttpServer implements AsyncDisposable {
  /** The requests, in order. The method is that of JSON-RPC, or the HTTP method and path. */
  readonly requests: {
    readonly method: string;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly body: string;
  }[] = [];
  readonly #executor: AgentExecutor;
  readonly #options: SdkHttpServerOptions;
  #server: Server | undefined;
  #port = 0;

  constructor(executor: AgentExecutor, options: SdkHttpServerOptions = {}) {
    this.#executor = executor;
    this.#options = options;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get cardUrl(): string {
    return `${this.url}/.well-known/agent-card.json`;
  }

  /** The number of calls of a JSON-RPC method. */
  count(method: string): number {
    return this.requests.filter((request) => request.method === method).length;
  }

  async start(): Promise<this> {
    // Routes come after listening: the card contains the port, which is any free one at first, then the same.
    const app = express();
    this.#server = app.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    this.#port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    this.#route(app);
    return this;
  }

  /** Breaks all connections and stops listening, as if the process were killed. */
  async kill(): Promise<void> {
    this.#server?.close();
    this.#server?.closeAllConnections();
    if (this.#server?.listening) await once(this.#server, 'close');
    this.#server = undefined;
  }

  /** Breaks all connections; the server keeps listening. */
  cut(): void {
    this.#server?.closeAllConnections();
  }

  /** Resolves when a method has been called `times` times. */
  async until(method: string, times = 1): Promise<void> {
    await until(() => this.count(method) >= times, { what: `${method} is called` });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  #route(app: express.Express): void {
    const requestHandler = new DefaultRequestHandler(this.#card(), new InMemoryTaskStore(), this.#executor);
    const options = {
      requestHandler,
      userBuilder: UserBuilder.noAuthentication,
      legacyCompat: { enabled: this.#options.version === '0.3' },
    };
    app.use(express.json());
    app.use((request, _response, next) => {
      const method = request.body?.method ?? `${request.method} ${request.path}`;
      this.requests.push({ method, headers: request.headers, body: JSON.stringify(request.body) });
      next();
    });
    if (this.#options.before) app.use(this.#options.before);
    app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
    app.use('/rpc', jsonRpcHandler(options));
    app.use('/rest', restHandler(options));
  }

  #card(): AgentCard {
    const { streaming = true, binding, version = '1.0' } = this.#options;
    const interfaces = [
      { url: `${this.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: version },
      { url: `${this.url}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: version },
    ];
    return AgentCard.fromJSON({
      name: 'Elsewhere',
      description: 'An agent of the SDK.',
      version: '3.2.1',
      capabilities: { streaming, extensions: this.#options.extensions ?? [] },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [{ id: 'help', name: 'Help', description: 'Helps.', tags: ['help'] }],
      supportedInterfaces: interfaces.filter(({ protocolBinding }) => !binding || protocolBinding === binding),
    });
  }
}
