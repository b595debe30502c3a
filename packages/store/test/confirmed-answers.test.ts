import { Credentials } from '@switchyard/access';
import { Webhooks } from '@switchyard/push';
import { NotReplicated } from '@switchyard/redis';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { startRedis, type TestRedis } from '../../../tests/support/redis.ts';
import { until } from '../../../tests/support/until.ts';
import type { Store } from '../src/index.ts';
import { accepted, userMessage } from './support/drive.ts';
import { alice, testStore } from './support/redis.ts';

// With waitReplicas, an answer is given only when the replicas have what it says, also if another connection wrote that. From Redis 7.2 on
// and in Valkey, WAIT waits only for what its connection wrote: a script that finds its work done writes nothing.

/** A request of a client that may be repeated, through another gateway. @returns its answer */
type Request = (store: Store) => Promise<unknown>;

interface Repeated {
  /** @returns the request, with what it needs there */
  readonly prepare: (store: Store) => Promise<Request>;
  /** To the repeated request. */
  readonly answer: unknown;
}

const url = 'https://client.example.com/hook';
const again = { verdict: 'accepted', isDuplicate: true };
const accept =
  (message = userMessage(), more = {}): Request =>
  (store) =>
    store.tasks.accept(alice, { message, ...more });
const taskId = async (store: Store): Promise<string> => (await accepted(store, alice)).taskId;
const endedTask = async (store: Store): Promise<string> => {
  const id = await taskId(store);
  await store.tasks.cancel(alice, id);
  return id;
};

const requests: Readonly<Record<string, Repeated>> = {
  'a message that makes a task': { prepare: async () => accept(), answer: expect.objectContaining(again) },
  'a message that makes a scheduled task': {
    prepare: async () => accept(userMessage(), { schedule: { at: '2999-01-01T00:00:00Z' } }),
    answer: expect.objectContaining(again),
  },
  'a message to a task': {
    prepare: async (store) => accept(userMessage('more', { taskId: await taskId(store) })),
    answer: expect.objectContaining(again),
  },
  'a cancel': {
    prepare: async (store) => {
      const id = await taskId(store);
      return (own) => own.tasks.cancel(alice, id);
    },
    answer: 'canceled',
  },
  'a deletion': {
    prepare: async (store) => {
      const id = await endedTask(store);
      return (own) => own.tasks.delete(alice, id);
    },
    answer: 'missing',
  },
  'an event': {
    prepare: async (store) => {
      const id = await taskId(store);
      return (own) => own.waits.give(alice, id, { name: 'paid', data: '1', id: 'a' });
    },
    answer: { verdict: 'known' },
  },
  'the creation of a webhook': {
    prepare: async (store) => {
      const id = await taskId(store);
      return (own) => new Webhooks(own.inside).create(alice, id, { id: 'a', url });
    },
    answer: expect.objectContaining({ id: 'a' }),
  },
  'the deletion of a webhook': {
    prepare: async (store) => {
      const id = await taskId(store);
      await new Webhooks(store.inside).create(alice, id, { id: 'a', url });
      return (own) => new Webhooks(own.inside).delete(alice, id, 'a');
    },
    answer: 'deleted',
  },
  'the revelation of a task': {
    prepare: async (store) => {
      const hidden = await store.tasks.accept(alice, { message: userMessage(), isHidden: true });
      return (own) => own.tasks.reveal(alice, hidden.verdict === 'accepted' ? hidden.taskId : '');
    },
    answer: undefined,
  },
  'the revocation of a key': {
    prepare: async (store) => {
      const { credential } = await new Credentials(store.inside).create({
        tenant: 'acme',
        subject: 'alice',
        scopes: [],
      });
      return (own) => new Credentials(own.inside).revoke(credential.id);
    },
    answer: expect.objectContaining({ revokedAt: expect.any(String) }),
  },
};

async function startServer(): Promise<{ readonly server: TestRedis; readonly redis: Redis }> {
  const server = await startRedis();
  const redis = new Redis(server.url);
  onTestFinished(async () => {
    redis.disconnect();
    await server.stop();
  });
  return { server, redis };
}

/** A Redis with a replica that can be frozen. */
async function startReplicated() {
  const [master, replica] = [await startServer(), await startServer()];
  await master.redis.config('SET', 'repl-diskless-sync-delay', '0');
  await replica.redis.replicaof('127.0.0.1', new URL(master.server.url).port);
  const confirming = async (): Promise<boolean> => {
    await master.redis.set('any', '');
    return (await master.redis.wait(1, 100)) === 1;
  };
  await until(confirming, { what: 'the replica confirms writes', timeoutMs: 30_000 });
  return { redisUrl: master.server.url, pid: replica.server.pid, confirming };
}

test('a repeated request is answered only when the replicas have what the first one wrote over another connection', async ({
  skip,
}) => {
  const { redisUrl, pid, confirming } = await startReplicated();
  if (pid === undefined) return skip('the server is not a process of this machine');
  const first = await testStore({ redisUrl });
  const { prefix } = first.settings;
  const repeated = await Promise.all(
    Object.entries(requests).map(async ([name, { prepare, answer }]) => {
      const request = await prepare(first);
      const second = await testStore({ redisUrl, prefix, waitReplicas: 1 });
      return { name, answer, send: () => request(second), request };
    }),
  );
  await until(confirming, { what: 'the replica has the preparation' });

  process.kill(pid, 'SIGSTOP');
  try {
    await Promise.all(repeated.map(({ request }) => request(first)));
    const answers = await Promise.all(
      repeated.map(async ({ name, send }) => [name, await send().catch((error: unknown) => error)]),
    );
    const unconfirmed = expect.any(NotReplicated);
    expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(repeated.map(({ name }) => [name, unconfirmed])));
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await until(confirming, { what: 'the replica confirms writes again', timeoutMs: 30_000 });
  const answers = await Promise.all(repeated.map(async ({ name, send }) => [name, await send()]));
  expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(repeated.map(({ name, answer }) => [name, answer])));
});
