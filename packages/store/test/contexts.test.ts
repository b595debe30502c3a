import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { idText } from '../src/deployment/keys.ts';
import type { Scope, Store, TaskQuery } from '../src/index.ts';
import { accepted, begun, userMessage } from './support/drive.ts';
import { alice, bob, testRedis, testStore } from './support/redis.ts';

const redis = testRedis();
const kitchen: Scope = { ...alice, agent: 'kitchen' };
const idOf = (task: string): string => JSON.parse(task).id;

async function end(store: Store, taskId: string): Promise<void> {
  const turn = await begun(store, taskId);
  await turn.publish({ kind: 'status', state: 'TASK_STATE_COMPLETED', settles: true });
}

/** The ids of all tasks, read in pages of one, and the total size in each page. */
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

test('a context that no client named has the id of its first task, and no index until its second', async () => {
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

test('concurrent messages of a context are listed with the task that opened it', async () => {
  const store = await testStore();
  const { taskId, contextId } = await accepted(store, alice);
  const messages = [contextId, contextId, 'another', contextId].map((each) => userMessage('hi', { contextId: each }));
  const made = await Promise.all(messages.map((message) => accepted(store, alice, message)));
  const [one, two, elsewhere, three] = made.map((task) => task.taskId);
  expect((await pages(store, alice, { contextId })).ids.sort()).toEqual([taskId, one, two, three].sort());
  expect((await pages(store, alice, { contextId: 'another' })).ids).toEqual([elsewhere]);
});

test('the only task of a context, which has no index, is listed by all filters', async () => {
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

test('a task in a context of another id is not listed by its own id as a context id', async () => {
  const store = await testStore();
  const { taskId } = await accepted(store, alice, userMessage('hi', { contextId: 'mine' }));
  expect((await store.tasks.list(alice, { contextId: taskId, pageSize: 5 })).totalSize).toBe(0);
  const other = await accepted(store, alice, userMessage('hi', { contextId: taskId }));
  expect((await pages(store, alice, { contextId: taskId })).ids).toEqual([other.taskId]);
  const odd = await accepted(store, alice, userMessage('hi', { contextId: `${taskId}:e` }));
  expect((await pages(store, alice, { contextId: `${taskId}:e` })).ids).toEqual([odd.taskId]);
});

interface ExpectedTask {
  readonly id: string;
  readonly contextId: string;
  readonly scope: Scope;
  hasEnded: boolean;
}

/** Random operations on contexts of one principal, and the tasks that are expected after them. */
class Model {
  readonly contexts = new Set(['named by a client']);
  readonly #store: Store;
  readonly #principal = { ...alice.principal, subject: randomUUID() };
  #tasks: ExpectedTask[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  openContext(agent: string): Promise<void> {
    return this.#send(agent, {});
  }

  addTask(agent: string, which: number): Promise<void> {
    return this.#send(agent, { contextId: oneOf([...this.contexts], which) ?? '' });
  }

  async endTask(which: number): Promise<void> {
    const task = oneOf(this.#tasks, which);
    if (!task || task.hasEnded) return;
    await end(this.#store, task.id);
    task.hasEnded = true;
  }

  async deleteTask(which: number): Promise<void> {
    const task = oneOf(this.#tasks, which);
    if (!task?.hasEnded) return;
    expect(await this.#store.tasks.delete(task.scope, task.id)).toBe('deleted');
    this.#tasks = this.#tasks.filter((other) => other !== task);
  }

  async expectListed(contextId: string): Promise<void> {
    const ofContext = this.#tasks.filter((task) => task.contextId === contextId);
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
    this.#tasks.push({ id, contextId, scope, hasEnded: false });
    this.contexts.add(contextId);
  }

  #scope(agent: string): Scope {
    return { principal: this.#principal, agent };
  }
}

const oneOf = <T>(all: readonly T[], which: number): T | undefined => all[which % all.length];
const agents = ['echo', 'kitchen'];
const [agent, which] = [fc.constantFrom(...agents), fc.nat({ max: 20 })];

type Step = (model: Model) => Promise<void>;
const step: fc.Arbitrary<Step> = fc.oneof(
  agent.map((agent) => (model: Model) => model.openContext(agent)),
  fc.tuple(agent, which).map(
    ([agent, which]) =>
      (model: Model) =>
        model.addTask(agent, which),
  ),
  which.map((which) => (model: Model) => model.endTask(which)),
  which.map((which) => (model: Model) => model.deleteTask(which)),
);

test('after any creations, ends and deletions of tasks, a context lists exactly the tasks that exist', async () => {
  const store = await testStore();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const model = new Model(store);
      for (const step of steps) await step(model);
      for (const contextId of model.contexts) await model.expectListed(contextId);
    }),
    { numRuns: 60 },
  );
});

test('any ids of clients have distinct keys, and are returned unchanged', async () => {
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
