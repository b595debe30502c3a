import { afterEach, expect, test } from 'vitest';
import { residentBytes } from '../../../tests/support/process-usage.ts';
import type { Stack } from '../../../tests/support/stack.ts';
import { until } from '../../../tests/support/until.ts';
import { openStalledClient } from '../inject/faults.ts';
import { ResilientClient, watchTask } from '../workload/resilient-client.ts';
import { startScene } from '../workload/scene.ts';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function gateways(count: number): Promise<Stack> {
  const scene = await startScene({ agents: ['crash-agent'], gateways: count });
  open.push(scene);
  return scene.stack;
}

const message = (text: string) => ({
  messageId: crypto.randomUUID(),
  contextId: crypto.randomUUID(),
  role: 'ROLE_USER' as const,
  parts: [{ text }],
});

test('a client whose gateway dies before it answers gets the same task from another gateway', async () => {
  const stack = await gateways(2);
  const [first = '', second = ''] = stack.urls;
  const said = message('wait 1500');
  const tasksOf = async (): Promise<{ id: string }[]> => {
    const response = await fetch(`${second}/tasks?contextId=${said.contextId}`);
    const { tasks }: { tasks: { id: string }[] } = JSON.parse(await response.text());
    return tasks;
  };
  const unanswered = new ResilientClient({ urls: [first] }, 0).send(said, false).catch(() => undefined);
  const [accepted] = await until(async () => (await tasksOf()).length && tasksOf(), { what: 'the task is accepted' });
  stack.gateways[0]?.kill('SIGKILL');
  const task = await new ResilientClient({ urls: [second] }, 0).send(said, false);
  expect(task.id).toBe(accepted?.id);
  expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  expect(await tasksOf()).toHaveLength(1);
  void unanswered;
});

test('a stream whose gateway dies resumes at another one where it stopped', async () => {
  const stack = await gateways(2);
  const client = new ResilientClient(stack, 0);
  const task = await client.send(message('wait 2000'), true);
  const watched = watchTask(new ResilientClient(stack, 0), task.id);
  await until(async () => (await client.read(task.id)).status.state === 'TASK_STATE_WORKING', { what: 'it works' });
  stack.gateways[0]?.kill('SIGKILL');
  const { problems, events, resumed } = await watched;
  expect(problems).toEqual([]);
  expect([...events.keys()]).toEqual(Array.from(events, (_, n) => n + 1));
  expect(resumed).toBeGreaterThan(0);
});

test('a client that does not read costs a gateway no memory, and other clients no events', async () => {
  const stack = await gateways(1);
  const [url = ''] = stack.urls;
  const client = new ResilientClient({ urls: [url] }, 0);
  const pid = stack.gateways[0]?.pid ?? 0;
  const warm = await client.send(message('flood 20'), true);
  await watchTask(client, warm.id);
  const before = residentMiB(pid);
  // 60 MiB for each of 10 readers would be 600 MiB. A few events in flight for each, and garbage, are some 130.
  const task = await client.send(message('flood 960'), true);
  const readers = Array.from({ length: 10 }, () => openStalledClient(url, task.id));
  const { problems } = await watchTask(client, task.id);
  expect(problems).toEqual([]);
  expect(residentMiB(pid) - before).toBeLessThan(300);
  for (const reader of readers) reader.destroy();
  expect((await client.read(warm.id)).status.state).toBe('TASK_STATE_COMPLETED');
});

const residentMiB = (pid: number): number => residentBytes(pid) / 2 ** 20;
