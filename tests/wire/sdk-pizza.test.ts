import { type Message, SendMessageRequest, type Task, Task as TaskFns } from '@a2a-js/sdk';
import { type Client, ClientFactory } from '@a2a-js/sdk/client';
import { freePort } from '@switchyard/local';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Program, startProgram } from '../support/process.ts';
import { type Stack, startStack } from '../support/stack.ts';

// One unmodified SDK executor on a worker and on the SDK's own server, called by the SDK's client.

let stack: Stack;
let server: Program;
let ours: Client;
let theirs: Client;

beforeAll(async () => {
  const port = await freePort();
  server = await startProgram({ file: 'examples/sdk-pizza/server/main.ts', env: { SDK_PIZZA_PORT: String(port) } });
  await server.waitFor(/server is at/);
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['sdk-pizza'] });
  [ours, theirs] = await Promise.all([
    new ClientFactory().createFromUrl(stack.urls[0] ?? ''),
    new ClientFactory().createFromUrl(`http://127.0.0.1:${port}`),
  ]);
});

afterAll(async () => {
  await stack.stop();
  await server.stop();
});

/**
 * Replaces ids and times, which differ from run to run: equal ones get equal names. Contexts get their own names, since
 * ours has the id of the task that created it (docs/adr/0005).
 */
function observable(value: unknown): unknown {
  const [ids, contexts] = [new Map<string, string>(), new Map<string, string>()];
  const text = JSON.stringify(value, (key, each) => {
    if (key === 'timestamp') return 'a time';
    return key === 'contextId' ? nameIn(contexts, 'context', each) : each;
  });
  return JSON.parse(text.replace(UUID, (id) => nameIn(ids, 'id', id)));
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

function nameIn(names: Map<string, string>, kind: string, id: string): string {
  const name = names.get(id) ?? `${kind} ${names.size + 1}`;
  names.set(id, name);
  return name;
}

const request = (words: string, task?: Task): SendMessageRequest => {
  const ids = task && { taskId: task.id, contextId: task.contextId };
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: words }], ...ids };
  return SendMessageRequest.fromJSON({ message });
};

function isTask(answer: Task | Message): answer is Task {
  return 'status' in answer;
}

/** One conversation: the results of each message, and the task as it is read at the end. */
async function converse(client: Client, words: readonly string[]): Promise<unknown[]> {
  const seen: unknown[] = [];
  let task: Task | undefined;
  for (const each of words) {
    const answer = await client.sendMessage(request(each, task));
    if (!isTask(answer)) throw new Error('there is no task');
    task = answer;
    seen.push(TaskFns.toJSON(task));
  }
  const read = await client.getTask({ tenant: '', id: task?.id ?? '', historyLength: undefined });
  return [...seen, TaskFns.toJSON(read)];
}

/** The events of a stream. */
async function stream(client: Client, words: string): Promise<unknown[]> {
  const events = await Array.fromAsync(client.sendMessageStream(request(words)));
  // Our gateway sends a snapshot first, and the executor another one: one event more than the SDK's server.
  return events.map(({ payload }) => (payload?.$case === 'task' ? 'task' : payload));
}

describe('the pizza desk of the SDK', () => {
  it.each([
    [['A pizza with pineapple']],
    [['I want a pizza', 'Do you have pineapple?']],
    [['I want a pizza', 'I do not know', 'The one with mushrooms']],
  ])('has the same task here and on the SDK server: %j', async (words) => {
    expect(observable(await converse(ours, words))).toEqual(observable(await converse(theirs, words)));
  });

  it.each(['A pizza with pineapple', 'I want a pizza'])(
    'has the same events here and on the SDK server: %s',
    async (words) => {
      expect(observable(await stream(ours, words))).toEqual(observable(await stream(theirs, words)));
    },
  );
});
