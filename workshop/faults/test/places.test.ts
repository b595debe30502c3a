import { expect, test } from 'vitest';
import { userMessage } from '../../../tests/support/messages.ts';
import { until } from '../../../tests/support/until.ts';
import { startSingle } from '../redis/deployments.ts';
import { beyondLimits } from '../workload/held-places.ts';
import { type Scene, startScene } from '../workload/scene.ts';

const LEASE_MS = 3_500;
/** A dead connection must be noticed, and a busy machine is slow. */
const SLACK_MS = 10_000;

/** Runs that made sure of their places, by `<pid of the worker>.<any>`, in order. */
async function runs(scene: Scene): Promise<string[]> {
  return [...new Set((await scene.confirmed()).map(({ run }) => run))];
}
const pidOf = (run = ''): number => Number.parseInt(run, 10);

/** A message whose turn makes sure of its place so many times. All have the same key. */
const begin = async ({ client }: Scene, times: number): Promise<string> =>
  (await client.send(userMessage(`keyed ${times} a`), true)).id;

async function expectCompleted({ client }: Scene, taskIds: readonly string[]): Promise<void> {
  for (const id of taskIds) {
    const { status, history } = await client.ended(id, 40_000);
    expect([status.state, history?.length]).toEqual(['TASK_STATE_COMPLETED', 2]);
  }
}

test('the place of a frozen worker is given to another one, and its turn stops when it comes back', async () => {
  await using scene = await startScene({ agents: ['keyed-agent'], workers: 2 });
  const first = await begin(scene, 100);
  const frozenRun = await until(async () => (await runs(scene))[0], { what: 'the turn has its place' });
  const second = await begin(scene, 2);
  const frozen = scene.stack.workers.find(({ pid }) => pid === pidOf(frozenRun));
  frozen?.kill('SIGSTOP');
  const others = async (): Promise<boolean> => (await runs(scene)).some((run) => pidOf(run) !== pidOf(frozenRun));
  await until(others, { what: 'another worker has the place', timeoutMs: 2 * LEASE_MS + SLACK_MS, everyMs: 20 });
  const before = (await scene.confirmed()).filter(({ run }) => run === frozenRun).length;
  frozen?.kill('SIGCONT');
  await frozen?.waitFor(/"event":"turn-fenced".*"outcome":"interrupted-taken-over"/);
  await expectCompleted(scene, [first, second]);
  expect((await scene.confirmed()).filter(({ run }) => run === frozenRun)).toHaveLength(before);
  expect(beyondLimits(await scene.confirmed())).toEqual([]);
});

test('a turn that has lost only its place stops, and its task runs again', async () => {
  await using scene = await startScene({
    agents: ['keyed-agent'],
    workers: 2,
    env: { SHARDS: '4', SWEEP_AFTER_MS: '60000' },
  });
  const { node, prefix, client } = scene;
  const keys = async (pattern: string): Promise<string[]> =>
    (await node.ask(`KEYS ${prefix}${pattern}`)).split('\r\n').filter((line) => line.startsWith(prefix));
  const shardOf = (key = ''): string => /\{s\d+\}/.exec(key)?.[0] ?? '';
  // The place is on the shard of the agent's name, its job on that of the task.
  const begun = await until(
    async () => {
      const taskId = await begin(scene, 150);
      const [places] = await until(
        async () => (await keys('*@places~*groups')).length > 0 && keys('*@places~*groups'),
        {
          what: 'a place is taken',
        },
      );
      const [task] = await keys(`*:t:${taskId}`);
      if (shardOf(places) !== shardOf(task)) return { taskId, shard: shardOf(places) };
      await client.cancel(taskId);
      return false;
    },
    { what: 'the task and the place are on two shards', timeoutMs: 30_000 },
  );
  const running = `${prefix}${begun.shard}:running`;
  const begins = async (): Promise<number> =>
    (await scene.effects()).filter(({ taskId }) => taskId === begun.taskId).length;
  await until(async () => (await begins()) > 0, { what: 'the turn runs' });
  // As if the worker was cut off from that shard.
  const isLost = async (): Promise<boolean> => {
    for (const process of (await node.ask(`ZRANGE ${running} 0 -1`))
      .split('\r\n')
      .filter((line) => /^[^*$]/.test(line)))
      await node.ask(`ZADD ${running} XX 1 ${process}`);
    return (await keys(`${begun.shard}:q:@places~*groups`)).length === 0 || (await begins()) > 1;
  };
  await until(isLost, { what: 'the place is lost', timeoutMs: SLACK_MS, everyMs: 20 });
  await until(async () => (await begins()) > 1, {
    what: 'the task runs again',
    timeoutMs: 2 * LEASE_MS + SLACK_MS,
  });
  await expectCompleted(scene, [begun.taskId]);
  expect(beyondLimits(await scene.confirmed())).toEqual([]);
});

test('a place comes back whose reply was lost', async () => {
  await using redis = await startSingle({ isProxied: true });
  await using scene = await startScene({ redis, agents: ['keyed-agent'], workers: 2 });
  const lost = redis.proxy?.loseReplyTo((request) => request.includes('@places~'));
  const first = await begin(scene, 2);
  await lost;
  const second = await begin(scene, 2);
  const isFree = async (): Promise<boolean> => (await runs(scene)).length > 0;
  await until(isFree, { what: 'the place is taken again', timeoutMs: 2 * LEASE_MS + SLACK_MS });
  await expectCompleted(scene, [first, second]);
  expect(beyondLimits(await scene.confirmed())).toEqual([]);
});
