import type { TurnEvent } from '@switchyard/protocol';
import { expect, test, vi } from 'vitest';
import { Observer } from '../src/deployment/observer.ts';
import { Shards } from '../src/deployment/shards.ts';
import type { OpenTurn, Store } from '../src/index.ts';
import { queueRoot } from '../src/queue/queue-names.ts';
import { type Append, Appends, endTasksScript } from '../src/turns/appends.ts';
import { Encoder } from '../src/turns/encoder.ts';
import { accepted, agentMessage, begun, userMessage } from './support/drive.ts';
import { alice, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();
const channels = testRedis();
/** The published messages of each task's channel. */
const messages = new Map<string, string[]>();
channels.on('smessage', (channel: string, text: string) => messages.get(channel)?.push(text));

/** A task whose turn runs, in a store of its own. */
interface Running {
  readonly store: Store;
  readonly turn: OpenTurn;
  readonly published: string[];
}

const shardsOf = ({ settings }: Store): Shards => new Shards(settings.prefix, 1);

async function running(prepare: (store: Store) => Promise<string | undefined>): Promise<Running> {
  const store = await testStore();
  const contextId = await prepare(store);
  const message = userMessage('hello', { messageId: 'question', ...(contextId !== undefined && { contextId }) });
  const { taskId } = await accepted(store, alice, message);
  const turn = await begun(store, taskId, { token: 'worker:1' });
  const published: string[] = [];
  const channel = shardsOf(store).of(taskId).events(taskId);
  messages.set(channel, published);
  await channels.ssubscribe(channel);
  return { store, turn, published };
}

/** Everything that Redis has of a store, without what differs between two runs. */
async function contents({ store, turn, published }: Running): Promise<string[]> {
  const { taskId } = turn.start;
  const { prefix } = store.settings;
  const found = await redis.keys(`${prefix}{s0}:*`);
  // The queue of a turn that no worker has taken, and the messageIds, whose fingerprints have the context.
  const keys = found.filter((key) => !/\{s0\}:[qm]:/.test(key));
  const all = await Promise.all(keys.map(async (key) => [key, await contentOf(key), (await redis.pttl(key)) > 0]));
  const { time = '', incarnation = '' } = await redis.hgetall(shardsOf(store).of(taskId).task(taskId));
  await channels.ping(); // its reply comes after all published messages
  const other = await otherTasks(store, taskId);
  const plain = (content: unknown): string =>
    [taskId, ...other, prefix, time, incarnation]
      .reduce((text, word, i) => text.replaceAll(word, `<${i}>`), JSON.stringify(content))
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'now')
      .replaceAll(/"[0-9a-z]{8}"|(?<=[soC])[0-9a-z]{8}(?=<)|\d{13}/g, 'ms')
      .replaceAll(/ms 1 \d+ /g, 'ms ')
      .replaceAll(/(?<=")1-\d+(?=")|-\d+-\d+\|/g, 'id');
  return [...all.map(plain).toSorted(), plain(published)];
}

async function otherTasks(store: Store, taskId: string): Promise<string[]> {
  const { tasks } = await store.tasks.list(alice, { pageSize: 10 });
  return tasks.map((task): string => JSON.parse(String(task)).id).filter((id) => id !== taskId);
}

async function contentOf(key: string): Promise<unknown> {
  const type = await redis.type(key);
  if (type === 'hash') return Object.entries(await redis.hgetall(key)).toSorted();
  if (type === 'zset') return redis.zrange(key, '0', '-1');
  if (type === 'stream') return redis.xrange(key, '-', '+');
  return type === 'list' ? redis.lrange(key, 0, -1) : redis.get(key);
}

const noPreparation = async (): Promise<undefined> => undefined;
const completed = { kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true } as const;
const working = { kind: 'status', state: 'TASK_STATE_WORKING', settles: false } as const;
const message = agentMessage('hi', 'answer');
const published = { artifactId: 'a', parts: [{ text: 'x' }] };
const artifact: TurnEvent = { kind: 'artifact', artifact: published, append: false, lastChunk: true };

test.each([
  { of: 'a completion', events: [{ ...completed, message }] },
  { of: 'a completion without a message', events: [completed] },
  { of: 'a rejection', events: [{ ...completed, state: 'TASK_STATE_REJECTED', message } as const] },
  { of: 'working and a completion', events: [working, { ...completed, message }] },
  { of: 'a plain message', events: [{ ...completed, message, isPlainMessage: true }] },
  {
    of: 'a completion with an artifact',
    before: artifact,
    events: [{ ...completed, message }],
  },
  {
    of: 'the second task of a context',
    events: [{ ...completed, message }],
    prepare: async (store: Store) =>
      (await accepted(store, alice, userMessage('first', { messageId: 'first' }))).contextId,
  },
])('$of: end-tasks.lua leaves what append.lua leaves', async ({ events, before, prepare = noPreparation }) => {
  const both = [await running(prepare), await running(prepare)] as const;
  const byEndTasks = vi.spyOn(endTasksScript, 'run');
  for (const [i, { store, turn }] of both.entries()) {
    if (before) await turn.publish(before).then(() => turn.written());
    const { taskId, fence, task } = turn.start;
    const shards = shardsOf(store);
    const appends = new Appends({ redis, shards, settings: store.settings, observer: new Observer() });
    const encoder = new Encoder(task, store.settings);
    const encoded = events.map((event) => encoder.encode(event));
    const root = queueRoot('echo', shards.of(taskId));
    const append: Append = { taskId, queueRoot: root, fence, number: before ? 2 : 1, endsJob: '', events: encoded };
    const reply = await (i === 0 ? appends.writeOutcome(append) : appends.write(append));
    expect(reply).toEqual(['idle', '']);
  }
  expect(await byEndTasks.mock.results[0]?.value).toEqual(['idle']);
  expect(await contents(both[0])).toEqual(await contents(both[1]));
});
