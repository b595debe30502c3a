import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Task, timeToLiveUri } from '@switchyard/protocol';
import { expect, inject, it } from 'vitest';
import { textOf } from '../support/messages.ts';
import { getTask } from '../support/rest.ts';
import { sdkBindings } from '../support/sdk-clients.ts';
import { startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

it('a busy worker rejects what it has not begun, a gateway does if the worker is killed, and what has begun runs again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'time-to-live-'));
  try {
    await using stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['skilled'] });
    const [url = ''] = stack.urls;
    const client = await sdkBindings[0]?.at(url);
    const file = (name: string): string => join(folder, name);
    const send = async (name: string, ttlMs: number): Promise<string> => {
      const messageMetadata = { [timeToLiveUri]: { ttlMs } };
      return (await client?.send(file(name), { extensions: [timeToLiveUri], messageMetadata })) ?? '';
    };
    const ended = (taskId: string): Promise<Task> => {
      const isEnded = async (): Promise<Task | false> => {
        const task = await getTask(url, taskId);
        return /COMPLETED|FAILED|REJECTED/.test(task.status.state) && task;
      };
      return until(isEnded, { what: 'the task has ended', timeoutMs: 40_000 });
    };
    const expectRejected = async (taskId: string): Promise<void> => {
      const { status } = await ended(taskId);
      expect(status.state).toBe('TASK_STATE_REJECTED');
      expect(textOf(status.message)).toContain('No worker began to work on this message');
    };

    // Longer than a busy machine takes to begin it, and over before the turn runs again.
    const firstMs = 10_000;
    const first = await send('first', firstMs);
    const overAtMs = performance.now() + firstMs;
    await until(() => existsSync(file('first')), { what: 'the first turn runs', timeoutMs: 30_000 });
    const [worker] = stack.workers;
    await expectRejected(await send('second', 200));
    // A gateway is 1.5 s later, if the machine is not busy.
    await Promise.any([worker, stack.gateways[0]].map((each) => each?.waitFor(/"event":"message-rejected"/)));
    worker?.kill('SIGKILL');
    await expectRejected(await send('third', 200));
    await stack.gateways[0]?.waitFor(/"event":"message-rejected"/);
    await until(() => performance.now() > overAtMs, { what: 'its time to live is over', timeoutMs: 20_000 });
    writeFileSync(file('first.go'), '');
    await stack.addWorker();
    expect((await ended(first)).status.state).toBe('TASK_STATE_COMPLETED');
    expect([existsSync(file('second')), existsSync(file('third'))]).toEqual([false, false]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
