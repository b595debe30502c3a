import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Scope, Store, TaskQuery } from '../src/index.ts';
import { idText } from '../src/redis/keys.ts';
import { accepted, begun, userMessage } from './support/drive.ts';
import { alice, bob, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();
const kitchen: Scope = { ...alice, agent: 'kitchen' };
const idOf = (task: string): string => JSON.parse(task).id;

async function end(store: Store, taskId: string): Promise<void> {
  const turn = await begun(store, taskId);
  await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
}

/** All pages of one task each, and what every page said of their number. */
async function pages(
  store: Store,
  scope: Scope,
  query: Partial<TaskQuery>,
): Promise<{ ids: string[]; totals: number[] }> {
  const [ids, totals]: [string[], number[]] = [[], []];
  for (let pageToken = ''; ; ) {
    const page = await store.tasks.list(scope, { ...query, pageSize: 1, pageToken });
    ids.push(...page.tasks.map(idOf));
    totals.push(page.totalSize);
    pageToken = page.nextPageToken;
    if (pageToken === '') return { ids, totals };
  }
}

test('a context that no client named has the id of its first task, and no index while it has no other', async () => {
  const store = await testStore();
  const { taskId, contextId } = await accepted(store, alice);
  expect(contextId).toBe(taskId);
  const indexes = () => redis.keys(`${store.settings.prefix}{s0}:x:*`);
  expect(await indexes()).toEqual([`${store.settings.prefix}{s0}:x:acme/alice/echo`]);
  await end(store, taskId);
  expect(await indexes()).toHaveLength(1);
  await accepted(store, alice, userMessage('and now?', { contextId }));
  expect(await indexes()).toHaveLength(2);
});

test('messages of a context that come together join the task that opened it', async () => {
  const store = await testStore();
  const { taskId, contextId } = await accepted(store, alice);
  const messages = [contextId, contextId, 'another', contextId].map((each) => userMessage('hi', { contextId: each }));
  const made = await Promise.all(messages.map((message) => accepted(store, alice, message)));
  const [one, two, elsewhere, three] = made.map((task) => task.taskId);
  expect((await pages(store, alice, { contextId })).ids.sort()).toEqual([taskId, one, two, three].sort());
  expect((await pages(store, alice, { contextId: 'another' })).ids).toEqual([elsewhere]);
});

test('the only task of its context is listed by it as by an index', async () => {
  const store = await testStore();
  const { taskId, contextId } = await accepted(store, alice);
  const listed = async (query: Partial<TaskQuery>, scope: Scope = alice): Promise<number> =>
    (await store.tasks.list(scope, { contextId, pageSize: 5, ...query })).totalSize;
  const [past, future] = [-60_000, 60_000].map((ms) => new Date(Date.now() + ms).toISOString());
  expect([await listed({}), await listed({}, bob), await listed({}, kitchen)]).toEqual([1, 0, 0]);
  expect(await listed({ state: 'TASK_STATE_SUBMITTED', statusTimestampAfter: past })).toBe(1);
  expect([await listed({ state: 'TASK_STATE_WORKING' }), await listed({ statusTimestampAfter: future })]).toEqual([
    0, 0,
  ]);
  await end(store, taskId);
  expect(await listed({ state: 'TASK_STATE_COMPLETED' })).toBe(1);
  expect(await pages(store, alice, { contextId })).toEqual({ ids: [taskId], totals: [1] });
});

test('the id of a task opens no context but its own', async () => {
  const store = await testStore();
  const { taskId } = await accepted(store, alice, userMessage('hi', { contextId: 'mine' }));
  expect((await store.tasks.list(alice, { contextId: taskId, pageSize: 5 })).totalSize).toBe(0);
  const other = await accepted(store, alice, userMessage('hi', { contextId: taskId }));
  expect((await pages(store, alice, { contextId: taskId })).ids).toEqual([other.taskId]);
  const odd = await accepted(store, alice, userMessage('hi', { contextId: `${taskId}:e` }));
  expect((await pages(store, alice, { contextId: `${taskId}:e` })).ids).toEqual([odd.taskId]);
});

interface Known {
  readonly id: string;
  readonly contextId: string;
  readonly scope: Scope;
  hasEnded: boolean;
}

/** Tasks of somebody who does whatever may be done with contexts, and what of it should be there. */
class Walk {
  readonly contexts = new Set(['named by a client']);
  readonly #store: Store;
  readonly #principal = { ...alice.principal, subject: randomUUID() };
  #known: Known[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  opens(agent: string): Promise<void> {
    return this.#send(agent, {});
  }

  continues(agent: string, which: number): Promise<void> {
    return this.#send(agent, { contextId: oneOf([...this.contexts], which) ?? '' });
  }

  async ends(which: number): Promise<void> {
    const task = oneOf(this.#known, which);
    if (!task || task.hasEnded) return;
    await end(this.#store, task.id);
    task.hasEnded = true;
  }

  async goes(which: number): Promise<void> {
    const task = oneOf(this.#known, which);
    if (!task?.hasEnded) return;
    expect(await this.#store.tasks.delete(task.scope, task.id)).toBe('deleted');
    this.#known = this.#known.filter((other) => other !== task);
  }

  async expectListed(contextId: string): Promise<void> {
    const ofContext = this.#known.filter((task) => task.contextId === contextId);
    for (const agent of agents) {
      const ids = ofContext.filter(({ scope }) => scope.agent === agent).map(({ id }) => id);
      const found = await pages(this.#store, this.#scope(agent), { contextId });
      expect(found.ids.toSorted()).toEqual(ids.toSorted());
      expect(new Set(found.totals)).toEqual(new Set([ids.length]));
    }
    const query = { contextId, agents, limit: 100, historyLength: 0 };
    const found = await this.#store.tasks.context(this.#principal, query);
    expect(found.map(({ taskId }) => taskId).toSorted()).toEqual(ofContext.map(({ id }) => id).toSorted());
  }

  async #send(agent: string, named: { contextId?: string }): Promise<void> {
    const scope = this.#scope(agent);
    const { taskId: id, contextId } = await accepted(this.#store, scope, userMessage('hi', named));
    this.#known.push({ id, contextId, scope, hasEnded: false });
    this.contexts.add(contextId);
  }

  #scope(agent: string): Scope {
    return { principal: this.#principal, agent };
  }
}

const oneOf = <T>(all: readonly T[], which: number): T | undefined => all[which % all.length];
const agents = ['echo', 'kitchen'];
const [agent, which] = [fc.constantFrom(...agents), fc.nat({ max: 20 })];

type Step = (walk: Walk) => Promise<void>;
const step: fc.Arbitrary<Step> = fc.oneof(
  agent.map((agent) => (walk: Walk) => walk.opens(agent)),
  fc.tuple(agent, which).map(
    ([agent, which]) =>
      (walk: Walk) =>
        walk.continues(agent, which),
  ),
  which.map((which) => (walk: Walk) => walk.ends(which)),
  which.map((which) => (walk: Walk) => walk.goes(which)),
);

test('whatever becomes of its tasks, a context has exactly those that are there', async () => {
  const store = await testStore();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const walk = new Walk(store);
      for (const take of steps) await take(walk);
      for (const contextId of walk.contexts) await walk.expectListed(contextId);
    }),
    { numRuns: 60 },
  );
}, 60_000);

test('whatever ids clients name, keys tell them apart, and records give them back', async () => {
  const odd = fc.constantFrom(':', '%3A', '\\u003a', '"', '\\', '\n', '\ud800', '\udbff', 'é', 'a');
  const ids = fc.array(odd, { maxLength: 4 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(ids, (id) => {
      expect(JSON.parse(`"${idText(id)}"`)).toBe(id);
      expect(idText(id)).not.toContain(':');
      expect(idText(id).isWellFormed()).toBe(true);
    }),
  );
  const store = await testStore();
  for (const id of ['\ud800:e', '\udbff:e', '%:']) {
    expect(await store.tasks.read(alice, id)).toBeUndefined();
    expect(await accepted(store, alice, userMessage('hi', { messageId: id, contextId: id }))).toMatchObject({
      isDuplicate: false,
      contextId: id,
    });
    expect((await pages(store, alice, { contextId: id })).totals).toEqual([1]);
  }
});
