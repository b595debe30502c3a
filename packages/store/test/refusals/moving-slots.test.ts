import { setTimeout as delay } from 'node:timers/promises';
import { createConnections, hashTagOf, mastersOf, NotReplicated, slotOf } from '@switchyard/redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClusterMaster, TestCluster } from '../../../../tests/support/cluster/cluster.ts';
import { SlotMove } from '../../../../tests/support/cluster/slot-move.ts';
import { until } from '../../../../tests/support/until.ts';
import { isOutage } from '../../src/index.ts';
import { userMessage } from '../support/drive.ts';
import { alice } from '../support/redis.ts';
import { cases } from './scripts.ts';
import { Stage } from './stage.ts';

// In a Cluster a slot moves to another master key by key. Until all of its keys are there, no script runs; see guardKey.

/** Scripts of so many cases are called at the same time. */
const TOGETHER = 24;
/** The slots of what all shards share, and of the only shard. */
const HASH_TAGS = ['agents', 's0'];
/** Each moves in so many steps. */
const STEPS = 3;

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await TestCluster.start({ masters: 2 });
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

const groups = Array.from({ length: Math.ceil(cases.length / TOGETHER) }, (_, n) => {
  const group = cases.slice(n * TOGETHER, (n + 1) * TOGETHER);
  return { names: `${group[0]?.name} … ${group.at(-1)?.name}`, group };
});

/** The master of a slot, and another one. */
async function mastersFor(slot: number): Promise<readonly [ClusterMaster, ClusterMaster]> {
  const owner = await cluster.ownerOf(slot);
  const other = cluster.masters.find((master) => master !== owner);
  if (!other) throw new Error('There are not two masters.');
  return [owner, other];
}

/** Without the mark of take-places.lua, which lives 5 s: on a busy machine it ends while the slot moves. */
const lasting = (contents: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(contents).filter(([key]) => !key.endsWith(':waited')));

/** Some commands have a deadline. */
async function repeatAfterOutages(run: () => Promise<unknown>): Promise<unknown> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isOutage(error)) throw error;
      await delay(50);
    }
  }
}

test.each(groups)('no script runs while its slot moves, and each does when it has moved: $names', async ({ group }) => {
  await using stages = new AsyncDisposableStack();
  const runs: { readonly stage: Stage; readonly run: () => Promise<unknown> }[] = [];
  for (const { prepare, settings } of group) {
    const stage = stages.use(await Stage.open(cluster.url, settings));
    runs.push({ stage, run: await prepare(stage) });
  }
  const contents = () => Promise.all(runs.map(async ({ stage }) => lasting(await stage.contents())));
  const before = await contents();

  // One after the other: a master that sends a key waits for the other one.
  const moves: { readonly move: SlotMove; readonly atOnce: number }[] = [];
  for (const slot of HASH_TAGS.map(slotOf)) {
    const [from, to] = await mastersFor(slot);
    const keys = Number(await from.redis.cluster('COUNTKEYSINSLOT', slot));
    const move = await SlotMove.begin({ slot, from: from.redis, to: to.redis });
    stages.defer(() => move.finish()); // also if this group fails: the others need the slots
    moves.push({ move, atOnce: Math.ceil(keys / STEPS) });
  }
  const settled: string[] = [];
  const answers = runs.map(async ({ run }, i) => {
    const answer = await repeatAfterOutages(run).catch((error: unknown) => error);
    settled.push(group[i]?.name ?? '');
    return answer;
  });
  for (let step = 0; step <= STEPS; step++) {
    await delay(500); // long enough for each to be refused several times
    expect(settled).toEqual([]);
    expect(await contents()).toEqual(before);
    for (const { move, atOnce } of moves) await move.moveKeys(atOnce);
  }
  for (const { move } of moves) await move.finish();
  await until(() => settled.length === group.length, { what: 'all scripts have run' });
  expect(await Promise.all(answers)).toEqual(group.map(({ answer }) => answer));
});

test('with WAIT_REPLICAS a message waits for its slot, and then for replicas', async () => {
  await using stage = await Stage.open(cluster.url, { waitReplicas: 1 });
  await using other = await Stage.open(cluster.url, { prefix: stage.store.settings.prefix });
  await other.turn();
  const slot = slotOf('s0');
  const [from, to] = await mastersFor(slot);
  const move = await SlotMove.begin({ slot, from: from.redis, to: to.redis });
  const message = userMessage();
  let failure: unknown;
  const sent = stage.store.tasks.accept(alice, { message }).catch((error: unknown) => {
    failure = error;
  });
  await delay(300);
  expect(failure).toBeUndefined();
  await move.finish();
  await sent;
  // This Cluster has no replicas; the message is stored nevertheless.
  expect(failure).toBeInstanceOf(NotReplicated);
  expect(await other.store.tasks.accept(alice, { message })).toMatchObject({ verdict: 'accepted', isDuplicate: true });
});

test('a connection that is closed while a command follows its slot ends no process', async () => {
  const slot = slotOf('s0');
  const [from, to] = await mastersFor(slot);
  const { commands } = createConnections({ redisUrl: cluster.url }, { isReplicated: false });
  const move = await SlotMove.begin({ slot, from: from.redis, to: to.redis });
  try {
    expect(await commands.exists('{s0}:nothing')).toBe(0);
    await to.redis.client('PAUSE', 2_000, 'ALL');
    const asked = commands.exists('{s0}:nothing');
    await delay(200);
    // Vitest fails if a promise that nobody handles rejects.
    mastersOf(commands)
      .find(({ options }) => options.port === to.port)
      ?.disconnect();
    expect(await asked).toBe(0);
  } finally {
    await move.finish();
    commands.disconnect();
  }
});

test('every key has one of these hash tags', async () => {
  await using stage = await Stage.open(cluster.url);
  await stage.turn();
  const tags = Object.keys(await stage.contents()).map(hashTagOf);
  expect([...new Set(tags)].sort()).toEqual(HASH_TAGS);
});
