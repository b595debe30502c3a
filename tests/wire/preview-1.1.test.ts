import type { Task } from '@switchyard/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { numberedLines } from '../support/all-events.ts';
import { openEventStream } from '../support/event-stream.ts';
import { type HttpServer, openHttpServer } from '../support/http-server.ts';
import { userMessage } from '../support/messages.ts';
import type { Program } from '../support/process.ts';
import { type ErrorBody, get, post, type RestAnswer, submit } from '../support/rest.ts';
import type { SentEvent } from '../support/sent-events.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// On a busy machine processes start slowly.
// A2A 1.1 (docs/a2a-1-1.md) at two gateways with two workers, some of which are killed.

let stack: Stack;

const received: string[] = [];
let hook: HttpServer;

beforeAll(async () => {
  hook = await openHttpServer(async (req, res) => {
    received.push((await req.setEncoding('utf8').toArray()).join(''));
    res.end();
  });
  const env = { PREVIEW_1_1: 'on', PUSH_ALLOW_HTTP: 'on', PUSH_ALLOW_HOSTS: '127.0.0.0/8' };
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['typist', 'echo'], gateways: 2, workers: 2, env });
});

/** Replaces the processes that a test has ended. */
afterEach(async () => {
  if (stack.gateways.length < 2) await stack.addGateway();
  if (stack.workers.length < 2) await stack.addWorker();
});

afterAll(async () => {
  await stack.stop();
  await hook.close();
});

const in1_1 = { 'a2a-version': '1.1' };
const lines = 150;

type Numbered = Task & { readonly generation: string };

const gateway = (index: number): string => stack.urls[index % stack.urls.length] ?? '';

const generationOf = (text: string): number => {
  const payloads: Record<string, { readonly generation?: string }> = JSON.parse(text);
  const [payload] = Object.values(payloads);
  return Number(payload?.generation);
};

const poll = (base: string, id: string, currentGeneration: number): Promise<RestAnswer<Numbered>> =>
  get<Numbered>(`${base}/tasks/${id}?currentGeneration=${currentGeneration}&historyLength=0`, in1_1);

/** Polls the gateways in turn for changes after the last answer, until the task has ended. */
async function pollToTheEnd(id: string): Promise<Numbered[]> {
  const tasks: Numbered[] = [];
  while (tasks.at(-1)?.status.state !== 'TASK_STATE_COMPLETED') {
    const { status, body } = await poll(gateway(tasks.length), id, Number(tasks.at(-1)?.generation ?? 0));
    if (status !== 200) throw new Error(`the poll was answered with ${status}`);
    tasks.push(body);
  }
  return tasks;
}

/** Expects that generations rise with each answer, and that the last task is complete. */
function expectRising(tasks: readonly Numbered[]): void {
  const generations = tasks.map(({ generation }) => Number(generation));
  expect(generations).toEqual([...new Set(generations)].sort((a, b) => a - b));
  expect(tasks.at(-1)?.artifacts?.[0]?.parts).toEqual([{ text: numberedLines('line', lines) }]);
}

function workerOf(taskId: string): Promise<Program> {
  const begun = new RegExp(`"event":"turn-begun".*"task":"${taskId}"`);
  const find = (): Program | undefined => stack.workers.find((worker) => begun.test(worker.output()));
  return until(find, { what: `a worker is at work on ${taskId}`, timeoutMs: 20_000 });
}

/** A task of which the typist has written the first lines. */
async function typing(): Promise<string> {
  const { id } = await submit(gateway(0), userMessage(String(lines)));
  await until(async () => Number((await poll(gateway(1), id, 0)).body.generation) > 5, { what: 'it has begun' });
  return id;
}

describe('the generations of a stream', () => {
  it('have no gap though the stream is cut and resumed at the other gateway, and its worker is killed', async () => {
    const id = await typing();
    const worker = await workerOf(id);
    const events: SentEvent[] = [];
    for (let cut = 0; cut < 4; cut++) {
      const lastEventId = events.at(-1)?.eventId ?? 0;
      const options = { headers: in1_1, lastEventId, ...(cut < 3 && { cutAfterBytes: 4_000 * (cut + 1) }) };
      const stream = await openEventStream(`${gateway(cut)}/tasks/${id}:subscribe`, options);
      events.push(...(await stream.rest()));
      if (cut === 1) await worker.stop(0);
    }
    expect(events.length).toBeGreaterThan(lines);
    expect(events.map(({ text }) => generationOf(text))).toEqual(events.map((_, i) => i + 1));
    expect((await poll(gateway(1), id, 0)).body.generation).toBe(String(events.length));
  });

  it('of a late subscriber start with that of the task', async () => {
    const id = await typing();
    const stream = await openEventStream(`${gateway(1)}/tasks/${id}:subscribe`, { headers: in1_1 });
    const [first = 0, ...others] = (await stream.rest()).map(({ text }) => generationOf(text));
    expect(first).toBeGreaterThan(5);
    expect(others).toEqual(others.map((_, i) => first + i + 1));
  });
});

describe('a webhook registered in 1.1', () => {
  it('gets every event with its generation', async () => {
    const taskPushNotificationConfig = { url: `${hook.url}/hook` };
    const body = { message: userMessage('20'), configuration: { taskPushNotificationConfig } };
    const { body: answer } = await post<{ task: Numbered }>(`${gateway(0)}/message:send`, body, in1_1);
    const { id, generation } = answer.task;
    const ours = (): string[] => received.filter((text) => text.includes(id));
    await until(() => ours().length >= Number(generation), { what: 'all is received', timeoutMs: 20_000 });
    expect(ours().map(generationOf)).toEqual(ours().map((_, i) => i + 1));
    expect(ours()).toHaveLength(Number(generation));
  });
});

describe('a long poll', () => {
  it('at alternating gateways follows the task to its end', async () => {
    expectRising(await pollToTheEnd(await typing()));
  });

  it('is answered when another worker continues the work of a killed one', async () => {
    const id = await typing();
    const polled = pollToTheEnd(id);
    await (await workerOf(id)).stop(0);
    expectRising(await polled);
  });

  it('fails when its gateway stops, and can be repeated at another one', async () => {
    const { id } = await submit(`${gateway(0)}/agents/echo`, userMessage('ask'));
    const agentAt = (base: string): string => `${base}/agents/echo`;
    const isAsked = async (): Promise<boolean> =>
      (await poll(agentAt(gateway(1)), id, 0)).body.status.state === 'TASK_STATE_INPUT_REQUIRED';
    await until(isAsked, { what: 'the agent waits for input' });
    const [doomed] = stack.gateways;
    const generation = Number((await poll(agentAt(gateway(1)), id, 0)).body.generation);
    const broken = expect(poll(agentAt(doomed?.url ?? ''), id, generation)).rejects.toThrow();
    await doomed?.stop(0);
    await broken;
    const again = poll(agentAt(gateway(0)), id, generation);
    await submit(agentAt(gateway(0)), userMessage('the answer', { id }));
    expect(Number((await again).body.generation)).toBeGreaterThan(generation);
  });
});

describe('answers for the same generation, sent to both gateways at once,', () => {
  it('are refused except one', async () => {
    const { id } = await submit(`${gateway(0)}/agents/echo`, userMessage('ask'));
    const read = async (): Promise<Numbered> => (await poll(`${gateway(1)}/agents/echo`, id, 0)).body;
    const asked = await until(
      async () => {
        const task = await read();
        return task.status.state === 'TASK_STATE_INPUT_REQUIRED' && task;
      },
      { what: 'the agent waits for input' },
    );
    const configuration = { ifGenerationMatch: asked.generation, returnImmediately: true };
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        post<Partial<ErrorBody>>(
          `${gateway(i)}/agents/echo/message:send`,
          { message: userMessage(`answer ${i}`, { id }), configuration },
          in1_1,
        ),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 11 }, () => 409)]);
    const refused = answers.find(({ status }) => status === 409)?.body.error;
    expect(refused).toMatchObject({
      status: 'ABORTED',
      details: [{ reason: 'TASK_GENERATION_MISMATCH', metadata: { taskId: id, expectedGeneration: asked.generation } }],
    });
  });
});
