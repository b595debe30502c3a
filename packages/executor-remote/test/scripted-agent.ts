import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

/** The answer to a call: a result, an error code, or the events of a stream, which may be cut after them. */
export type Answer =
  | { readonly result: unknown }
  | { readonly error: number }
  | { readonly events: readonly unknown[]; readonly isCut?: boolean };

/** The answers to the calls of each method, in order; the last one answers all further calls. */
export type Script = Readonly<Record<string, readonly Answer[]>>;

type Differences = Readonly<Record<string, unknown>>;

/** A remote agent with scripted answers, which need not be valid A2A. */
export class ScriptedAgent implements AsyncDisposable {
  readonly called: string[] = [];
  /** The headers of the calls, in order. */
  readonly headers: IncomingHttpHeaders[] = [];
  readonly #script: Script;
  readonly #differences: Differences | ((agent: ScriptedAgent) => Differences);
  readonly #server: Server;

  /** @param card fields that replace those of the default card */
  constructor(script: Script, card: Differences | ((agent: ScriptedAgent) => Differences) = {}) {
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
      description: 'Follows a script.',
      version: '1',
      capabilities: { streaming: 'SendStreamingMessage' in this.#script },
      defaultInputModes: [],
      defaultOutputModes: [],
      skills: [],
      supportedInterfaces,
      ...(typeof this.#differences === 'function' ? this.#differences(this) : this.#differences),
    };
  }
}
