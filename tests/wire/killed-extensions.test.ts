import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rerunUri, skillUri, type Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type ReceivedSpan, startCollector, type TestCollector } from '../support/collector.ts';
import { textOf } from '../support/messages.ts';
import { get, getTask } from '../support/rest.ts';
import { type SdkBinding, type SendOptions, sdkBindings } from '../support/sdk-clients.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// What the extensions guarantee (docs/extensions) to the official clients of 1.0 and 0.3 over each binding, when the
// gateway of the request and each worker are killed.

let folder: string;
let collector: TestCollector;
let stack: Stack;

/** Clients use the first gateway until it is killed; the tests use the last one. */
const doomed = (): string => stack.urls[0] ?? '';
const other = (): string => stack.urls.at(-1) ?? '';

interface SentMessage {
  readonly binding: SdkBinding;
  readonly taskId: string;
  /** For an agent that writes a file. */
  readonly file: string;
  readonly traceId: string;
}

interface Guarantee {
  readonly agent: string;
  readonly ask: (file: string, earlier: Task) => { readonly text: string } & SendOptions;
  readonly isUnderWay: (sent: SentMessage) => Promise<boolean> | boolean;
  /** The client's action just before the kill, which may get no answer. */
  readonly act?: (sent: SentMessage, url: string) => Promise<unknown>;
  /** The state at the end. */
  readonly outcome: (sent: SentMessage) => Promise<unknown>;
  readonly expected: (earlier: Task) => unknown;
}

const linesOf = (file: string): string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);

async function ended(agent: string, taskId: string): Promise<Task> {
  const isEnded = async (): Promise<Task | false> => {
    const task = await getTask(`${other()}/agents/${agent}`, taskId);
    return /COMPLETED|FAILED|CANCELED|REJECTED/.test(task.status.state) && task;
  };
  return until(isEnded, { what: `a task of ${agent} has ended`, timeoutMs: 40_000 });
}

const answerOf = async (agent: string, { taskId }: SentMessage): Promise<string> =>
  textOf((await ended(agent, taskId)).status.message);

async function calledBy({ taskId }: SentMessage): Promise<Task | undefined> {
  const { contextId } = await getTask(`${other()}/agents/caller`, taskId);
  const { body } = await get<{ tasks: Task[] }>(`${other()}/agents/echo/tasks?contextId=${contextId}`);
  return body.tasks[0];
}

async function conversationOf({ taskId }: SentMessage): Promise<{ text?: string; phase: string }[]> {
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

const guarantees: Readonly<Record<string, Guarantee>> = {
  'rerun: earlier steps keep their results, and the others run': {
    agent: 'stepper',
    ask: (file, { id: taskId }) => ({
      text: 'again',
      extensions: [rerunUri],
      messageMetadata: { [rerunUri]: { taskId, fromStep: 'second' } },
      metadata: { file, pauseMs: 60_000 },
    }),
    isUnderWay: ({ file }) => linesOf(file).length > 0,
    outcome: async (sent) => [
      await answerOf('stepper', sent),
      linesOf(sent.file)
        .map((line) => line.split(' ')[0])
        .join(' '),
    ],
    expected: (earlier) => [textOf(earlier.status.message), 'second second third'],
  },
  'trace-context: the turn that takes over belongs to the trace of the client': {
    agent: 'stepper',
    ask: (file) => ({ text: 'go', metadata: { file, pauseMs: 60_000 } }),
    isUnderWay: ({ file }) => linesOf(file).length > 1,
    outcome: async (sent) => {
      await ended('stepper', sent.taskId);
      const isTraced = ({ traceId, links }: ReceivedSpan): boolean =>
        [traceId, ...links.map((link) => link.traceId)].includes(sent.traceId);
      const isThere = (): boolean => collector.spans.some((span) => span.name === 'process stepper' && isTraced(span));
      return until(isThere, { what: 'the span of the turn', timeoutMs: 20_000 });
    },
    expected: () => true,
  },
  'skill: a task stays in the queue of its skill': {
    agent: 'skilled',
    ask: (file) => ({ text: file, extensions: [skillUri], messageMetadata: { [skillUri]: { skill: 'print' } } }),
    // Each worker runs one turn of this skill at a time.
    isUnderWay: () => true,
    outcome: async (one) => {
      // For all bindings at once: tasks of others may occupy the workers after the kill.
      for (const { file } of sent.values()) writeFileSync(`${file}.go`, '');
      const answer = await answerOf('skilled', one);
      return [answer, [...new Set(linesOf(one.file).map((line) => line.split(' ')[0]))]];
    },
    expected: () => ['print', ['print']],
  },
  'cascading-cancel: tasks started by a canceled task are canceled, too': {
    agent: 'caller',
    ask: () => ({ text: 'slow 60000', metadata: { agent: 'echo' } }),
    isUnderWay: async (sent) => (await calledBy(sent))?.status.state === 'TASK_STATE_WORKING',
    act: async ({ binding, taskId }, url) => (await binding.at(`${url}/agents/caller`)).cancel(taskId),
    outcome: async (sent) => {
      const { status } = await ended('caller', sent.taskId);
      const called = await calledBy(sent);
      return [status.state, (await ended('echo', called?.id ?? '')).status.state];
    },
    expected: () => ['TASK_STATE_CANCELED', 'TASK_STATE_CANCELED'],
  },
  'conversations: every turn exists once': {
    agent: 'requester',
    ask: () => ({ text: 'Where shall we have lunch?' }),
    isUnderWay: async (sent) => (await conversationOf(sent)).length > 0,
    outcome: async (sent) => {
      await ended('requester', sent.taskId);
      return (await conversationOf(sent)).map(({ text, phase }) => text ?? phase);
    },
    expected: () => lunch,
  },
};

const sent = new Map<string, SentMessage>();
const nameOf = (guarantee: string, { name }: SdkBinding): string => `${guarantee}, over ${name}`;
let earlier: Task;

async function askAll(): Promise<void> {
  const rows = Object.entries(guarantees).flatMap(([guarantee, what]) =>
    sdkBindings.map((binding) => ({ guarantee, what, binding })),
  );
  await Promise.all(
    rows.map(async ({ guarantee, what, binding }, n) => {
      const file = join(folder, `file-${n}`);
      const traceId = `${n + 10}af7651916cd43dd8448eb211c80319c`.slice(0, 32).padEnd(32, '0');
      const { text, ...options } = what.ask(file, earlier);
      const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
      const client = await binding.at(`${doomed()}/agents/${what.agent}`);
      const taskId = await client.send(text, { ...options, headers });
      const one = { binding, taskId, file, traceId };
      sent.set(nameOf(guarantee, binding), one);
      const isUnderWay = async (): Promise<boolean> => what.isUnderWay(one);
      await until(isUnderWay, { what: `${nameOf(guarantee, binding)} is under way`, timeoutMs: 30_000 });
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
  earlier = await ended('stepper', (await client?.send('go', { metadata })) ?? '');
  await askAll();
  const [gateway] = stack.gateways;
  const actAll = (url: string): Promise<unknown> =>
    Promise.allSettled(
      Object.entries(guarantees).flatMap(([guarantee, { act }]) =>
        sdkBindings.map(async (each) => act?.(sent.get(nameOf(guarantee, each)) as SentMessage, url)),
      ),
    );
  const acted = actAll(doomed());
  gateway?.kill('SIGKILL');
  // Both at once: a turn that the second took over from the first would end before its kill on a slow machine, and its
  // span would be lost.
  for (const worker of [...stack.workers]) worker.kill('SIGKILL');
  await Promise.all([stack.addWorker(), stack.addWorker(), acted]);
  // A client without an answer repeats its request.
  await actAll(other());
});

afterAll(async () => {
  await stack?.stop();
  await collector?.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each(sdkBindings)('Over $name', (binding) => {
  it.each(Object.entries(guarantees))('%s', async (guarantee, { outcome, expected }) => {
    expect(await outcome(sent.get(nameOf(guarantee, binding)) as SentMessage)).toEqual(expected(earlier));
  });
});
