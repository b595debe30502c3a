import type { Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openEventStream } from '../support/event-stream.ts';
import { textOf, userMessage } from '../support/messages.ts';
import { get, getTask, submit } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// A conversation between two agents, over two gateways and two workers: both gateways return the same.

interface Event {
  readonly seq: number;
  readonly conversationId: string;
  readonly fromAgent: string;
  readonly toAgent: string;
  readonly phase: 'turn' | 'error' | 'complete';
  readonly turn: number;
  readonly maxTurns: number;
  readonly text: string;
  readonly taskId: string;
}

interface Shown {
  readonly conversationId: string;
  readonly state: string;
  readonly taskId: string;
  readonly events: readonly Event[];
}

const uri = 'https://switchyard.dev/a2a/extensions/conversations/v1';
const script = [
  'Where shall we have lunch?',
  'The noodle place?',
  'Rather something lighter.',
  'The salad bar, then.',
  'At noon?',
  'At noon. See you there.',
];

let stack: Stack;
let here: string;
let there: string;

beforeAll(async () => {
  stack = await startStack({
    redisUrl: inject('redisUrl'),
    agents: ['examples/ping-pong/agent.ts', 'examples/ping-pong/target.ts', 'echo'],
    gateways: 2,
    workers: 2,
    env: { DEFAULT_AGENT: 'requester' },
  });
  [here = '', there = ''] = stack.urls;
});

afterAll(() => stack.stop());

async function completed(task: Task): Promise<Task> {
  const isCompleted = async (): Promise<Task | false> => {
    const now = await getTask(here, task.id);
    return now.status.state === 'TASK_STATE_COMPLETED' && now;
  };
  return until(isCompleted, { what: 'the conversation is completed', timeoutMs: 15_000 });
}

async function conversationsOf({ contextId = '' }: Task, url = there): Promise<Shown[]> {
  const { body } = await get<{ conversations: Shown[] }>(`${url}/conversations?contextId=${contextId}`);
  return body.conversations;
}

const conversation = async (id = '', url = there): Promise<Shown> =>
  (await get<Shown>(`${url}/conversations/${id}`)).body;

describe('a conversation between two agents', () => {
  it('is stored turn by turn with the ids of its tasks, and ends with one complete event', async () => {
    const task = await completed(await submit(here, userMessage('Where shall we have lunch?')));
    expect(textOf(task.status.message)).toBe('It is agreed: At noon. See you there.');
    const [found] = await conversationsOf(task);
    const { events, ...shown } = await conversation(found?.conversationId);
    expect(shown).toMatchObject({ state: 'complete', taskId: task.id, fromAgent: 'requester', toAgent: 'target' });
    const { conversationId } = shown;
    const [out, back] = [
      { conversationId, fromAgent: 'requester', toAgent: 'target' },
      { conversationId, fromAgent: 'target', toAgent: 'requester' },
    ];
    expect(events).toMatchObject([
      ...script.map((text, turn) => ({ ...(turn % 2 ? back : out), turn, maxTurns: 5, text, phase: 'turn' })),
      { ...out, phase: 'complete' },
    ]);
    for (const event of events) {
      if (event.phase !== 'turn') continue;
      const carrier = await getTask(`${there}/agents/target`, event.taskId);
      expect(carrier.contextId).toBe(task.contextId);
      expect(carrier.history?.map((message) => textOf(message))).toContain(event.text);
    }
    // The task of the announcement is not an event.
    expect(JSON.stringify(events)).not.toContain('It is agreed');
  });

  it('can be followed live, and resumed later', async () => {
    const task = await submit(here, userMessage('Where shall we have lunch?'));
    const [found] = await until(
      async () => {
        const all = await conversationsOf(task);
        return all.length > 0 && all;
      },
      { what: 'the conversation has begun' },
    );
    const url = `${there}/conversations/${found?.conversationId}`;
    const followed = await (await openEventStream(url)).rest();
    expect(followed.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const resumed = await (await openEventStream(url.replace(there, here), { lastEventId: 5 })).rest();
    expect(resumed.map(({ text }) => text)).toEqual(followed.slice(5).map(({ text }) => text));
  });

  it('is separate from other conversations of the same agents, and not visible to other agents', async () => {
    const texts = ['red', 'green', 'blue'].map((color) => `Lunch at the ${color} place?`);
    const tasks = await Promise.all(texts.map((text) => submit(here, userMessage(text))));
    const echoed = await submit(`${here}/agents/echo`, userMessage('hello'));
    for (const [i, task] of tasks.entries()) {
      await completed(task);
      const all = await conversationsOf(task);
      expect(all).toHaveLength(1);
      const { events } = await conversation(all[0]?.conversationId);
      expect(events.map(({ text }) => text)).toEqual([texts[i], ...script.slice(1), undefined]);
      expect(new Set(events.map(({ conversationId }) => conversationId)).size).toBe(1);
    }
    expect(await conversationsOf(echoed)).toEqual([]);
  });

  it('is announced as an extension in the cards of its agents', async () => {
    const extensionsOf = async (agent: string): Promise<(string | undefined)[]> => {
      const { body } = await get<{ capabilities: { extensions?: { uri?: string }[] } }>(
        `${here}/agents/${agent}/.well-known/agent-card.json`,
      );
      return body.capabilities.extensions?.map((extension) => extension.uri) ?? [];
    };
    expect(await extensionsOf('requester')).toContain(uri);
    expect(await extensionsOf('target')).toContain(uri);
    expect(await extensionsOf('echo')).not.toContain(uri);
  });
});

describe('a conversation whose workers are killed', () => {
  it('continues, with every turn once', async () => {
    const tasks = await Promise.all(
      Array.from({ length: 20 }, () => submit(here, userMessage('Where shall we have lunch?'))),
    );
    const [first, second] = stack.workers;
    await until(
      async () => (await conversationsOf(tasks[0] ?? { id: '', status: { state: 'TASK_STATE_SUBMITTED' } })).length > 0,
      {
        what: 'the first conversation has begun',
      },
    );
    first?.kill('SIGKILL');
    await stack.addWorker();
    second?.kill('SIGKILL');
    await stack.addWorker();
    for (const task of tasks) {
      await completed(task);
      const [found] = await conversationsOf(task);
      const { events } = await conversation(found?.conversationId);
      expect(events.map(({ text, phase }) => text ?? phase)).toEqual([...script, 'complete']);
    }
    // Otherwise this test has shown nothing. The second worker may have taken over the turns of the first.
    expect(stack.programs.map((program) => program.output()).join()).toContain('"attempt":2');
  });
});
