import { expect, test } from 'vitest';
import { accepted, userMessage } from './support/drive.ts';
import { alice, bob, testLedger, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();
const ledger = await testLedger();
const store = await testStore({ redisUrl: ledger.url });
const { prefix } = store.settings;

test('concurrent messages are accepted by one script call for up to sixteen of them', async () => {
  await accepted(store, alice); // loads the script into Redis
  const tasks: string[] = [];
  const accept = async (n: number): Promise<void> => {
    const { taskId } = await accepted(store, n % 2 ? alice : { ...bob, agent: 'other' }, userMessage(`${n}`));
    tasks[n] = taskId;
  };
  const { commands } = await ledger.during(() => Promise.all(Array.from({ length: 41 }, (_, n) => accept(n))));
  expect(commands).toEqual(['evalsha', 'evalsha', 'evalsha']);
  expect(new Set(tasks).size).toBe(41);
  for (const [n, id] of tasks.entries()) {
    const [history, state] = await redis.hmget(`${prefix}{s0}:t:${id}`, 'h', 'state');
    expect([history?.includes(`"text":"${n}"`), state]).toEqual([true, 's']);
  }
  const waiting = await redis.zrange(`${prefix}{s0}:q:other:prioritized`, '0', '-1');
  expect(waiting).toEqual(tasks.filter((_, n) => n % 2 === 0).map((id) => `${id}.1`));
});

test('a large message is sent in its own script call', async () => {
  const messages = [userMessage(), userMessage('x'.repeat(20_000)), userMessage()];
  const accept = () => Promise.all(messages.map((message) => store.tasks.accept(alice, { message })));
  expect((await ledger.during(accept)).commands).toHaveLength(2);
});

test('concurrent copies of a message are accepted once, and another message with its id is refused', async () => {
  const message = userMessage('mine');
  const same = await Promise.all([1, 2, 3].map(() => store.tasks.accept(alice, { message })));
  expect(same.map(({ verdict }) => verdict)).toEqual(['accepted', 'accepted', 'accepted']);
  const kinds = same.map((each) => each.verdict === 'accepted' && [each.isNew, each.isDuplicate, each.taskId]);
  const [[, , first] = []] = kinds.map((kind) => kind || []);
  expect(kinds).toEqual([
    [true, false, first],
    [false, true, first],
    [false, true, first],
  ]);
  const { messageId } = message;
  const others = [message, userMessage('other', { messageId })].map((each) =>
    store.tasks.accept(bob, { message: each }),
  );
  expect((await Promise.all(others)).map(({ verdict }) => verdict)).toEqual(['accepted', 'conflict']);
});

test('a batch that fails is repeated message by message, and counts each task that was made once', async () => {
  const own = await testStore({ maxBytesOfTenant: 1_000_000 });
  const root = `${own.settings.prefix}{s0}:`;
  await redis.set(`${root}x:acme/alice/echo:damaged`, 'no index');
  const contexts = ['damaged', 'one', 'other'];
  const messages = contexts.map((contextId) => userMessage('12345', { contextId }));
  const sent = await Promise.allSettled(messages.map((message) => own.tasks.accept(alice, { message })));
  expect(sent.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(await redis.hgetall(`${root}outbox:open`)).toEqual({ acme: '2' });
  const counted = Number((await redis.hvals(`${root}outbox:bytes:acme`))[0]);
  await accepted(own, alice, userMessage('12345', { contextId: 'third' }));
  const more = Number((await redis.hvals(`${root}outbox:bytes:acme`))[0]) - counted;
  expect(Math.abs(counted - 2 * more)).toBeLessThan(10);

  const schedule = { at: new Date(Date.now() + 3_600_000).toISOString() };
  const later = contexts.map((contextId) => userMessage('later', { contextId }));
  await Promise.allSettled(later.map((message) => own.tasks.accept(alice, { message, schedule })));
  const owners = await redis.hgetall(`${root}outbox:later:owners`);
  expect(owners).toEqual({ 'acme/alice/echo': String(await redis.zcard(`${root}outbox:later`)) });
});
