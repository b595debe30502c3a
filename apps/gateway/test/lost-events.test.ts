import { Redis } from 'ioredis';
import { describe, expect, inject, it } from 'vitest';
import { failOverTo } from '../../../tests/support/fail-over.ts';
import { type SdkBinding, type SeenEvent, sdkBindings } from '../../../tests/support/sdk-clients.ts';
import { until } from '../../../tests/support/until.ts';
import { twoGateways } from './support/bindings/two-gateways.ts';
import { submit } from './support/client.ts';
import { chunk, completed, working } from './support/events.ts';

// A fail-over loses the last events of a stream (docs/extensions/resumable-streams.md): what the official clients of
// 1.0 and 0.3 receive over each binding.

const gateways = twoGateways({ feedCheckMs: 100 });

/** Reads a stream as a client does. */
class Reader {
  readonly seen: SeenEvent[] = [];
  /** `ended`, or the error. */
  end: unknown;
  readonly #reading: Promise<void>;

  constructor(
    binding: SdkBinding,
    { taskId, after, gateway = 0 }: { taskId: string; after?: string; gateway?: number },
  ) {
    this.#reading = this.#read(binding, gateways.urlOf(gateway), taskId, after);
  }

  async #read(binding: SdkBinding, url: string, taskId: string, after: string | undefined): Promise<void> {
    try {
      for await (const event of (await binding.at(url)).follow(taskId, after)) this.seen.push(event);
      this.end = 'ended';
    } catch (error) {
      this.end = error;
    }
  }

  has(count: number): Promise<unknown> {
    return until(() => this.seen.length >= count, { what: `there are ${count} events` });
  }

  /** All received events, in a word each. */
  async whole(): Promise<readonly string[]> {
    await this.#reading;
    if (this.end !== 'ended') throw this.end;
    return this.seen.map(gist);
  }
}

const gist = ({ what, text }: SeenEvent): string => (text === undefined ? what : `task, ${what}: ${text}`);

/** A task that loses all events after its first chunk in a fail-over; three readers have received them. */
async function lossyTask(binding: SdkBinding) {
  const redis = new Redis(inject('redisUrl'));
  const { id: taskId } = await submit(gateways.stage.url);
  const open = new Reader(binding, { taskId });
  await open.has(1);
  const task = `${gateways.stage.store.settings.prefix}{s0}:t:${taskId}`;
  const keys = [task, `${task}:e`, `${task}:i`];
  const loseTask = async (): Promise<unknown> => redis.del(...keys);
  const turn = await gateways.stage.beginTurn(taskId);
  for (const event of [working(), chunk('one ', { append: false })]) await turn.publish(event);
  await open.has(3);
  const failOver = await failOverTo(redis, ...keys);
  for (const text of ['lost ', 'and more ', 'and more ']) await turn.publish(chunk(text));
  await open.has(6);
  const [, , kept = '', lost = '', , last = ''] = open.seen.map(({ id }) => id);
  await failOver();
  return {
    ...{ taskId, open, kept, lost, last, loseTask },
    goOn: async () => {
      const next = await gateways.stage.beginTurn(taskId, 1, 2);
      for (const event of [working(), chunk('two ', { append: false }), chunk('three '), completed()])
        await next.publish(event);
    },
    [Symbol.dispose]: () => redis.disconnect(),
  };
}

const rest = ['working', 'two ', 'three ', 'completed'];

describe.each(sdkBindings)('Over $name, after a fail-over that lost events,', (binding) => {
  const resumed = (taskId: string, after: string): Promise<readonly string[]> =>
    new Reader(binding, { taskId, after, gateway: 1 }).whole();

  it('a stream resumed after a kept event gets exactly the events after it', async () => {
    using task = await lossyTask(binding);
    await task.goOn();
    expect(await resumed(task.taskId, task.kept)).toEqual(rest);
  });

  it('a stream resumed after a lost event starts with the task, though new events have the same numbers', async () => {
    using task = await lossyTask(binding);
    await task.goOn();
    for (const lost of [task.lost, task.last])
      expect(await resumed(task.taskId, lost)).toEqual(['task, completed: two three ']);
  });

  it('such a stream starts at once, before any new event, and continues with new ones', async () => {
    using task = await lossyTask(binding);
    const reader = new Reader(binding, { taskId: task.taskId, after: task.last, gateway: 1 });
    await reader.has(1);
    expect(reader.seen.map(gist)).toEqual(['task, working: one ']);
    await task.goOn();
    expect(await reader.whole()).toEqual(['task, working: one ', ...rest]);
  });

  it('such a stream starts with the task also if the lost number is now that of the last event', async () => {
    using task = await lossyTask(binding);
    await (await gateways.stage.beginTurn(task.taskId, 1, 2)).publish(completed());
    expect(await resumed(task.taskId, task.lost)).toEqual(['task, completed: one ']);
  });

  it('an open stream gets the task again, then the events after it', async () => {
    using task = await lossyTask(binding);
    await until(() => task.open.seen.length > 6, { what: 'the open stream has the task' });
    await task.goOn();
    expect(await task.open.whole()).toEqual([
      ...['task, submitted: ', 'working', 'one ', 'lost ', 'and more ', 'and more '],
      ...['task, working: one ', ...rest],
    ]);
  });

  it('after the loss of the whole task, resuming is refused, and an open stream ends with an error', async () => {
    using task = await lossyTask(binding);
    await task.loseTask();
    await expect(resumed(task.taskId, task.kept)).rejects.toThrow(/not exist|not found/i);
    await expect(task.open.whole()).rejects.toThrow();
  });
});
