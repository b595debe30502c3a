import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Task } from '@switchyard/protocol';
import { expect, inject, test } from 'vitest';
import { type ReceivedSpan, spansFrom, startCollector } from '../../../tests/support/collector.ts';
import { userMessage } from '../../../tests/support/messages.ts';
import { getTask, post } from '../../../tests/support/rest.ts';
import { startStack } from '../../../tests/support/stack.ts';
import { until } from '../../../tests/support/until.ts';

test('all spans of a task whose worker was killed lead to the send, including those of the lost attempt', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-killed-'));
  const file = join(folder, 'calls');
  await using collector = await startCollector();
  await using stack = await startStack({
    redisUrl: inject('redisUrl'),
    agents: ['messenger', 'echo'],
    env: { TRACES: 'otlp', TRACES_URL: collector.url, SWEEP_AFTER_MS: '2000', SWEEP_MS: '200' },
  });
  const url = stack.urls[0] ?? '';
  const send = async (text: string): Promise<string> => {
    const configuration = { returnImmediately: true };
    const request = { message: userMessage(text), configuration, metadata: { file } };
    return (await post<{ task: Task }>(`${url}/message:send`, request)).body.task.id;
  };
  const isNoted = async (text: string): Promise<boolean> =>
    (await readFile(file, 'utf8').catch(() => '')).includes(text);
  const named = (name: string, spans: Iterable<ReceivedSpan> = collector.spans): ReceivedSpan[] =>
    [...spans].filter((span) => span.name === name);

  // When the worker dies, it has exported the spans of the first task, but not of the second.
  const early = await send('early');
  await until(() => named('call echo').length > 0, { what: 'the call of the first task is exported' });
  const late = await send('late');
  await until(() => isNoted('late'), { what: 'the second task is in its call' });
  stack.workers[0]?.kill('SIGKILL');
  await stack.addWorker();
  const isDone = async (id: string): Promise<boolean> =>
    (await getTask(url, id)).status.state === 'TASK_STATE_COMPLETED';
  await until(async () => (await isDone(early)) && (await isDone(late)), { what: 'both end', timeoutMs: 20_000 });
  await stack.stop();

  for (const id of [early, late]) {
    const operation = named('SendMessage').find(({ attributes }) => attributes['a2a.task.id'] === id);
    if (!operation) throw new Error('the operation has no span');
    const reached = spansFrom(operation, collector.spans);
    const [lost, taken, ...others] = named('process messenger', reached);
    expect(others).toEqual([]);
    expect(lost).toMatchObject({ isError: true, attributes: { 'error.type': 'worker_died', 'switchyard.attempt': 1 } });
    expect(taken).toMatchObject({ isError: false, traceId: lost?.traceId, attributes: { 'switchyard.attempt': 2 } });
    expect(named('step deliver', reached)).toHaveLength(1);
    expect(named('step set out', reached).length).toBeGreaterThan(0);
    const calls = [...named('call echo', reached), ...named('call', reached)];
    expect(new Set(calls.map(({ spanId }) => spanId)).size).toBe(1);
  }
  const reached = named('SendMessage').flatMap((operation) => [...spansFrom(operation, collector.spans)]);
  const others = collector.spans.filter((span) => !reached.includes(span) && span.name !== 'GetTask');
  expect(others).toEqual([]);
  await rm(folder, { recursive: true });
});
