import { randomUUID } from 'node:crypto';
import type { ListTasksResponse, Message, SendMessageConfiguration, Task, TaskState } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openEventStream } from '../support/event-stream.ts';
import { callJsonRpc } from '../support/json-rpc.ts';
import { textOf, transcript, userMessage } from '../support/messages.ts';
import { get, getTask, send, submit } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// On a busy machine processes start slowly.
// historyLength in every operation.

let stack: Stack;
let calls = 0;

/** Alternates between the gateways. */
const url = (): string => stack.urls[calls++ % stack.urls.length] ?? '';

beforeAll(async () => {
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['pizza', 'echo'], gateways: 2, workers: 2 });
});

afterAll(() => stack.stop());

const pizza = (): string => `${url()}/agents/pizza`;
const echo = (): string => `${url()}/agents/echo`;

/** A conversation of four messages that waits for a fifth. */
async function conversation(): Promise<Task> {
  const task = await send(pizza(), userMessage('I want a pizza'));
  return send(pizza(), userMessage('Something with bananas', task));
}

const wholeConversation = [
  'user: I want a pizza',
  'agent: What kind?',
  'user: Something with bananas',
  'agent: We have Hawaiian, Margherita, Salami, Funghi, Quattro Formaggi. Which one?',
  'user: Do you have pineapple?',
  'agent: Your Hawaiian pizza is on its way.',
];

/** The number of messages so far, by the state of the task. */
const spoken: Partial<Record<TaskState, number>> = {
  TASK_STATE_INPUT_REQUIRED: 4,
  TASK_STATE_SUBMITTED: 5,
  TASK_STATE_WORKING: 5,
  TASK_STATE_COMPLETED: 6,
};

const spokenIn = ({ status }: Task): string[] => wholeConversation.slice(0, spoken[status.state]);

const untilEnded = (id: string): Promise<Task> =>
  until(
    async () => {
      const task = await getTask(echo(), id);
      return task.status.state === 'TASK_STATE_COMPLETED' && task;
    },
    { what: `task ${id} is completed` },
  );

/** The history that an operation returns for a conversation of four messages, by the requested length. */
interface Asking {
  readonly operation: string;
  ask(task: Task, historyLength: number | undefined): Promise<Task>;
  /** Whether the answer is the first event of a stream. */
  readonly isStream?: boolean;
}

const lengthOf = (historyLength: number | undefined): { historyLength?: number } =>
  historyLength === undefined ? {} : { historyLength };
const queryOf = (historyLength: number | undefined): string =>
  historyLength === undefined ? '' : `historyLength=${historyLength}`;

async function sendByRpc(message: Message, configuration: SendMessageConfiguration): Promise<Task> {
  const answer = await callJsonRpc<{ task: Task }>(pizza(), 'SendMessage', { message, configuration });
  return answer.result.task;
}

async function firstOfStream(path: string, body: object): Promise<Task> {
  const stream = await openEventStream(pizza() + path, { method: 'POST', body });
  const [first] = await stream.rest();
  return only(first?.data.task ? [first.data.task] : []);
}

function only([task, ...others]: readonly Task[]): Task {
  if (!task || others.length > 0) throw new Error(`there should be one task and not ${others.length}`);
  return task;
}

const operations: readonly Asking[] = [
  {
    operation: 'GetTask over HTTP+JSON',
    ask: async ({ id }, length) => (await get<Task>(`${pizza()}/tasks/${id}?${queryOf(length)}`)).body,
  },
  {
    operation: 'GetTask over JSON-RPC',
    ask: async ({ id }, length) => (await callJsonRpc<Task>(pizza(), 'GetTask', { id, ...lengthOf(length) })).result,
  },
  {
    operation: 'ListTasks over HTTP+JSON',
    async ask({ contextId }, length) {
      const path = `/tasks?contextId=${contextId}&${queryOf(length)}`;
      const { body } = await get<ListTasksResponse>(pizza() + path);
      return only(body.tasks);
    },
  },
  {
    operation: 'ListTasks over JSON-RPC',
    async ask({ contextId }, length) {
      const params = { contextId, ...lengthOf(length) };
      const { result } = await callJsonRpc<ListTasksResponse>(pizza(), 'ListTasks', params);
      return only(result.tasks);
    },
  },
  {
    operation: 'SendMessage over HTTP+JSON',
    ask: (task, length) => send(pizza(), userMessage('Do you have pineapple?', task), lengthOf(length)),
  },
  {
    operation: 'SendMessage over JSON-RPC',
    ask: (task, length) => sendByRpc(userMessage('Do you have pineapple?', task), lengthOf(length)),
  },
  {
    operation: 'SendStreamingMessage over HTTP+JSON',
    isStream: true,
    ask: (task, length) =>
      firstOfStream('/message:stream', {
        message: userMessage('Do you have pineapple?', task),
        configuration: lengthOf(length),
      }),
  },
  {
    operation: 'SendStreamingMessage over JSON-RPC',
    isStream: true,
    ask: (task, length) =>
      firstOfStream('', {
        jsonrpc: '2.0',
        id: 1,
        method: 'SendStreamingMessage',
        params: { message: userMessage('Do you have pineapple?', task), configuration: lengthOf(length) },
      }),
  },
];

describe.each(operations)('$operation', ({ ask, isStream }) => {
  it.concurrent(`returns ${isStream ? 'the new message' : 'all messages'} when historyLength is unset`, async () => {
    const task = await ask(await conversation(), undefined);
    expect(transcript(task)).toEqual(isStream ? ['user: Do you have pineapple?'] : spokenIn(task));
  });

  it.concurrent('has no history when historyLength is 0', async () => {
    const task = await ask(await conversation(), 0);
    expect(spokenIn(task).length).toBeGreaterThan(3);
    expect(task).not.toHaveProperty('history');
  });

  it.concurrent.each([1, 2, 3])('returns the latest %i messages', async (length) => {
    const task = await ask(await conversation(), length);
    expect(transcript(task)).toEqual(spokenIn(task).slice(-length));
  });

  it.concurrent('returns the whole history when more is requested', async () => {
    const task = await ask(await conversation(), 1_000);
    expect(transcript(task)).toEqual(spokenIn(task));
  });
});

describe('SendMessage for a new task', () => {
  it.each([
    ['unset', {}, ['user: hello']],
    ['0', { historyLength: 0 }, []],
    ['1', { historyLength: 1 }, ['user: hello']],
  ])('returns at once the requested part of the history: historyLength %s', async (_, configuration, expected) => {
    const task = await send(echo(), userMessage('hello'), { returnImmediately: true, ...configuration });
    expect(transcript(task)).toEqual(expected);
    expect('history' in task).toBe(expected.length > 0);
  });
});

describe("a task's history", () => {
  it('has every status message of a turn, in order of publication', async () => {
    const task = await send(echo(), userMessage('slow 1'));
    expect(transcript(task)).toEqual(['user: slow 1', 'agent: Taking my time', 'agent: Done']);
    expect(textOf(task.status.message)).toBe('Done');
  });

  it("has an agent's plain message, too", async () => {
    const { id } = await submit(echo(), userMessage('message'));
    expect(transcript(await untilEnded(id))).toEqual(['user: message', 'agent: A message, and no task']);
  });

  it('has a repeated message once', async () => {
    const message = userMessage('hello');
    const first = await send(echo(), message);
    const again = await send(echo(), message);
    expect(again).toEqual(first);
    expect(transcript(again)).toEqual(['user: hello', 'agent: hello']);
  });

  it('has messages with their own ids and the ids of the task', async () => {
    const { id, contextId, history = [] } = await conversation();
    expect(new Set(history.map(({ messageId }) => messageId)).size).toBe(4);
    expect(history.every((message) => message.taskId === id && message.contextId === contextId)).toBe(true);
  });

  it("has the user's message unchanged, whatever its parts", async () => {
    const message: Message = {
      messageId: randomUUID(),
      role: 'ROLE_USER',
      parts: [
        { text: 'Grüße, "quoted"\tand\nbroken \u2028 \u0000 😀' },
        { data: { deep: [1, { er: null }], big: 1e21 } },
        { raw: 'aGVsbG8=', filename: 'hello.txt', mediaType: 'text/plain' },
        { url: 'https://example.com/a%20b?c=d', mediaType: 'image/png' },
      ],
      metadata: { trace: 'x-1' },
    };
    const { id, contextId, history } = await send(echo(), message);
    expect(history?.[0]).toEqual({ ...message, taskId: id, contextId });
    expect(history?.[1]?.parts).toEqual(message.parts);
  });

  it('can hold 500 messages, and is still cut to the latest one on request', async () => {
    let task = await send(echo(), userMessage('ask'));
    for (let i = 0; i < 249; i++) task = await send(echo(), userMessage('ask', task), { historyLength: 1 });
    await send(echo(), userMessage('the end', task), { historyLength: 0 });
    task = await getTask(echo(), task.id);
    expect(task.history).toHaveLength(502);
    const { body } = await get<Task>(`${echo()}/tasks/${task.id}?historyLength=1`);
    expect(transcript(body)).toEqual(['agent: the end']);
  });
});
