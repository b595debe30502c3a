import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** Answers a request itself: any bytes, any status, no answer. */
export type Answer = (response: ServerResponse, body: string) => void;

export interface AnsweringAgentOptions {
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
  readonly version: '1.0' | '0.3';
  readonly streaming: boolean;
  /** Of messages; the last one answers all further messages. */
  readonly answers: readonly Answer[];
  /** Of every other request. Default: 404, or "method not found". */
  readonly other?: Answer;
}

/** A remote agent of any binding and version, which gives its answers byte by byte. */
export class AnsweringAgent implements AsyncDisposable {
  /** Messages that have arrived. */
  messages = 0;
  readonly #options: AnsweringAgentOptions;
  readonly #server: Server;

  constructor(options: AnsweringAgentOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  }

  get cardUrl(): string {
    return `${this.url}/card.json`;
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  card(): object {
    const { binding, version, streaming } = this.#options;
    const card = { name: 'Answers', description: 'As told.', version: '1', capabilities: { streaming }, skills: [] };
    if (version === '0.3') return { ...card, url: this.url, preferredTransport: binding, protocolVersion: '0.3.0' };
    const supportedInterfaces = [{ url: this.url, protocolBinding: binding, protocolVersion: version }];
    return { ...card, supportedInterfaces };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/card.json') return void response.end(JSON.stringify(this.card()));
    const body = await text(request);
    const isMessage = /Send(?:Streaming)?Message|message\/s|message:s/.test(`${request.url} ${body}`);
    if (!isMessage) return (this.#options.other ?? refuse)(response, body);
    const { answers } = this.#options;
    answers[Math.min(this.messages++, answers.length - 1)]?.(response, body);
  }
}

const refuse: Answer = (response, body) => {
  if (body.includes('jsonrpc')) response.end(JSON.stringify(rpc(body, { error: { code: -32601, message: 'No' } })));
  else response.writeHead(404).end();
};

/** A JSON-RPC response to the request. */
export function rpc(request: string, content: object): object {
  return { jsonrpc: '2.0', id: JSON.parse(request).id, ...content };
}
