import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

/** What a method answers: a result, an error by its code, or the events of a stream, which may be cut then. */
export type Answer =
  | { readonly result: unknown }
  | { readonly error: number }
  | { readonly events: readonly unknown[]; readonly isCut?: boolean };

/** The nth answer to a method; the last one stands for all that follow. */
export type Script = Readonly<Record<string, readonly Answer[]>>;

/** A remote agent with scripted answers, also ones that no proper agent would send. */
export class ScriptedAgent implements AsyncDisposable {
  readonly called: string[] = [];
  /** Of the calls, in their order. */
  readonly headers: IncomingHttpHeaders[] = [];
  readonly #script: Script;
  readonly #differences: Readonly<Record<string, unknown>>;
  readonly #server: Server;

  /** @param card fields that replace the card's */
  constructor(script: Script, card: Readonly<Record<string, unknown>> = {}) {
    this.#script = script;
    this.#differences = card;
    this.#server = createServer(async (request, response) => {
      const call = request.method === 'GET' ? undefined : await json(request);
      if (call === undefined) return void response.end(JSON.stringify(this.card()));
      this.headers.push(request.headers);
      this.#answer(call, response);
    });
  }

  get cardUrl(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/card`;
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

  #answer(call: unknown, response: ServerResponse): void {
    const { id, method } = Object(call);
    const before = this.called.filter((each) => each === method).length;
    this.called.push(method);
    const answers = this.#script[method] ?? [{ error: -32601 }];
    const answer = answers[Math.min(before, answers.length - 1)] ?? { error: -32603 };
    const frame = (content: object) => JSON.stringify({ jsonrpc: '2.0', id, ...content });
    if ('events' in answer) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(answer.events.map((result) => `data: ${frame({ result })}\n\n`).join(''));
      if (answer.isCut) setImmediate(() => response.destroy());
      else response.end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      frame('error' in answer ? { error: { code: answer.error, message: 'No' } } : { result: answer.result }),
    );
  }

  card() {
    const supportedInterfaces = [{ url: this.cardUrl, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
    return {
      name: 'Scripted',
      description: 'Says what it is told.',
      version: '1',
      capabilities: { streaming: 'SendStreamingMessage' in this.#script },
      defaultInputModes: [],
      defaultOutputModes: [],
      skills: [],
      supportedInterfaces,
      ...this.#differences,
    };
  }
}
