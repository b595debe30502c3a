import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

/**
 * Streaming clients in a process of their own. Usage: streams.ts '<StreamLoad as JSON>'; answers `StreamResult`.
 * Each client sends one message with SendStreamingMessage and reads its stream to the end.
 */
export interface StreamLoad {
  /** JSON-RPC endpoint. */
  readonly url: string;
  readonly text: string;
  readonly clients: number;
  /** Number of streams that each client reads, one after the other. */
  readonly times: number;
}

export interface StreamResult {
  /** From the first message to the end of the last stream. */
  readonly totalMs: number;
  /** Events of all streams. */
  readonly events: number;
  /** From sending a message to the end of its stream. */
  readonly streamMs: readonly number[];
}

const { url, text, clients, times }: StreamLoad = JSON.parse(process.argv[2] ?? '{}');
const agent = new Agent({ keepAlive: true, maxSockets: clients });
let events = 0;

async function stream(): Promise<number> {
  const begun = performance.now();
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream', 'a2a-version': '1.0' };
  const sent = request(url, { method: 'POST', agent, headers });
  sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: { message } }));
  const [response]: IncomingMessage[] = await once(sent, 'response');
  let tail = '';
  for await (const chunk of response?.setEncoding('utf8') ?? []) {
    const pieces = (tail + chunk).split('\n\n');
    tail = pieces.pop() ?? '';
    events += pieces.filter((piece) => piece.includes('data:')).length;
  }
  return performance.now() - begun;
}

async function client(): Promise<number[]> {
  const took: number[] = [];
  for (let i = 0; i < times; i++) took.push(await stream());
  return took;
}

const begun = performance.now();
const streamMs = (await Promise.all(Array.from({ length: clients }, client))).flat();
const answer: StreamResult = { totalMs: performance.now() - begun, events, streamMs };
process.stdout.write(`answer ${JSON.stringify(answer)}\n`);
process.exit();
