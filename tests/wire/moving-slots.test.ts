import { setTimeout as delay } from 'node:timers/promises';
import type { Task } from '@switchyard/protocol';
import { Shards } from '@switchyard/store/inside';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClusterMaster, TestCluster } from '../support/cluster/cluster.ts';
import { SlotMove } from '../support/cluster/slot-move.ts';
import { openEventStream } from '../support/event-stream.ts';
import { userMessage } from '../support/messages.ts';
import { get, getTask, post } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';

// A master is added to a Cluster under load, gets every slot, key by key, gives all of them back and is removed.

const SHARDS = 4;
const CLIENTS = 6;
/** Of each stream. */
const CHUNKS = 30;
/** A slot moves in steps of so many keys, with a pause after each. */
const KEYS = 25;
const PAUSE_MS = 50;
/** Of a client, between two requests. */
const THINK_MS = 50;

let cluster: TestCluster;
let stack: Stack;

beforeAll(async () => {
  cluster = await TestCluster.start({ masters: 2 });
  const env = { SHARDS: String(SHARDS) };
  stack = await startStack({ redisUrl: cluster.url, agents: ['echo'], gateways: 2, workers: 2, env });
});
afterAll(async () => {
  await stack?.stop();
  await cluster?.[Symbol.asyncDispose]();
});

interface Sent {
  readonly task: Task;
  readonly messageId: string;
}

/** Waits for the answer. Repeats the same message while Redis does not take it. */
async function ask(url: string, text: string): Promise<Sent> {
  const message = userMessage(text);
  for (;;) {
    const { status, body } = await post<{ task: Task }>(`${url}/message:send`, { message });
    if (status === 200) return { task: body.task, messageId: message.messageId };
    expect([status, JSON.stringify(body)]).toEqual([503, expect.stringContaining('UNAVAILABLE')]);
    await delay(100);
  }
}

/** The texts of all chunks that a stream has. */
async function streamed(url: string): Promise<{ readonly taskId: string; readonly texts: readonly string[] }> {
  const texts: string[] = [];
  let taskId = '';
  const body = { message: userMessage(`stream ${CHUNKS}`) };
  for await (const { data } of await openEventStream(`${url}/message:stream`, { method: 'POST', body })) {
    const { task, artifactUpdate } = data;
    taskId ||= task?.id ?? artifactUpdate?.taskId ?? '';
    for (const { text = '' } of artifactUpdate?.artifact.parts ?? []) texts.push(text);
  }
  return { taskId, texts };
}

/** All slots that the deployment uses. */
async function moveAll(slots: readonly number[], to: (slot: number) => ClusterMaster): Promise<void> {
  for (const slot of slots) {
    const owner = await cluster.ownerOf(slot);
    const target = to(slot);
    if (owner === target) continue;
    const move = await SlotMove.begin({ slot, from: owner.redis, to: target.redis });
    while ((await move.moveKeys(KEYS)) > 0) await delay(PAUSE_MS);
    await move.end(cluster.masters.map(({ redis }) => redis));
  }
}

it('every message has one task that ends, and streams have every event, while a master comes and goes', async () => {
  let isOver = false;
  const sent: Sent[] = [];
  const streams: Awaited<ReturnType<typeof streamed>>[] = [];
  const clients = Array.from({ length: CLIENTS }, async (_, n) => {
    for (let i = 0; !isOver; i++) {
      const url = stack.urls[(n + i) % stack.urls.length] ?? '';
      if (n % 2 === 0) sent.push(await ask(url, `hello ${n} ${i}`));
      else streams.push(await streamed(url));
      await delay(THINK_MS);
    }
  });
  const all = Promise.all(clients);
  /** Resolves when so many more messages are answered; rejects with the error of a client. */
  const served = (what: string): Promise<unknown> => {
    const before = sent.length;
    return Promise.race([until(() => sent.length > before + 20, { what, timeoutMs: 60_000 }), all]);
  };
  await served('the clients are served');

  // One for each shard, and that of what they share.
  const keys = ['{agents}', ...new Shards('', SHARDS).all.map(({ outbox }) => outbox)];
  const slots = await Promise.all(keys.map((key) => cluster.slotOf(key)));
  const homes = new Map(await Promise.all(slots.map(async (slot) => [slot, await cluster.ownerOf(slot)] as const)));
  const added = await cluster.addMaster();
  await moveAll(slots, () => added);
  await served('the added master serves the clients');
  await moveAll(slots, (slot) => homes.get(slot) ?? added);
  await cluster.removeMaster(added);
  await served('the other masters serve the clients again');
  isOver = true;
  await all;

  const wrong: unknown[] = [];
  for (const { task, messageId } of sent) {
    const { status, history = [] } = await getTask(stack.urls[0] ?? '', task.id);
    const own = history.filter((message) => message.messageId === messageId);
    if (status.state !== 'TASK_STATE_COMPLETED' || own.length !== 1) wrong.push([task.id, status.state, own.length]);
  }
  for (const { taskId, texts } of streams) {
    const { status, artifacts = [] } = await getTask(stack.urls[1] ?? '', taskId);
    const stored = artifacts.flatMap(({ parts }) => parts.map(({ text }) => text)).join('');
    if (status.state !== 'TASK_STATE_COMPLETED' || texts.join('') !== stored || texts.length < CHUNKS)
      wrong.push([taskId, status.state, texts.length]);
  }
  expect(wrong).toEqual([]);
  // A script that failed in its middle would leave a job, an entry of a list, or a count.
  const { body } = await get<{ totalSize: number }>(`${stack.urls[0]}/tasks?pageSize=1`);
  expect(body.totalSize).toBe(sent.length + streams.length);
  expect(new Set(sent.map(({ task }) => task.id)).size).toBe(sent.length);
  process.stdout.write(`${sent.length} messages, ${streams.length} streams\n`);
});
