import type { Task } from '@switchyard/protocol';
import { expect, test, vi } from 'vitest';
import { accepted, agentMessage, begun } from './support/drive.ts';
import { alice, testStore } from './support/redis.ts';

const working = { kind: 'status', state: 'TASK_STATE_WORKING', settles: false } as const;

test('the latest messages of a long history are those that were asked for, and not copied through Lua', async () => {
  const store = await testStore({ largeTextBytes: 10_000, readCacheBytes: 0 });
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  for (let n = 1; n < 40; n++)
    await turn.publish({ ...working, message: agentMessage('ü'.repeat(n * 3_000), `m${n}`) });
  const historyOf = async (historyLength?: number): Promise<Task['history']> => {
    const reading = await store.tasks.read(alice, taskId, { historyLength });
    return JSON.parse(reading?.task?.toString() ?? '{}').history;
  };
  const all = (await historyOf()) ?? [];
  expect(all).toHaveLength(40);
  const read = vi.spyOn(store.inside.redis, 'getrangeBuffer');
  for (const length of [1, 2, 3, 8, 39, 40, 41, 1_000, 2 ** 31 - 1]) {
    read.mockClear();
    expect((await historyOf(length))?.map(({ messageId }) => messageId)).toEqual(
      all.slice(-length).map(({ messageId }) => messageId),
    );
    expect(read).toHaveBeenCalled();
  }
});
