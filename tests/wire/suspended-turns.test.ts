import { suspendedUri, type Task } from '@switchyard/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { textOf } from '../support/messages.ts';
import { getTask, post } from '../support/rest.ts';
import { type SdkClient, sdkBindings } from '../support/sdk-clients.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// What the official clients of 1.0 and 0.3, which know no events, see of a task whose turn is suspended.

// On a busy machine processes start slowly.
let stack: Stack;
const url = (): string => `${stack.urls[0]}/agents/patient`;

beforeAll(async () => {
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['patient'] });
});

afterAll(() => stack.stop());

/** The task once its turn is suspended, after so many messages of both sides. */
function suspended(taskId: string, messages: number): Promise<Task> {
  const isSuspended = async (): Promise<Task | false> => {
    const task = await getTask(url(), taskId);
    return task.metadata?.[suspendedUri] !== undefined && task.history?.length === messages && task;
  };
  return until(isSuspended, { what: 'the turn is suspended', timeoutMs: 20_000 });
}

/** Follows the task to its end. Resolves when the first event is there. */
async function follow(client: SdkClient, taskId: string): Promise<{ readonly states: Promise<string[]> }> {
  const events = client.follow(taskId)[Symbol.asyncIterator]();
  const first = await events.next();
  const states = async (): Promise<string[]> => {
    const all = first.done ? [] : [first.value.what];
    for (let next = await events.next(); !next.done; next = await events.next()) all.push(next.value.what);
    return all;
  };
  return { states: states() };
}

describe.each(sdkBindings)('Over $name, a suspended turn', ({ at }) => {
  it('works, is followed and steered while it waits, and goes on to its end', async () => {
    const client = await at(url());
    const taskId = await client.send('wait');
    const task = await suspended(taskId, 1);
    expect(task.status.state).toBe('TASK_STATE_WORKING');
    expect(task.metadata).toEqual({ [suspendedUri]: [{ event: 'go' }] });
    const { states } = await follow(client, taskId);
    expect(await client.send('hurry', { taskId })).toBe(taskId);
    await suspended(taskId, 3);
    expect(await post(`${url()}/tasks/${taskId}/events/go`, ['now'])).toMatchObject({ status: 200 });
    const seen = await states;
    expect(new Set(seen.slice(0, -1))).toEqual(new Set(['working']));
    expect(seen.at(-1)).toBe('completed');
    expect(textOf((await getTask(url(), taskId)).status.message)).toBe('wait, hurry, now');
  });

  it('is canceled, and its followers see the end', async () => {
    const client = await at(url());
    const taskId = await client.send('wait');
    await suspended(taskId, 1);
    const { states } = await follow(client, taskId);
    expect((await client.cancel(taskId)).toLowerCase()).toMatch(/canceled$/);
    expect((await states).at(-1)).toBe('canceled');
  });
});
