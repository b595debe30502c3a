import type { StreamResponse, Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { numberedLines } from '../../../../tests/support/all-events.ts';
import { getTask, submit } from '../../../../tests/support/rest.ts';
import { type Stack, startStack } from '../../../../tests/support/stack.ts';
import { until } from '../../../../tests/support/until.ts';
import type { Invocation } from '../support/bindings/outcome.ts';
import { userMessage } from '../support/client.ts';
import { type BindingName, bindingNames, clientOf, closeClients, type Numbered } from './clients.ts';

// A2A 1.1 (docs/a2a-1-1.md) over each binding, at two gateways with two workers; one of each is killed.

// On a busy machine processes start slowly.
const LINES = 200;

let stack: Stack;

beforeAll(async () => {
  const env = { PREVIEW_1_1: 'on' };
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['typist', 'echo'], gateways: 2, workers: 2, env });
});

afterAll(async () => {
  closeClients();
  await stack.stop();
});

/** Kills the first gateway and the first worker, once there are others. */
async function killOneOfEach(): Promise<void> {
  const [[gateway], [worker]] = [stack.gateways, stack.workers];
  await Promise.all([stack.addGateway(), stack.addWorker()]);
  gateway?.kill('SIGKILL');
  worker?.kill('SIGKILL');
  await Promise.all([gateway?.exited, worker?.exited]);
}

const generationOf = (event: StreamResponse): number => {
  const payload: Numbered<object> | undefined = event.task ?? event.statusUpdate ?? event.artifactUpdate;
  return Number(payload?.generation);
};

/** Polls the first running gateway for changes after the last answer. @returns the generations */
async function pollToTheEnd(name: BindingName, id: string): Promise<number[]> {
  const generations: number[] = [];
  for (let breaks = 0; ; ) {
    const url = stack.urls[0] ?? '';
    const params = { id, currentGeneration: generations.at(-1) ?? 0 };
    try {
      const task = await (await clientOf(name, url)).ask<Numbered<Task>>({ operation: 'GetTask', params });
      generations.push(Number(task.generation));
      if (task.status.state === 'TASK_STATE_COMPLETED') return generations;
    } catch (error) {
      if (++breaks > 2) throw error;
      await until(() => stack.urls[0] !== url, { what: 'another gateway is the first' });
    }
  }
}

describe.each(bindingNames)('Over %s, when a gateway and a worker are killed,', (name) => {
  it('a stream that resumes after a generation has each one once and in order, and so have polls', async () => {
    const { id } = await submit(stack.urls[1] ?? '', userMessage(`${LINES}`));
    const polled = pollToTheEnd(name, id);
    const subscribe = (after: number, mostEvents?: number): Invocation => ({
      ...{ operation: 'SubscribeToTask', params: { id }, headers: { 'last-event-id': `${after}` } },
      ...(mostEvents !== undefined && { mostEvents }),
    });
    const first = await clientOf(name, stack.urls[0] ?? '');
    const events = await first.ask<StreamResponse[]>(subscribe(0, 20));
    const broken = first.ask<StreamResponse[]>(subscribe(20)).catch((error: unknown) => error);
    await killOneOfEach();
    await broken;
    const last = await clientOf(name, stack.urls.at(-1) ?? '');
    events.push(...(await last.ask<StreamResponse[]>(subscribe(20))));
    const generations = events.map(generationOf);
    expect(generations).toEqual(generations.map((_, i) => i + 1));
    const task = await getTask(stack.urls[0] ?? '', id);
    expect(task.artifacts?.[0]?.parts).toEqual([{ text: numberedLines('line', LINES) }]);
    const polls = await polled;
    expect(polls).toEqual([...new Set(polls)].sort((a, b) => a - b));
    expect(polls.at(-1)).toBe(generations.length);
  });

  it('of many messages for one generation a single one is accepted, also if its answer was lost', async () => {
    const at = (url = ''): string => `${url}/agents/echo`;
    const { id: taskId } = await submit(at(stack.urls[1]), userMessage('ask'));
    const isAsked = async (): Promise<boolean> =>
      (await getTask(at(stack.urls[1]), taskId)).status.state === 'TASK_STATE_INPUT_REQUIRED';
    await until(isAsked, { what: 'the agent asks', timeoutMs: 20_000 });
    const headers = { 'a2a-agent': 'echo' };
    const clients = await Promise.all(stack.urls.map((url) => clientOf(name, at(url))));
    const read = { operation: 'GetTask', params: { id: taskId }, headers };
    const generation = Number((await clients[1]?.ask<Numbered<Task>>(read))?.generation);
    const configuration = { ifGenerationMatch: generation, returnImmediately: true };
    const answers = Array.from({ length: 12 }, (_, i) => ({
      ...{
        operation: 'SendMessage',
        params: { message: userMessage(`answer ${i}`, { taskId }), configuration },
        headers,
      },
    }));
    const doomed = clients[0];
    const sent = answers.map((answer) => doomed?.ask(answer));
    const [gateway] = stack.gateways;
    gateway?.kill('SIGKILL');
    await Promise.allSettled(sent);
    const verdicts = await Promise.all(
      answers.map((answer) =>
        clients[1]?.ask(answer).then(
          () => 'accepted',
          (error: Error) => /TASK_GENERATION_MISMATCH/.exec(error.message)?.[0] ?? error,
        ),
      ),
    );
    await stack.addGateway();
    expect(verdicts.toSorted()).toEqual([...Array.from({ length: 11 }, () => 'TASK_GENERATION_MISMATCH'), 'accepted']);
    const { history = [] } = await getTask(at(stack.urls[0]), taskId);
    expect(history.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(2);
  });
});
