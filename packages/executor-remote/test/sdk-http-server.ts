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
  /** Which version it speaks. Default: 1.0. */
  readonly version?: '0.3' | '1.0';
  /** In the card. Default: none. */
  readonly extensions?: readonly { readonly uri: string }[];
  /** A listener in front of everything. */
  readonly before?: express.RequestHandler;
}

/** A remote agent: the SDK's own server over real HTTP, to be killed and restarted; then it has forgotten all tasks. */
export class SdkHttpServer implements AsyncDisposable {
  /** Of the requests that came, in order: what was asked. */
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

  /** How often a method of JSON-RPC was called. */
  count(method: string): number {
    return this.requests.filter((request) => request.method === method).length;
  }

  async start(): Promise<this> {
    // The port is kept over restarts; the first time it is any free one, and the card has to say which.
    const app = express();
    this.#server = app.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    this.#port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    this.#route(app);
    return this;
  }

  /** As when its process is killed. */
  async kill(): Promise<void> {
    this.#server?.close();
    this.#server?.closeAllConnections();
    if (this.#server?.listening) await once(this.#server, 'close');
    this.#server = undefined;
  }

  /** Every connection breaks; the server goes on. */
  cut(): void {
    this.#server?.closeAllConnections();
  }

  /** Resolves when a method has been called so often. */
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
