import { Redis } from 'ioredis';
import { describe, expect, inject, it } from 'vitest';
import { failOverTo } from '../../../tests/support/fail-over.ts';
import { type SdkBinding, type SeenEvent, sdkBindings } from '../../../tests/support/sdk-clients.ts';
import { until } from '../../../tests/support/until.ts';
import { twoGateways } from './support/bindings/two-gateways.ts';
import { submit } from './support/client.ts';
import { chunk, completed, working } from './support/events.ts';

// What a client learns whose last events a fail-over has lost (docs/extensions/resumable-streams.md): by the official
// clients of 1.0 and 0.3, over each binding.

const gateways = twoGateways({ feedCheckMs: 100 });

/** A stream as a client reads it. */
class Reader {
  readonly seen: SeenEvent[] = [];
  /** `ended`, or why it did not. */
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

  /** All that it saw, in a word each. */
  async whole(): Promise<readonly string[]> {
    await this.#reading;
    if (this.end !== 'ended') throw this.end;
    return this.seen.map(gist);
  }
}

const gist = ({ what, text }: SeenEvent): string => (text === undefined ? what : `task, ${what}: ${text}`);

/** A task of which a fail-over loses what came after the first chunk; three readers have had it. */
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

  it('a stream that goes on after an event that is still there has exactly those after it', async () => {
    using task = await lossyTask(binding);
    await task.goOn();
    expect(await resumed(task.taskId, task.kept)).toEqual(rest);
  });

  it('one that goes on after a lost event begins with the task, though others have their numbers by now', async () => {
    using task = await lossyTask(binding);
    await task.goOn();
    for (const lost of [task.lost, task.last])
      expect(await resumed(task.taskId, lost)).toEqual(['task, completed: two three ']);
  });

  it('it begins so at once, also before anything else has happened, and goes on with what does', async () => {
    using task = await lossyTask(binding);
    const reader = new Reader(binding, { taskId: task.taskId, after: task.last, gateway: 1 });
    await reader.has(1);
    expect(reader.seen.map(gist)).toEqual(['task, working: one ']);
    await task.goOn();
    expect(await reader.whole()).toEqual(['task, working: one ', ...rest]);
  });

  it('it begins so also if the number is now that of the end of the task', async () => {
    using task = await lossyTask(binding);
    await (await gateways.stage.beginTurn(task.taskId, 1, 2)).publish(completed());
    expect(await resumed(task.taskId, task.lost)).toEqual(['task, completed: one ']);
  });

  it('a stream that was open gets the task, and then the events after it', async () => {
    using task = await lossyTask(binding);
    await until(() => task.open.seen.length > 6, { what: 'the open stream has the task' });
    await task.goOn();
    expect(await task.open.whole()).toEqual([
      ...['task, submitted: ', 'working', 'one ', 'lost ', 'and more ', 'and more '],
      ...['task, working: one ', ...rest],
    ]);
  });

  it('a stream of a task that is lost itself is refused, and one that was open does not end as if all was said', async () => {
    using task = await lossyTask(binding);
    await task.loseTask();
    await expect(resumed(task.taskId, task.kept)).rejects.toThrow(/not exist|not found/i);
    await expect(task.open.whole()).rejects.toThrow();
  });
});
