import { freePort } from '@switchyard/local';
import type { StreamResponse, Task } from '@switchyard/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { expectAllEvents } from '../support/all-events.ts';
import { openEventStream } from '../support/event-stream.ts';
import { textOf, userMessage } from '../support/messages.ts';
import { type Program, startProgram } from '../support/process.ts';
import { getTask, post, send, submit } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// A queue in front of an SDK server with its tasks in memory: whatever is killed, the client sees one task that
// completes.

let stack: Stack;
let almanac: Program;
let url: string;
let env: Record<string, string>;

async function startAlmanac(): Promise<Program> {
  const program = await startProgram({ file: 'examples/remote/almanac/main.ts', env });
  await program.waitFor(/its card is at/);
  return program;
}

beforeAll(async () => {
  env = { ALMANAC_PORT: String(await freePort()), ALMANAC_LINE_MS: '150' };
  almanac = await startAlmanac();
  stack = await startStack({
    redisUrl: inject('redisUrl'),
    agents: ['examples/remote/agent.ts'],
    env: { ...env, DEFAULT_AGENT: 'almanac', SWEEP_AFTER_MS: '1500', SWEEP_MS: '200' },
  });
  [url = ''] = stack.urls;
});

beforeEach(async () => {
  if (!almanac.isRunning()) almanac = await startAlmanac();
});

afterAll(async () => {
  await stack.stop();
  await almanac.stop();
});

const lines = ({ artifacts = [] }: Task): string[] =>
  artifacts.flatMap(({ parts }) => textOf({ parts }).split('\n').slice(0, -1));

const aLine = ({ artifactUpdate }: StreamResponse): boolean => artifactUpdate !== undefined;

async function follow(words: string) {
  const body = { message: userMessage(words) };
  const stream = await openEventStream(`${url}/message:stream`, { method: 'POST', body });
  const begun = await stream.until(aLine);
  return { stream, begun, id: begun[0]?.data.task?.id ?? '' };
}

describe('an SDK agent with a queue in front', () => {
  it('is announced with its card, and its questions and artifacts are passed on', async () => {
    const card = await (await fetch(`${url}/.well-known/agent-card.json`)).json();
    expect(card).toMatchObject({ name: 'Almanac', capabilities: { streaming: true } });
    expect(JSON.stringify(card)).not.toContain(env.ALMANAC_PORT);
    const asked = await send(url, userMessage('An almanac, please'));
    expect(textOf(asked.status.message)).toBe('Of which year?');
    const done = await send(url, userMessage('2027', asked));
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(lines(done)).toHaveLength(12);
  });

  it('can be killed in the middle and restart with nothing: its client sees one task that completes', async () => {
    const { stream, begun, id } = await follow('The almanac of 2027, please');
    almanac.kill('SIGKILL');
    await almanac.exited;
    almanac = await startAlmanac();
    const events = [...begun, ...(await stream.rest())];
    const task = await getTask(url, id);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.artifacts).toHaveLength(1);
    expect(lines(task)).toHaveLength(12);
    expectAllEvents(events, task);
  });

  it('keeps working while the worker in front of it is killed, and gets no second request', async () => {
    const { stream, begun, id } = await follow('The almanac of 2028, please');
    const [worker] = stack.workers;
    worker?.kill('SIGKILL');
    await worker?.exited;
    await stack.addWorker();
    const events = [...begun, ...(await stream.rest())];
    const task = await getTask(url, id);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(lines(task)).toHaveLength(12);
    expect(task.history?.map(textOf)).toEqual([
      'The almanac of 2028, please',
      'Writing the almanac of 2028',
      'The almanac of 2028 is done.',
    ]);
    expectAllEvents(events, task);
  });

  it('can be unreachable when a message arrives: the message waits', async () => {
    almanac.kill('SIGKILL');
    await almanac.exited;
    const { id } = await submit(url, userMessage('The almanac of 2029, please'));
    almanac = await startAlmanac();
    const completed = async () => (await getTask(url, id)).status.state === 'TASK_STATE_COMPLETED';
    await until(completed, { what: 'the almanac is done', timeoutMs: 20_000 });
  });

  it('gets a cancel', async () => {
    const { stream, id } = await follow('The almanac of 2030, please');
    await post(`${url}/tasks/${id}:cancel`);
    const last = (await stream.rest()).at(-1);
    expect(last?.data.statusUpdate?.status.state).toBe('TASK_STATE_CANCELED');
    expect(lines(await getTask(url, id)).length).toBeLessThan(12);
  });
});
