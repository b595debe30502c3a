import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Chance } from './chance.ts';
import { oddEvents, oddJson, sendOddly } from './odd-stream.ts';

export type Binding = 'JSONRPC' | 'HTTP+JSON';
export type Version = '1.0' | '0.3';

/** What an agent sends in answer to a message, as the results of its version. */
export interface AgentScript {
  readonly binding: Binding;
  readonly version: Version;
  /** The events of its stream; without streaming, the last state of its task. */
  readonly events: readonly object[];
  readonly whole: object;
  readonly streams: boolean;
  readonly seed: number;
}

const nulls = [
  'extensions',
  'referenceTaskIds',
  'timestamp',
  'tenant',
  'provider',
  'iconUrl',
  'documentationUrl',
  'securitySchemes',
  'signatures',
  'examples',
  'inputModes',
  'append',
  'lastChunk',
  'filename',
  'mediaType',
  'error',
  'metadata',
];
const oddities = { nulls, free: ['metadata', 'data'] };

/** An agent that follows a script, whose bytes have any form that HTTP, JSON and server-sent events allow. */
export class OddAgent implements AsyncDisposable {
  #script: AgentScript | undefined;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<OddAgent> {
    const agent = new OddAgent();
    agent.#server.listen(0, '127.0.0.1');
    await once(agent.#server, 'listening');
    return agent;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  }

  follow(script: AgentScript): void {
    this.#script = script;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const script = this.#script;
    if (!script) return void response.writeHead(500).end();
    const chance = new Chance(script.seed);
    const exchange = { request, response };
    const json = (value: object) =>
      sendOddly(
        exchange,
        { body: Buffer.from(mark(chance) + oddJson(value, chance, oddities)), type: 'application/json' },
        chance,
      );
    if (request.method === 'GET') return json(this.#card(script));
    const body = await text(request);
    const frame = (result: object): object =>
      script.binding === 'JSONRPC' ? { jsonrpc: '2.0', id: JSON.parse(body).id, result } : result;
    if (!script.streams) return json(frame(script.whole));
    const events = script.events.map((event) => ({ data: oddJson(frame(event), chance, oddities) }));
    return sendOddly(exchange, { body: oddEvents(events, chance), type: 'text/event-stream' }, chance);
  }

  #card({ binding, version, streams }: AgentScript): object {
    const skills = [{ id: 'order', name: 'Order', description: 'Takes orders.', tags: ['pizza'] }];
    const card = {
      name: 'Odd',
      description: 'Correct, in odd forms.',
      version: '1',
      capabilities: { streaming: streams },
      skills,
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
    };
    if (version === '0.3') return { ...card, url: this.url, preferredTransport: binding, protocolVersion: '0.3.0' };
    return { ...card, supportedInterfaces: [{ url: this.url, protocolBinding: binding, protocolVersion: '1.0' }] };
  }
}

function mark(chance: Chance): string {
  return chance.oneIn(8) ? '\uFEFF' : '';
}
