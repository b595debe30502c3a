import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Credentials } from '@switchyard/access';
import { Store } from '@switchyard/store';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dataSettings, RedisNode } from '../../workshop/faults/redis/redis-node.ts';
import { checkScenario } from '../../workshop/faults/workload/play-scenario.ts';
import { ResilientClient, watchTask } from '../../workshop/faults/workload/resilient-client.ts';
import { createScenario, type ScenarioKind } from '../../workshop/faults/workload/scenario.ts';
import { openInIndexes, readEffects } from '../../workshop/faults/workload/violations.ts';
import { temporaryFolder } from '../../workshop/system.ts';
import { openEventStream } from '../support/event-stream.ts';
import { userMessage } from '../support/messages.ts';
import { get } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { until } from '../support/until.ts';
import { backupMethods, folderFor } from './support/backups.ts';

// The drill of docs/backup.md: a deployment continues from a backup, and its clients notice this.

const agent = 'scenario-agent';
const prefix = 'drill';

let owned: AsyncDisposableStack;
let root: string;
beforeEach(async () => {
  owned = new AsyncDisposableStack();
  root = owned.use(await temporaryFolder()).path;
});
afterEach(() => owned.disposeAsync());

async function started(): Promise<RedisNode> {
  const node = owned.use(await RedisNode.create({ folder: root, settings: dataSettings }));
  await node.start();
  return node;
}

const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

const urlOf = ({ port }: RedisNode): string => `redis://127.0.0.1:${port}`;

async function programsOn(node: RedisNode): Promise<{ stack: Stack; client: ResilientClient; url: string }> {
  const env = { KEY_PREFIX: prefix, DEFAULT_AGENT: agent, LOG_LEVEL: 'info', EFFECTS_FILE: join(root, 'effects') };
  const agents = [`workshop/faults/agents/${agent}.ts`];
  const stack = owned.use(await startStack({ redisUrl: urlOf(node), agents, env }));
  return { stack, client: new ResilientClient(stack, 0), url: stack.urls[0] ?? '' };
}

/** In the process of the test, like `switchyard keys`. */
async function storeOn(node: RedisNode): Promise<Store> {
  const store = new Store({ redisUrl: urlOf(node), prefix }, () => undefined);
  owned.defer(() => store.stop());
  await store.start('reader');
  return store;
}

const scenarios = {
  talk: createScenario('talk', 'talk', { size: 1 }),
  stream: createScenario('stream', 'stream', { size: 300 }),
  steps: createScenario('steps', 'steps', { size: 150 }),
  files: createScenario('files', 'files', { size: 4 }),
  wait: createScenario('wait', 'wait', { size: 1 }),
} satisfies Partial<Record<ScenarioKind, unknown>>;
type Kind = keyof typeof scenarios;

const message = (kind: Kind, turn = 0, ids: { taskId?: string; contextId?: string } = {}) => ({
  ...userMessage(scenarios[kind].texts[turn] ?? ''),
  messageId: `${kind}-${turn}`,
  ...ids,
});

test('after a restore, tasks of the backup end once, streams resume or restart, and later data is gone', async () => {
  const original = await started();
  const before = await programsOn(original);
  const { client } = before;
  const ids = {
    files: (await client.send(message('files'), false)).id,
    talk: (await client.send(message('talk'), false)).id,
    stream: (await client.send(message('stream'), true)).id,
    steps: (await client.send(message('steps'), true)).id,
    wait: (await client.send(message('wait'), true)).id,
  };
  const ended = await get(`${before.url}/tasks/${ids.files}`);
  const live = await openEventStream(`${before.url}/tasks/${ids.stream}:subscribe`, { lastEventId: '0' });
  const seen = await live.until((data) => data.artifactUpdate !== undefined);
  const store = await storeOn(original);
  const { credential } = await new Credentials(store.inside).create({ tenant: 'acme', subject: 'alice', scopes: [] });

  const [method] = backupMethods;
  if (!method) throw new Error('there is no method');
  const copy = await folderFor(method, root);
  await method.take(original, copy);

  // Changes after the backup.
  const seenLater = await live.until(
    (data) => data.artifactUpdate?.artifact.parts[0]?.text?.includes('line 60\n') === true,
  );
  live.cut();
  const later = await get(`${before.url}/tasks/${ids.stream}`);
  expect((await client.send(message('talk', 1, { taskId: ids.talk }), false)).status.state).toBe(
    'TASK_STATE_COMPLETED',
  );
  const unknown = await client.send({ ...userMessage('talk 0 later'), messageId: 'later' }, false);
  await new Credentials(store.inside).revoke(credential.id);
  await before.stack.stop();
  await original.kill();

  const restored = owned.use(await method.restore(copy, root));
  const after = await programsOn(restored);
  const { url } = after;

  // A stream resumes after an event of the backup, and starts with the task after a lost event.
  const behind = async (lastEventId: string | undefined) => {
    const stream = await openEventStream(`${url}/tasks/${ids.stream}:subscribe`, { lastEventId: lastEventId ?? '' });
    const [first] = await stream.until(() => true);
    stream.cut();
    return first;
  };
  const last = seen.at(-1);
  expect((await behind(last?.eventId))?.id).toBe((last?.id ?? 0) + 1);
  expect((await behind(seenLater.at(-1)?.eventId))?.data).toHaveProperty('task');
  // An ETag never stands for two contents.
  const etag = later.headers.get('etag') ?? '';
  expect((await get(`${url}/tasks/${ids.stream}`, { 'if-none-match': etag })).status).toBe(200);

  // Ended tasks are unchanged; a message of the backup gets its first answer, a later one is new.
  expect((await get(`${url}/tasks/${ids.files}`)).body).toEqual(ended.body);
  expect((await after.client.send(message('files'), true)).id).toBe(ids.files);
  expect((await get(`${url}/tasks/${unknown.id}`)).status).toBe(404);
  const again = await after.client.send({ ...userMessage('talk 0 later'), messageId: 'later' }, false);
  expect([again.id === unknown.id, again.status.state]).toEqual([false, 'TASK_STATE_COMPLETED']);

  // The question is open again, and accepts its answer again.
  expect((await after.client.read(ids.talk)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  await after.client.send(message('talk', 1, { taskId: ids.talk }), false);
  await until(async () => (await after.client.read(ids.wait)).status.state === 'TASK_STATE_WORKING', {
    what: 'it works',
    timeoutMs: 15_000,
  });
  await after.client.cancel(ids.wait);

  for (const kind of Object.keys(ids) as Kind[]) {
    const task = await after.client.ended(ids[kind], 60_000);
    const replayed = await watchTask(after.client, ids[kind]);
    expect(checkScenario(scenarios[kind], task, replayed), kind).toEqual([]);
  }
  // Turns that ran after the backup run again, with one attempt less.
  const effects = await readEffects(join(root, 'effects'));
  const attempts = effects.filter(({ taskId, step }) => taskId === ids.stream && Number.isNaN(step));
  expect(new Set(attempts.map(({ attempt }) => attempt)).size).toBe(2);
  // Changes of keys after the backup are undone: docs/backup.md says what to do.
  const keys = await new Credentials((await storeOn(restored)).inside).list();
  expect(keys.find(({ id }) => id === credential.id)?.revokedAt).toBeUndefined();
  expect(await openInIndexes(urlOf(restored), prefix, agent)).toEqual([]);
});

test.for(backupMethods)('$name contains all earlier writes of a Redis under load', async (method, { skip }) => {
  if (method.program && !isInstalled(method.program)) return skip(`${method.program} is not installed`);
  const original = await started();
  const store = await storeOn(original);
  const scope = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent };
  let isOver = false;
  let accepted = 0;
  const writing = (async () => {
    for (; !isOver; accepted++) await store.tasks.accept(scope, { message: userMessage('hello') });
  })();
  await until(() => accepted > 100, { what: 'there are some tasks' });
  const least = accepted;
  const copy = await folderFor(method, root);
  await method.take(original, copy);
  isOver = true;
  await writing;
  await original.kill();
  const restored = owned.use(await method.restore(copy, root));
  const again = await storeOn(restored);
  const { totalSize } = await again.tasks.list(scope, { pageSize: 1 });
  expect(totalSize).toBeGreaterThanOrEqual(least);
  // Each task has its job, and all its keys.
  expect(await again.queue.waiting(agent)).toBe(totalSize);
  expect(await restored.ask('CONFIG GET appendonly')).toContain('yes');
});
