import type { Task } from '@switchyard/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { expectAllEvents, numberedLines } from '../support/all-events.ts';
import { type EventStream, openEventStream } from '../support/event-stream.ts';
import { userMessage } from '../support/messages.ts';
import type { Program } from '../support/process.ts';
import { getTask, send, submit } from '../support/rest.ts';
import type { SentEvent } from '../support/sent-events.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// On a busy machine processes start slowly.
// Processes that stop or die in the middle of their work.

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['typist', 'echo'], gateways: 2, workers: 2 });
});

/** Replaces the processes that a test has ended. */
afterEach(async () => {
  if (stack.gateways.length < 2) await stack.addGateway();
  if (stack.workers.length < 2) await stack.addWorker();
});

afterAll(() => stack.stop());

const lines = 150;
const text = numberedLines('line', lines);

/** A task on which the typist works, with the stream of its events from the first one on. */
async function typing(): Promise<{ task: Task; stream: EventStream; seen: SentEvent[] }> {
  const [url = ''] = stack.urls;
  const task = await submit(url, userMessage(String(lines)));
  const stream = await openEventStream(`${url}/tasks/${task.id}:subscribe`, { lastEventId: 0 });
  const seen = await stream.until(({ artifactUpdate }) => artifactUpdate !== undefined);
  return { task, stream, seen };
}

/** The worker that has begun this attempt at the task. */
function workerOf(taskId: string, attempt = 1): Promise<Program> {
  const begun = new RegExp(`"event":"turn-(?:begun|taken-over)".*"task":"${taskId}".*"attempt":${attempt},`);
  const find = (): Program | undefined => stack.workers.find((worker) => begun.test(worker.output()));
  return until(find, { what: `a worker is at work on ${taskId}, attempt ${attempt}`, timeoutMs: 20_000 });
}

async function resumed(task: Task, seen: readonly SentEvent[]): Promise<SentEvent[]> {
  const lastEventId = seen.at(-1)?.eventId ?? 0;
  const [url = ''] = stack.urls;
  const rest = await (await openEventStream(`${url}/tasks/${task.id}:subscribe`, { lastEventId })).rest();
  return [...seen, ...rest];
}

async function expectCompleted(taskId: string, events: readonly SentEvent[]): Promise<void> {
  const task = await getTask(stack.urls[0] ?? '', taskId);
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(task.artifacts).toMatchObject([{ name: 'Page', parts: [{ text }] }]);
  expectAllEvents(events, task);
}

describe('a worker in the middle of a turn', () => {
  it('hands the turn back on SIGTERM: another worker runs it, and no attempt is spent', async () => {
    const { task, stream, seen } = await typing();
    const worker = await workerOf(task.id);
    expect(await worker.stop()).toBe(0);
    await workerOf(task.id);
    await expectCompleted(task.id, [...seen, ...(await stream.rest())]);
  });

  it('loses nothing when it is killed: another worker runs the turn again, as the next attempt', async () => {
    const { task, stream, seen } = await typing();
    const worker = await workerOf(task.id);
    await worker.stop(0);
    await workerOf(task.id, 2);
    await expectCompleted(task.id, [...seen, ...(await stream.rest())]);
  });
});

describe('a gateway with an open stream', () => {
  it('ends the stream with the reason on SIGTERM, and the client resumes at another gateway', async () => {
    const { task, stream, seen } = await typing();
    const [gateway] = stack.gateways;
    const stopped = gateway?.stop();
    // It would throw if the connection broke.
    const before = [...seen, ...(await stream.rest())];
    expect(await stopped).toBe(0);
    expect(before.length).toBeLessThan(lines);
    // The reason is no event of the task, and has no id.
    const reason = before.pop();
    expect([reason?.eventId, JSON.parse(reason?.text ?? '')]).toMatchObject(['', { error: { status: 'UNAVAILABLE' } }]);
    await expectCompleted(task.id, await resumed(task, before));
  });

  it('breaks the stream when it is killed, and the client resumes at another gateway', async () => {
    const { task, stream, seen } = await typing();
    await stack.gateways[0]?.stop(0);
    const before = [...seen];
    const readToTheBreak = async (): Promise<void> => {
      for await (const event of stream) before.push(event);
    };
    await expect(readToTheBreak()).rejects.toMatchObject({ code: 'ECONNRESET' });
    await expectCompleted(task.id, await resumed(task, before));
  });

  it('answers a blocking call with the current task on SIGTERM', async () => {
    const [url = ''] = stack.urls;
    const message = userMessage('slow 60000');
    const answer = send(`${url}/agents/echo`, message);
    const isWaiting = async (): Promise<boolean> =>
      stack.workers.some((worker) => /turn-begun","agent":"echo"/.test(worker.output()));
    await until(isWaiting, { what: 'the agent is at work' });
    expect(await stack.gateways[0]?.stop()).toBe(0);
    const { id, status } = await answer;
    expect(status.state).toMatch(/^TASK_STATE_(SUBMITTED|WORKING)$/);
    expect((await getTask(`${stack.urls[0]}/agents/echo`, id)).status.state).toBe('TASK_STATE_WORKING');
  });
});
