import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rerunUri, skillUri, type Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { type ReceivedSpan, startCollector, type TestCollector } from '../support/collector.ts';
import { textOf } from '../support/messages.ts';
import { get, getTask } from '../support/rest.ts';
import { type SdkBinding, sdkBindings, type Told } from '../support/sdk-clients.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// What the extensions promise (docs/extensions), to the official clients of 1.0 and 0.3 over each binding, when the
// gateway that they have asked is killed, and each worker.

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let folder: string;
let collector: TestCollector;
let stack: Stack;

/** Clients ask the first gateway until it is killed; the tests look through the last one. */
const doomed = (): string => stack.urls[0] ?? '';
const other = (): string => stack.urls.at(-1) ?? '';

interface Asked {
  readonly binding: SdkBinding;
  readonly taskId: string;
  /** For an agent that writes one. */
  readonly file: string;
  readonly traceId: string;
}

interface Guarantee {
  readonly agent: string;
  readonly ask: (file: string, earlier: Task) => { readonly text: string } & Told;
  readonly isUnderWay: (asked: Asked) => Promise<boolean> | boolean;
  /** What the client does just before the kill; its answer may not come. */
  readonly act?: (asked: Asked, url: string) => Promise<unknown>;
  /** What there is in the end. */
  readonly shown: (asked: Asked) => Promise<unknown>;
  readonly promised: (earlier: Task) => unknown;
}

const linesOf = (file: string): string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);

async function ended(agent: string, taskId: string): Promise<Task> {
  const isEnded = async (): Promise<Task | false> => {
    const task = await getTask(`${other()}/agents/${agent}`, taskId);
    return /COMPLETED|FAILED|CANCELED|REJECTED/.test(task.status.state) && task;
  };
  return until(isEnded, { what: `a task of ${agent} has ended`, timeoutMs: 40_000 });
}

const answerOf = async (agent: string, { taskId }: Asked): Promise<string> =>
  textOf((await ended(agent, taskId)).status.message);

async function calledBy({ taskId }: Asked): Promise<Task | undefined> {
  const { contextId } = await getTask(`${other()}/agents/caller`, taskId);
  const { body } = await get<{ tasks: Task[] }>(`${other()}/agents/echo/tasks?contextId=${contextId}`);
  return body.tasks[0];
}

async function conversationOf({ taskId }: Asked): Promise<{ text?: string; phase: string }[]> {
  const { contextId } = await getTask(`${other()}/agents/requester`, taskId);
  const { body } = await get<{ conversations: { conversationId: string }[] }>(
    `${other()}/conversations?contextId=${contextId}`,
  );
  const [{ conversationId } = { conversationId: '' }] = body.conversations;
  if (conversationId === '') return [];
  return (await get<{ events: { text?: string; phase: string }[] }>(`${other()}/conversations/${conversationId}`)).body
    .events;
}

const lunch = [
  ...['Where shall we have lunch?', 'The noodle place?', 'Rather something lighter.', 'The salad bar, then.'],
  ...['At noon?', 'At noon. See you there.', 'complete'],
];

const promises: Readonly<Record<string, Guarantee>> = {
  'rerun: the steps before keep their results, and the others run': {
    agent: 'stepper',
    ask: (file, { id: taskId }) => ({
      text: 'again',
      extensions: [rerunUri],
      messageMetadata: { [rerunUri]: { taskId, fromStep: 'second' } },
      metadata: { file, pauseMs: 60_000 },
    }),
    isUnderWay: ({ file }) => linesOf(file).length > 0,
    shown: async (asked) => [
      await answerOf('stepper', asked),
      linesOf(asked.file)
        .map((line) => line.split(' ')[0])
        .join(' '),
    ],
    promised: (earlier) => [textOf(earlier.status.message), 'second second third'],
  },
  'trace-context: the turn that takes over leads to the trace of the client': {
    agent: 'stepper',
    ask: (file) => ({ text: 'go', metadata: { file, pauseMs: 60_000 } }),
    isUnderWay: ({ file }) => linesOf(file).length > 1,
    shown: async (asked) => {
      await ended('stepper', asked.taskId);
      const isTraced = ({ traceId, links }: ReceivedSpan): boolean =>
        [traceId, ...links.map((link) => link.traceId)].includes(asked.traceId);
      const isThere = (): boolean => collector.spans.some((span) => span.name === 'process stepper' && isTraced(span));
      return until(isThere, { what: 'the span of the turn', timeoutMs: 20_000 });
    },
    promised: () => true,
  },
  'skill: a task goes on in the queue of its skill': {
    agent: 'skilled',
    ask: (file) => ({ text: file, extensions: [skillUri], messageMetadata: { [skillUri]: { skill: 'print' } } }),
    // Each worker has one place for them.
    isUnderWay: () => true,
    shown: async (one) => {
      // All at once: tasks of other bindings may have the places after the kill.
      for (const { file } of asked.values()) writeFileSync(`${file}.go`, '');
      const answer = await answerOf('skilled', one);
      return [answer, [...new Set(linesOf(one.file).map((line) => line.split(' ')[0]))]];
    },
    promised: () => ['print', ['print']],
  },
  'cascading-cancel: what the task has started ends with it': {
    agent: 'caller',
    ask: () => ({ text: 'slow 60000', metadata: { agent: 'echo' } }),
    isUnderWay: async (asked) => (await calledBy(asked))?.status.state === 'TASK_STATE_WORKING',
    act: async ({ binding, taskId }, url) => (await binding.at(`${url}/agents/caller`)).cancel(taskId),
    shown: async (asked) => {
      const { status } = await ended('caller', asked.taskId);
      const called = await calledBy(asked);
      return [status.state, (await ended('echo', called?.id ?? '')).status.state];
    },
    promised: () => ['TASK_STATE_CANCELED', 'TASK_STATE_CANCELED'],
  },
  'conversations: every turn is there once': {
    agent: 'requester',
    ask: () => ({ text: 'Where shall we have lunch?' }),
    isUnderWay: async (asked) => (await conversationOf(asked)).length > 0,
    shown: async (asked) => {
      await ended('requester', asked.taskId);
      return (await conversationOf(asked)).map(({ text, phase }) => text ?? phase);
    },
    promised: () => lunch,
  },
};

const asked = new Map<string, Asked>();
const nameOf = (promise: string, { name }: SdkBinding): string => `${promise}, over ${name}`;
let earlier: Task;

async function askAll(): Promise<void> {
  const rows = Object.entries(promises).flatMap(([promise, what]) =>
    sdkBindings.map((binding) => ({ promise, what, binding })),
  );
  await Promise.all(
    rows.map(async ({ promise, what, binding }, n) => {
      const file = join(folder, `file-${n}`);
      const traceId = `${n + 10}af7651916cd43dd8448eb211c80319c`.slice(0, 32).padEnd(32, '0');
      const { text, ...told } = what.ask(file, earlier);
      const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
      const client = await binding.at(`${doomed()}/agents/${what.agent}`);
      const taskId = await client.tell(text, { ...told, headers });
      const one = { binding, taskId, file, traceId };
      asked.set(nameOf(promise, binding), one);
      const isUnderWay = async (): Promise<boolean> => what.isUnderWay(one);
      await until(isUnderWay, { what: `${nameOf(promise, binding)} is under way`, timeoutMs: 30_000 });
    }),
  );
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'killed-extensions-'));
  collector = await startCollector();
  const lunchAgents = ['examples/ping-pong/agent.ts', 'examples/ping-pong/target.ts'];
  const others = ['stepper', 'skilled', 'caller'].map((agent) => `tests/support/agents/${agent}.ts`);
  stack = await startStack({
    redisUrl: inject('redisUrl'),
    agents: [...others, 'examples/echo/agent.ts', ...lunchAgents],
    gateways: 2,
    workers: 2,
    env: { DEFAULT_AGENT: 'stepper', TRACES: 'otlp', TRACES_URL: collector.url, TRACE_QUEUE: 'parent' },
  });
  const [binding] = sdkBindings;
  const client = await binding?.at(`${other()}/agents/stepper`);
  const metadata = { file: join(folder, 'earlier'), pauseMs: 0 };
  earlier = await ended('stepper', (await client?.tell('go', { metadata })) ?? '');
  await askAll();
  const [gateway] = stack.gateways;
  const actAll = (url: string): Promise<unknown> =>
    Promise.allSettled(
      Object.entries(promises).flatMap(([promise, { act }]) =>
        sdkBindings.map(async (each) => act?.(asked.get(nameOf(promise, each)) as Asked, url)),
      ),
    );
  const acted = actAll(doomed());
  gateway?.kill('SIGKILL');
  const workers = [...stack.workers];
  workers[0]?.kill('SIGKILL');
  await stack.addWorker();
  workers[1]?.kill('SIGKILL');
  await Promise.all([stack.addWorker(), acted]);
  // A client that was not answered asks again.
  await actAll(other());
});

afterAll(async () => {
  await stack?.stop();
  await collector?.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each(sdkBindings)('Over $name', (binding) => {
  it.each(Object.entries(promises))('%s', async (promise, { shown, promised }) => {
    expect(await shown(asked.get(nameOf(promise, binding)) as Asked)).toEqual(promised(earlier));
  });
});
