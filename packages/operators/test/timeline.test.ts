import type { OpenTurn } from '@switchyard/store';
import { expect, test } from 'vitest';
import { accepted, beginTurn, begun, userMessage } from '../../../tests/support/store/drive.ts';
import { alice, testLedger, testRedis, testStore } from '../../../tests/support/store/redis.ts';
import { until } from '../../../tests/support/until.ts';
import { readStatuses } from '../src/read-timeline.ts';
import type { TimelineEntry } from '../src/timeline.ts';

const store = await testStore({ maxAttempts: 5, retentionMs: 60_000 });
const redis = testRedis();

async function timeline(taskId: string) {
  const detail = await store.ops.tasks.detail(taskId, { hasTimeline: true });
  if (!detail?.timeline) throw new Error('the task has no timeline');
  return detail.timeline;
}
type Kind = TimelineEntry['kind'];
const only = <K extends Kind>(entries: readonly TimelineEntry[], kind: K) =>
  entries.filter((entry): entry is Extract<TimelineEntry, { kind: K }> => entry.kind === kind);

const beginAs = (taskId: string, process: string, started: number, job = 1): Promise<OpenTurn> =>
  begun(store, taskId, { started, job, token: `${process}:echo/0:1` });
const status = (state: 'WORKING' | 'INPUT_REQUIRED' | 'COMPLETED', settles = true) =>
  ({ kind: 'status', state: `TASK_STATE_${state}`, settles }) as const;

test('the timeline of a waiting task has its acceptance, its queuing and its first status', async () => {
  const { taskId } = await accepted(store, alice);
  const { entries, earlierAttempts, deliveries } = await timeline(taskId);
  expect(entries).toEqual([
    { kind: 'accepted', at: expect.any(String), number: 1, from: 'acme/alice' },
    { kind: 'queued', at: expect.any(String) },
    { kind: 'status', at: expect.any(String), seq: 1, state: 'TASK_STATE_SUBMITTED' },
  ]);
  expect([earlierAttempts, deliveries]).toEqual([0, []]);
});

test('a message with a time to live and a priority shows both, while it waits and after it was rejected', async () => {
  const send = async (timeToLiveMs: number): Promise<string> => {
    const made = await store.tasks.accept(alice, { message: userMessage(), timeToLiveMs, priority: 'high' });
    return made.verdict === 'accepted' ? made.taskId : '';
  };
  const waiting = await send(60_000);
  const { beginBy = '', priority } = (await store.ops.tasks.detail(waiting)) ?? {};
  expect(priority).toBe('high');
  expect(only((await timeline(waiting)).entries, 'queued')).toMatchObject([{ beginBy, priority }]);
  expect((await store.ops.tasks.diagnosis(waiting))?.text).toContain(`by ${beginBy}`);

  const late = await send(1);
  await until(async () => (await store.timesToLive.reject()).messages.length > 0, { what: 'it is rejected' });
  const detail = await store.ops.tasks.detail(late);
  expect(detail).toMatchObject({ state: 'TASK_STATE_REJECTED', priority: 'high', beginBy: expect.any(String) });
  const message = `No worker began to work on this message by ${detail?.beginBy}, when its time to live ended.`;
  expect(detail?.reason).toEqual({ kind: 'not-begun', message });
  // No attempt was made at it.
  expect(detail?.diagnosis.failure?.attempt).toBeUndefined();
  expect(await store.ops.tasks.diagnosis(late)).toMatchObject({
    finding: 'failed',
    text: `The message was rejected: ${message}`,
    advice: expect.stringContaining('a longer time to live'),
  });
  const { entries } = await timeline(late);
  expect(only(entries, 'queued')).toMatchObject([{ beginBy: detail?.beginBy, priority, untilAt: expect.any(String) }]);
  expect(only(entries, 'late')).toMatchObject([{ beginBy: detail?.beginBy }]);
});

test('an answer that nobody began in time is late in the timeline, and its task asks again', async () => {
  const { taskId } = await accepted(store, alice);
  await (await beginAs(taskId, 'one', 1)).publish(status('INPUT_REQUIRED'));
  await store.tasks.accept(alice, { message: userMessage('yes', { taskId }), timeToLiveMs: 1 });
  await accepted(store, alice, userMessage('or no', { taskId }));
  await until(async () => (await store.timesToLive.reject()).messages.length > 0, { what: 'it is rejected' });
  const { entries } = await timeline(taskId);
  expect(only(entries, 'late')).toHaveLength(1);
  expect(only(entries, 'accepted').map(({ number }) => number)).toEqual([1, 2]);
  expect(await store.ops.tasks.detail(taskId)).not.toMatchObject({ beginBy: expect.anything() });
});

test('a timeline has each attempt with its end: retried, taken over, settled', async () => {
  const { taskId } = await accepted(store, alice);
  await (await beginAs(taskId, 'one', 1)).handBack(true);
  const dead = await beginAs(taskId, 'two', 2);
  const alive = await beginAs(taskId, 'three', 3);
  await dead.publish(status('WORKING', false)).catch(() => undefined);
  await alive.publish(status('INPUT_REQUIRED'));
  await accepted(store, alice, userMessage('yes', { taskId }));
  const last = await beginAs(taskId, 'three', 1, 2);
  expect(only((await timeline(taskId)).entries, 'attempt').at(-1)).toMatchObject({ end: 'open', epoch: 4 });
  await last.publish(status('COMPLETED'));
  const { entries } = await timeline(taskId);
  expect(
    only(entries, 'attempt').map(({ epoch, worker, attempt, end, isTakenOver }) => [
      epoch,
      worker,
      attempt,
      end,
      isTakenOver,
    ]),
  ).toEqual([
    [1, 'one', 1, 'retried', false],
    [2, 'two', 2, 'taken-over', false],
    [3, 'three', 3, 'settled', true],
    [4, 'three', 1, 'settled', false],
  ]);
  expect(only(entries, 'attempt').every(({ at, untilAt = '' }) => untilAt >= at)).toBe(true);
  expect(only(entries, 'fenced')).toEqual([{ kind: 'fenced', at: expect.any(String), epoch: 2, worker: 'two' }]);
  expect(only(entries, 'accepted').map(({ number }) => number)).toEqual([1, 2]);
  expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).sort());
});

test('messages that are accepted in the millisecond of an attempt count, a task that is submitted again does not', async () => {
  const { taskId } = await accepted(store, alice);
  const first = await beginAs(taskId, 'one', 1);
  await first.publish(status('INPUT_REQUIRED', false));
  await first.handBack(true);
  expect(await store.ops.tasks.detail(taskId)).toMatchObject({ state: 'TASK_STATE_SUBMITTED' });
  const acceptedNumbers = async () => only((await timeline(taskId)).entries, 'accepted').map(({ number }) => number);
  expect(await acceptedNumbers()).toEqual([1]);
  // Until an acceptance had the time of an attempt that began again.
  for (let job = 1; job <= 20; job += 1) {
    if (job > 1) await (await beginAs(taskId, 'one', 1, job)).handBack(true);
    await (await beginAs(taskId, 'one', 2, job)).publish(status('INPUT_REQUIRED'));
    await accepted(store, alice, userMessage('and', { taskId }));
  }
  expect(await acceptedNumbers()).toEqual(Array.from({ length: 21 }, (_, i) => i + 1));
});

test('a timeline has steps that ran or were remembered, and calls; the called task names its caller', async () => {
  const { taskId, contextId } = await accepted(store, alice);
  const first = await beginAs(taskId, 'one', 1);
  await store.steps.begin(first, 'step look up the "menu"');
  await store.steps.begin(first, 'step look up the "menu"'); // sent twice
  await store.steps.end(first, 'step look up the "menu"', '{}');
  await store.steps.begin(first, 'step pay');
  await first.handBack(true);
  const second = await beginAs(taskId, 'two', 2);
  await store.steps.begin(second, 'step look up the "menu"');
  const message = userMessage('oven?', { contextId });
  const placed = await store.calls.place(second, { agent: 'a kitchen', submission: { message }, isDetached: true });
  if (placed.verdict !== 'accepted') throw new Error(placed.verdict);
  await second.publish(status('COMPLETED'));
  const { entries } = await timeline(taskId);
  expect(
    only(entries, 'step').map(({ epoch, name, isRemembered, untilAt }) => [
      epoch,
      name,
      isRemembered,
      untilAt !== undefined,
    ]),
  ).toEqual([
    [1, 'look up the "menu"', false, true],
    [1, 'pay', false, false],
    [2, 'look up the "menu"', true, true],
  ]);
  expect(only(entries, 'call')).toEqual([
    { kind: 'call', at: expect.any(String), epoch: 2, taskId: placed.taskId, agent: 'a kitchen', isDetached: true },
  ]);
  expect((await timeline(placed.taskId)).calledBy).toBe(taskId);
  const [log = ''] = await redis.keys(`${store.settings.prefix}*:t:${taskId}:l`);
  expect(await redis.pttl(log)).toBeGreaterThan(0);
});

test('a timeline has waits from their beginning to their end, and the events that were given', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await beginAs(taskId, 'one', 1);
  await store.waits.begin(turn, { key: 'timeout of call kitchen', delayMs: 60_000 });
  await store.waits.begin(turn, { key: 'sleep 1', delayMs: 0 });
  await store.waits.begin(turn, { key: 'event payment 1', event: 'payment' });
  await store.waits.begin(turn, { key: 'retry 1.2 ask for it', delayMs: 60_000 });
  await turn.suspend({ dueMs: Number.POSITIVE_INFINITY, events: [{ name: 'payment' }], waits: [] });
  await store.waits.give(alice, taskId, { name: 'payment', data: '1' });
  const next = await beginAs(taskId, 'two', 1, 2);
  await store.waits.begin(next, { key: 'event payment 1', event: 'payment' });
  const told = async () => {
    const { entries } = await timeline(taskId);
    return [...only(entries, 'wait'), ...only(entries, 'event')];
  };
  const ended = { untilAt: expect.any(String) };
  expect(await told()).toMatchObject([
    { epoch: 1, what: 'time', name: '', ...ended },
    { epoch: 1, what: 'event', name: 'payment', ...ended },
    { epoch: 1, what: 'step', name: 'ask for it' },
    { kind: 'event', epoch: 1, name: 'payment' },
  ]);
  expect((await told())[2]).not.toHaveProperty('untilAt');
  await next.publish(status('COMPLETED'));
  expect((await told())[2]).toMatchObject(ended);
});

test('the last attempt of a task that was given up ends with "gave-up"', async () => {
  const { taskId } = await accepted(store, alice);
  for (let started = 1; started <= 6; started++)
    await beginTurn(store, { taskId, started, token: `p${started}:echo/0:alone:1` });
  const { entries, earlierAttempts } = await timeline(taskId);
  expect(only(entries, 'attempt').map(({ end }) => end)).toEqual([
    'taken-over',
    'taken-over',
    'taken-over',
    'taken-over',
    'gave-up',
  ]);
  expect(earlierAttempts).toBe(0);
});

test('a timeline has each webhook with its last delivered event and the reason of its dead letter', async () => {
  const { taskId } = await accepted(store, alice);
  for (const id of ['delivered', 'dead-lettered'])
    await store.webhooks.create(alice, taskId, { id, url: 'https://client.example.com/hook?key=secret' });
  await (await beginAs(taskId, 'one', 1)).publish(status('COMPLETED'));
  const states = async () => (await timeline(taskId)).deliveries.map(({ configId, state }) => [configId, state]);
  expect(await states()).toEqual([
    ['delivered', 'due'],
    ['dead-lettered', 'due'],
  ]);
  await store.deliveries.claim();
  for (const number of [1, 2]) {
    const open = await store.deliveries.open({ taskId, number, job: 1, token: `t${number}` });
    if (typeof open === 'string') throw new Error(open);
    if (number === 1) await open.advance({ seq: 2, pending: [] });
    else await open.deadLetter({ origin: 'https://client.example.com', reason: 'the answer was 400', attempts: 9 });
  }
  const { deliveries } = await timeline(taskId);
  expect(deliveries).toEqual([
    { configId: 'delivered', origin: 'https://client.example.com', state: 'idle', deliveredSeq: 2, attempts: 0 },
    {
      configId: 'dead-lettered',
      origin: 'https://client.example.com',
      state: 'dead',
      deliveredSeq: 1,
      attempts: 9,
      reason: 'the answer was 400',
    },
  ]);
  expect((await store.ops.tasks.detail(taskId))?.diagnosis.finding).toBe('webhook-fails');
});

test('the readers of a task are listed with their position and buffered bytes', async () => {
  const { taskId } = await accepted(store, alice);
  const feed = store.feeds.follow(alice, taskId, { as: 'operator' });
  await feed.next();
  const turn = await beginAs(taskId, 'one', 1);
  await turn.publish(status('WORKING', false));
  const reader = () => store.feeds.readersOf(taskId)[0];
  await until(() => reader()?.behind === 1, { what: 'the event has arrived' });
  expect(reader()).toMatchObject({ kind: 'operator', seq: 1, behind: 1, bufferedBytes: expect.any(Number) });
  expect((await timeline(taskId)).listeningProcesses).toBe(1);
  await feed.return?.();
  expect(store.feeds.readersOf(taskId)).toEqual([]);
});

test('of large events, four pages of about a megabyte are read from each end of the stream', async () => {
  const ledger = await testLedger();
  const connection = testRedis(ledger.url);
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  await turn.publish(status('WORKING', false));
  const artifact = { artifactId: 'a', name: 'a', parts: [{ text: 'x'.repeat(262_144) }] };
  for (let n = 0; n < 40; n++) await turn.publish({ kind: 'artifact', artifact, append: n > 0, lastChunk: false });
  await turn.publish(status('COMPLETED'));
  const [events = ''] = await redis.keys(`${store.settings.prefix}*:t:${taskId}:e`);
  const letters: string[] = [];
  const { commands } = await ledger.during(async () => {
    const { statuses, isAll } = await readStatuses(connection, events);
    expect(isAll).toBe(false);
    letters.push(...statuses.map(({ letter }) => letter));
  });
  expect(letters).toEqual(['s', 'w', 'C']);
  expect(commands.filter((name) => name === 'evalsha')).toHaveLength(8);
});

test('of more steps than are kept, the timeline has the last ones in order, and is marked partial', async () => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  const names = Array.from({ length: 600 }, (_, n) => `step-${n}`);
  for (const name of names) {
    await store.steps.begin(turn, `step ${name}`);
    await store.steps.end(turn, `step ${name}`, '');
  }
  await turn.publish(status('COMPLETED'));
  const { entries, isPartial } = await timeline(taskId);
  const steps = only(entries, 'step');
  expect(steps.map(({ name }) => name)).toEqual(names.slice(100));
  expect(steps.every(({ untilAt }) => untilAt !== undefined)).toBe(true);
  expect(isPartial).toBe(true);
});

test.each([
  [900, false],
  [1_100, true],
])('the timeline of %i events has the statuses of both ends of the stream (partial: %s)', async (count, isMissing) => {
  const { taskId } = await accepted(store, alice);
  const turn = await begun(store, taskId);
  await turn.publish(status('WORKING', false));
  for (let n = 2; n < count - 1; n++)
    void turn.publish({
      kind: 'artifact',
      artifact: { artifactId: 'a', parts: [{ text: 'x' }] },
      append: n > 2,
      lastChunk: false,
    });
  await turn.publish(status('COMPLETED'));
  const { entries, isPartial } = await timeline(taskId);
  expect(only(entries, 'status').map(({ state }) => state.slice(11))).toEqual(['SUBMITTED', 'WORKING', 'COMPLETED']);
  expect(isPartial).toBe(isMissing);
});
