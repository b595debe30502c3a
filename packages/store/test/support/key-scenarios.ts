import { Ops } from '@switchyard/operators';
import type { TurnEvent } from '@switchyard/protocol';
import { confirmedKeyOf, countConfirmedScript, createConnections } from '@switchyard/redis';
import { inject } from 'vitest';
import type { TaskArchive } from '../../src/archive/task-archive.ts';
import { ShardKeys } from '../../src/deployment/keys.ts';
import {
  type Consumer,
  NotArchivable,
  type OpenTurn,
  queueName,
  REMOTE_AGENTS,
  remoteAgentId,
} from '../../src/index.ts';
import { checkShard } from '../../src/queue/shard-checks.ts';
import { interruptScript } from '../../src/queue/wake-ups.ts';
import { accepted, agentMessage, beginTurn, begun, userMessage } from './drive.ts';
import { alice, bob, type TestStore } from './redis.ts';
import { queueOf } from './runs.ts';

/** Plays a scenario that leaves keys; it calls `recordKeys` before it removes some of them. */
type KeyScenario = (store: TestStore, recordKeys: () => Promise<void>) => Promise<unknown>;

/** Scenarios of a deployment that leave keys of different kinds. */
export const keyScenarios: readonly KeyScenario[] = [
  questionsAndLongTexts,
  rejection,
  cancellation,
  namedSkill,
  scheduledTask,
  spentAttempts,
  steps,
  usageOfModels,
  suspendedTurn,
  timeToLive,
  paceOfModels,
  placesOfTurns,
  callsAndConversations,
  memory,
  webhooks,
  deploymentData,
  checkOfShard,
  migration,
  noRoom,
  archiving,
];

/** Consumes the jobs of every queue without doing anything. */
export async function consumeAll(store: TestStore): Promise<Pick<Consumer, 'stop'>[]> {
  const onError = (): void => undefined;
  const run = async () => 'done' as const;
  const consumers: Pick<Consumer, 'start' | 'stop'>[] = [
    ...['echo', queueName('echo', 'print'), 'kitchen', REMOTE_AGENTS].map((queue) =>
      store.turns.consume({ queue, concurrency: 10, run, onError }),
    ),
    store.deliveries.consume({ concurrency: 10, run, onError }),
  ];
  await Promise.all(consumers.map((consumer) => consumer.start()));
  return consumers;
}

const outcome = (state: 'INPUT_REQUIRED' | 'COMPLETED' | 'FAILED' | 'REJECTED', text?: string): TurnEvent => ({
  kind: 'status',
  state: `TASK_STATE_${state}`,
  settles: true,
  ...(text !== undefined && { message: agentMessage(text) }),
});

/** The store must count Redis as full, however little it uses. */
async function noRoom(store: TestStore, recordKeys: () => Promise<void>): Promise<void> {
  const { taskId } = await accepted(store, alice);
  await store.tasks.cancel(alice, taskId);
  await store.room.make();
  await recordKeys();
}

async function questionsAndLongTexts(store: TestStore, recordKeys: () => Promise<void>): Promise<void> {
  const { taskId } = await accepted(store, alice, userMessage('long '.repeat(100)));
  const turn = await begun(store, taskId);
  const publish = (text: string, append: boolean) =>
    turn.publish({ kind: 'artifact', artifact: { artifactId: 'a', parts: [{ text }] }, append, lastChunk: !append });
  await publish('a'.repeat(100), true);
  await publish('b'.repeat(100), true);
  await publish('c'.repeat(100), false);
  await turn.publish(outcome('INPUT_REQUIRED', 'more?'));
  await recordKeys();
  await accepted(store, alice, userMessage('more', { taskId }));
  await accepted(store, alice, userMessage('and more', { taskId }));
  await recordKeys();
  await (await begun(store, taskId, { job: 2 })).publish(outcome('FAILED', 'no'));
}

async function rejection(store: TestStore): Promise<void> {
  const { taskId } = await accepted(store, bob);
  await (await begun(store, taskId)).publish(outcome('REJECTED'));
}

/** Cancels a task that waits, and one whose worker has crashed. */
async function cancellation(store: TestStore): Promise<void> {
  const waiting = await accepted(store, bob);
  await store.tasks.cancel(bob, waiting.taskId);
  const abandoned = await accepted(store, bob);
  await begun(store, abandoned.taskId);
  await store.tasks.cancel(bob, abandoned.taskId);
}

/** A task in the queue of a skill. */
async function namedSkill(store: TestStore, recordKeys: () => Promise<void>): Promise<void> {
  const skill = { id: 'print', hasQueue: true };
  const acceptance = await store.tasks.accept(alice, { message: userMessage(), skill });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  await recordKeys();
  await (await begun(store, acceptance.taskId)).publish(outcome('COMPLETED'));
}

/** A task that waits for its time. */
async function scheduledTask(store: TestStore, recordKeys: () => Promise<void>): Promise<void> {
  const schedule = { at: new Date(Date.now() + 3_600_000).toISOString() };
  const acceptance = await store.tasks.accept(alice, { message: userMessage(), schedule });
  if (acceptance.verdict !== 'accepted') throw new Error(acceptance.verdict);
  await recordKeys();
  await store.tasks.cancel(alice, acceptance.taskId);
}

async function spentAttempts(store: TestStore, recordKeys: () => Promise<void>): Promise<void> {
  const { taskId } = await accepted(store, alice);
  for (let started = 1; started <= store.settings.maxAttempts + 1; started++)
    await beginTurn(store, { taskId, started, token: `t${started}` });
  await recordKeys();
}

async function steps(store: TestStore, recordKeys: () => Promise<void>): Promise<void> {
  const turn = await hostTurn(store, 'steps');
  await store.steps.begin(turn, 'step pay');
  await store.steps.end(turn, 'step pay', '{"paid":true}');
  await turn.recordFailure({ kind: 'threw', message: 'no dough', of: 'step', name: 'bake' });
  await recordKeys();
  await turn.publish(outcome('COMPLETED'));
}

async function suspendedTurn(store: TestStore, recordKeys: () => Promise<void>): Promise<void> {
  const turn = await hostTurn(store, 'suspended');
  const until = new Date(Date.now() + 3_600_000);
  await turn.suspend({ dueMs: until.getTime(), events: [], waits: [{ until: until.toISOString() }] });
  await recordKeys();
  await store.tasks.cancel(alice, turn.start.taskId);
}

async function timeToLive(store: TestStore, recordKeys: () => Promise<void>): Promise<void> {
  const sent = await store.tasks.accept(alice, { message: userMessage(), timeToLiveMs: 3_600_000 });
  if (sent.verdict !== 'accepted') throw new Error(sent.verdict);
  await recordKeys();
  await store.tasks.cancel(alice, sent.taskId);
}

async function usageOfModels(store: TestStore, recordKeys: () => Promise<void>): Promise<void> {
  const turn = await hostTurn(store, 'usage');
  await turn.recordUsage({ model: 'small', inputTokens: 12, calls: 1, microUsd: 3 });
  await recordKeys();
  await turn.publish(outcome('COMPLETED'));
}

/** One request has room, and one waits. */
async function paceOfModels(store: TestStore, recordKeys: () => Promise<void>): Promise<void> {
  const request = { name: 'api.example/large', tenant: 'acme', tokens: 90, limits: { tokensPerMinute: 1 } };
  await store.pace.ask({ ...request, id: 'first' });
  await store.pace.ask({ ...request, id: 'second' });
  await recordKeys();
}

/** An agent with limits: one turn runs, and one waits for its place. */
async function placesOfTurns(store: TestStore, recordKeys: () => Promise<void>): Promise<void> {
  const places = store.turns.places('echo', { running: 1, startsPerMinute: 60_000 });
  const jobs = ['one', 'two'].map((id) => ({ id, tenant: 'acme', key: 'red' }));
  const { places: taken } = await places.take({ taker: 'gone:echo', number: 1, count: 2, kinds: 'any' }, jobs);
  await recordKeys();
  await Promise.all(taken.map(({ place }) => place.end()));
}

/** A task calls two agents, one of them remote, has a conversation with a third, and fails before any has ended. */
async function callsAndConversations(store: TestStore, recordKeys: () => Promise<void>): Promise<void> {
  const turn = await hostTurn(store, 'calls');
  const { contextId = '' } = turn.start.task;
  for (const agent of ['kitchen', remoteAgentId('https://oven.example.com/card.json')])
    await store.calls.place(turn, {
      agent,
      submission: { message: userMessage('x', { contextId }) },
      isDetached: false,
    });
  const id = await store.conversations.open(turn, { seed: 'one', toAgent: 'kitchen', maxTurns: 3 });
  await store.conversations.append(turn, id, { seq: 1, event: { phase: 'turn' }, nextTurn: 1, isEnd: false });
  await recordKeys();
  await turn.publish(outcome('FAILED'));
  await recordKeys();
}

async function memory(store: TestStore, recordKeys: () => Promise<void>): Promise<void> {
  const turn = await hostTurn(store, 'memory');
  await store.memory.write(turn, '"much"');
  await recordKeys();
  await turn.publish(outcome('COMPLETED'));
}

/** One webhook receives its events, one is dead-lettered, one is not called. */
async function webhooks(store: TestStore, recordKeys: () => Promise<void>): Promise<void> {
  const turn = await hostTurn(store, 'webhooks');
  const { taskId } = turn.start;
  for (const id of ['delivered', 'dead-lettered', 'not called'])
    await store.webhooks.create(alice, taskId, { id, url: 'https://client.example.com/hook' });
  await turn.publish(outcome('COMPLETED'));
  await store.deliveries.claim();
  for (const number of [1, 2]) {
    const open = await store.deliveries.open({ taskId, number, job: 1, token: `t${number}` });
    if (typeof open === 'string') throw new Error(open);
    if (number === 1) await open.advance({ seq: 2, pending: [] });
    else
      await open.deadLetter({ origin: 'https://client.example.com', reason: 'the receiver answered 400', attempts: 9 });
  }
  await recordKeys();
}

/** Agents, credentials, audit events, reports of workers and a log level. */
async function deploymentData(store: TestStore, recordKeys: () => Promise<void>): Promise<void> {
  const modes = { defaultInputModes: [], defaultOutputModes: [], supportedInterfaces: [], capabilities: {} };
  const card = { name: 'Echo', description: 'Echoes.', version: '1', skills: [], ...modes };
  const agent = { id: 'echo', card, repliesWithMessage: false, concurrency: 1 };
  await store.registry.announce([agent, { ...agent, id: 'kitchen' }], 'w');
  await store.availability();
  await store.deploymentId();
  await store.credentials.create({ tenant: 'acme', subject: 'alice', scopes: [] });
  await store.audit.write([{ at: '2026-01-01T00:00:00.000Z', what: 'admin', outcome: 'ok' }]);
  await store.ops.workers.report('w', { agents: ['echo'], upForMs: 1, isDraining: false, turns: [] });
  await store.ops.logLevels.set('debug', 60_000);
  await recordKeys();
}

/** A check of a shard, changes that wait for replicas, a process that begins to wait for another queue, and one that dies with a job. */
async function checkOfShard(store: TestStore, recordKeys: () => Promise<void>): Promise<void> {
  const { commands } = createConnections({ redisUrl: inject('redisUrl') }, { isReplicated: false });
  const keys = new ShardKeys(store.settings.prefix, 0);
  await checkShard(commands, keys, { everyMs: 0, leaseMs: 1_000, maxInterruptedMs: 60_000, names: ['echo'] });
  for (const key of [keys.checked, `${store.settings.prefix}{agents}:`])
    await countConfirmedScript.run(commands, { keys: { confirmed: confirmedKeyOf(key) }, args: {} });
  await interruptScript.run(commands, { keys: { interrupt: `${keys.queues}:@interrupt:p` }, args: { keptMs: 60_000 } });
  const scope = { ...alice, agent: 'kitchen' };
  const { taskId } = await accepted(store, scope);
  const queue = queueOf(store, commands, { queue: 'kitchen', leaseMs: 100 });
  await queue.take({ taker: 'gone:kitchen/0', number: 1, count: 1, kinds: 'any' });
  await recordKeys();
  await store.tasks.cancel(scope, taskId);
  commands.disconnect();
}

async function migration(store: TestStore, recordKeys: () => Promise<void>): Promise<void> {
  await store.migrator.lock.hold();
  await recordKeys();
  await store.migrator.lock.release();
}

async function hostTurn(store: TestStore, contextId: string): Promise<OpenTurn> {
  const { taskId } = await accepted(store, alice, userMessage('hello', { contextId }));
  return begun(store, taskId);
}

/** An archive that refuses every task. */
export const nowhere: TaskArchive = {
  put: async () => {
    throw new NotArchivable('It is full.');
  },
  find: async () => ({ total: 0, sortKeys: [] }),
  read: async () => new Map(),
  describe: async () => new Map(),
  inspect: async () => new Map(),
  existing: async () => new Set(),
  delete: async () => false,
  deleteTenant: async () => 0,
  endedOf: async () => [],
  expire: async () => 0,
  recount: async () => undefined,
  status: async () => ({ tasks: 0, bytes: 0, oldest: '', latest: '' }),
};

async function archiving(store: TestStore, recordKeys: () => Promise<void>): Promise<void> {
  const { archiver } = new Ops({ inside: { ...store.inside, archive: nowhere } });
  const { taskId } = await accepted(store, alice);
  await store.tasks.cancel(alice, taskId);
  // Also what has just ended.
  await archiver?.run({ afterMs: -1_000, everyMs: 60_000, signal: new AbortController().signal });
  await recordKeys();
}
