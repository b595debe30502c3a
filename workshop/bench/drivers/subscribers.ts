import { randomUUID } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { userMessage } from '../../../tests/support/messages.ts';
import { submit } from '../../../tests/support/rest.ts';

/**
 * Many subscribers in a process of their own. Usage: subscribers.ts '<FanOut as JSON>'; prints `FanOutResult`. Sender
 * and subscribers share a clock: an event is identified by the time of its message.
 */
export interface FanOut {
  /** REST base of the agent. */
  readonly url: string;
  /** Unset: each subscriber has a task of its own, without a worker. */
  readonly taskId?: string;
  readonly subscribers: number;
  /**
   * Messages sent to the task, which asks for input: each makes it submitted again, an event for all; 0: subscribe,
   * print `subscribed`, and stay until killed.
   */
  readonly messages: number;
}

export interface FanOutResult {
  /** For each message: from sending it until the last subscriber had its first event. */
  readonly lastMs: readonly number[];
}

const { url, taskId, subscribers, messages }: FanOut = JSON.parse(process.argv[2] ?? '{}');
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
/** How many have received the message's event, and how many its answer. */
const received = { SUBMITTED: 0, INPUT_REQUIRED: 0 };
let onReceived = (): void => undefined;

async function subscribe(): Promise<void> {
  const id = taskId ?? (await submit(url, userMessage('wait'))).id;
  await new Promise<void>((resolve, reject) => {
    const sent = request(`${url}/tasks/${id}:subscribe`, {
      agent,
      headers: { accept: 'text/event-stream', 'a2a-version': '1.0' },
    });
    sent.on('error', reject);
    sent.on('response', (response: IncomingMessage) => {
      response.setEncoding('utf8').on('data', (chunk: string) => {
        if (chunk.includes('data:')) resolve();
        if (chunk.includes('"statusUpdate"') && chunk.includes('TASK_STATE_SUBMITTED')) received.SUBMITTED++;
        if (chunk.includes('"statusUpdate"') && chunk.includes('TASK_STATE_INPUT_REQUIRED')) received.INPUT_REQUIRED++;
        onReceived();
      });
    });
    sent.end();
  });
}

const allReceived = (what: keyof typeof received): Promise<void> =>
  new Promise((resolve) => {
    onReceived = () => received[what] >= subscribers && resolve();
    onReceived();
  });

async function oneMessage(): Promise<number> {
  Object.assign(received, { SUBMITTED: 0, INPUT_REQUIRED: 0 });
  const begun = performance.now();
  const message = { messageId: randomUUID(), role: 'ROLE_USER', taskId, parts: [{ text: 'ask' }] };
  const response = fetch(`${url}/message:send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message, configuration: { historyLength: 0 } }),
  });
  await allReceived('SUBMITTED');
  const took = performance.now() - begun;
  await response; // the agent has asked again: the next message can be sent
  await allReceived('INPUT_REQUIRED');
  return took;
}

for (let i = 0; i < subscribers; i += 100)
  await Promise.all(Array.from({ length: Math.min(100, subscribers - i) }, subscribe));
if (messages === 0) {
  process.stdout.write('subscribed\n');
} else {
  const lastMs: number[] = [];
  for (let i = 0; i < messages; i++) lastMs.push(await oneMessage());
  const answer: FanOutResult = { lastMs };
  process.stdout.write(`answer ${JSON.stringify(answer)}\n`);
  process.exit();
}
