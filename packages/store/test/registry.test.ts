import { expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import type { AgentAnnouncement } from '../src/index.ts';
import { accepted } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();
const modes = { defaultInputModes: [], defaultOutputModes: [], supportedInterfaces: [], capabilities: {} };

function agent(version: string): AgentAnnouncement {
  const card = { name: 'Echo', description: 'Echoes.', version, skills: [], ...modes };
  return { id: 'echo', card, repliesWithMessage: false, concurrency: 1 };
}

test('of two versions of an agent, the card of the worker that started last is used, without alternating', async () => {
  const store = await testStore();
  const versions = async () => (await store.registry.list()).map(({ card }) => card.version);
  let changes = 0;
  await store.registry.onChange(() => changes++);
  await store.registry.announce([agent('1')], 'old');
  await store.registry.announce([agent('2')], 'new');
  expect(await versions()).toEqual(['2']);
  await until(() => changes === 2, { what: 'both announcements are notified' });
  for (let i = 0; i < 3; i++) {
    await store.registry.announce([agent('1')], 'old');
    await store.registry.announce([agent('2')], 'new');
    await store.registry.announce([agent('2')], 'new too');
    expect(await versions()).toEqual(['2']);
  }
  expect(changes).toBe(3); // only the third worker is a change

  // When the new version is withdrawn, the card of the old one is used again.
  await store.registry.withdraw([agent('2')], 'new');
  await store.registry.announce([agent('2')], 'new too');
  await store.registry.announce([agent('1')], 'old');
  expect(await versions()).toEqual(['2']);
  await store.registry.withdraw([agent('2')], 'new too');
  await store.registry.announce([agent('1')], 'old');
  expect(await versions()).toEqual(['1']);
});

test('a worker with a drain order is not counted as a worker of its agents until undrain', async () => {
  const store = await testStore({ sweepAfterMs: 0 });
  const workers = async () => (await store.registry.list())[0]?.workers;
  const report = { agents: ['echo'], upForMs: 1, isDraining: false, turns: [] };
  await store.registry.announce([agent('1')], 'w');
  await store.ops.workers.report('w', report);
  const { taskId } = await accepted(store, alice);
  await store.ops.workers.drain('w');
  expect(await workers()).toBe(0);
  // A task is overdue from its second millisecond on.
  await expect
    .poll(async () => (await store.ops.listStuck({ pageSize: 10 })).items)
    .toMatchObject([{ taskId, reason: 'no-worker' }]);
  await store.registry.announce([agent('1')], 'w');
  expect(await workers()).toBe(0);
  await store.ops.workers.undrain('w');
  await store.registry.announce([agent('1')], 'w');
  expect(await workers()).toBe(1);
});

test('an agent that no worker announces any more is forgotten when its last task has expired, and not before', async () => {
  const store = await testStore({ retentionMs: 100, shards: 2 });
  await store.registry.announce([agent('1'), { ...agent('1'), id: 'used' }, { ...agent('1'), id: 'alive' }], 'w');
  await store.registry.withdraw([agent('1'), { ...agent('1'), id: 'used' }], 'w');
  const scope = { ...alice, agent: 'used' };
  const { taskId } = await accepted(store, scope);
  await until(
    async () => {
      await store.agentIndexes.trim();
      return !(await store.registry.ids()).includes('echo');
    },
    { what: 'the agent without tasks is forgotten' },
  );
  expect((await store.registry.ids()).sort()).toEqual(['alive', 'used']);
  await store.tasks.cancel(scope, taskId);
  await until(
    async () => {
      await store.agentIndexes.trim();
      return !(await store.registry.ids()).includes('used');
    },
    { what: 'the agent is forgotten with its last task' },
  );
  expect(await store.registry.ids()).toEqual(['alive']);
  await store.registry.announce([agent('1')], 'w');
  expect((await store.registry.ids()).sort()).toEqual(['alive', 'echo']);
});

test('a list of many agents with many workers does not block its process', async () => {
  const store = await testStore();
  const agents = Array.from({ length: 200 }, (_, n) => ({ ...agent('1'), id: `echo-${n}` }));
  await store.registry.announce(agents, 'w');
  const alive = `${store.settings.prefix}{agents}:alive`;
  const others = ({ id }: AgentAnnouncement) => Array.from({ length: 399 }, (_, n) => ['+inf', `${id}/w${n}`]).flat();
  for (const each of agents) await redis.zadd(alive, ...others(each));
  const before = process.cpuUsage();
  const listed = await store.registry.list();
  const ms = process.cpuUsage(before).user / 1_000;
  expect(listed.map(({ workers }) => workers)).toEqual(agents.map(() => 400));
  // It was two seconds.
  expect(ms).toBeLessThan(500);
});
