import {
  type Artifact,
  isTerminal,
  type Message,
  priorityUri,
  scheduleUri,
  suspendedUri,
  type Task,
  timeToLiveUri,
  usageUri,
} from '@switchyard/protocol';
import { textOf, transcript } from '../../../tests/support/messages.ts';
import type { SentEvent } from '../../../tests/support/sent-events.ts';
import { FileLost, uploadFile } from './file-transfers.ts';
import { eventually, isTooLate, machine, noteLate } from './lateness.ts';
import type { PushReceiver } from './push-receiver.ts';
import { endsTask, Refused, type ResilientClient, type Watched, watchOverGrpc, watchTask } from './resilient-client.ts';
import { CONFIDENTIAL, EVENT, isSuspended, type Scenario, type ScheduledFor, TOKENS_OF_MESSAGE } from './scenario.ts';
import type { Violation } from './violations.ts';

export interface Played {
  readonly violations: readonly Violation[];
  /** Number of streams that broke and were resumed. */
  readonly resumed: number;
}

export interface PlayOptions {
  /** Records webhooks, if some tasks have one. */
  readonly receiver?: PushReceiver;
  /** See `watchTask`. */
  readonly mayLoseEvents?: boolean;
  /** Awaited before it answers a question, cancels or gives events, and when it has sent everything. */
  readonly goOn?: (taskId: string) => Promise<void>;
  /** Called when the client has seen the end of its task. */
  readonly onEnded?: (task: Task) => void;
  /** How long Redis keeps tasks that have ended, and the ids of messages. Default: for ever. */
  readonly rememberedMs?: number;
  /** When a worker first began a task, by Redis' clock. Unset: times to live are checked by the task alone. */
  readonly begunMs?: (taskId: string) => Promise<number | undefined>;
}

const END_WITHIN_MS = 90_000;

/** Plays the client of one scenario to its end, then checks the task. Never throws. */
export async function playScenario(
  client: ResilientClient,
  scenario: Scenario,
  options: PlayOptions = {},
): Promise<Played> {
  const begunMs = performance.now();
  const { rememberedMs = Number.POSITIVE_INFINITY } = options;
  const isForgotten = (): boolean => performance.now() - begunMs > rememberedMs && machine.isSlow();
  try {
    const { violations, resumed } = await play(client, scenario, options);
    return { violations: isForgotten() ? tooSlow(violations) : violations, resumed };
  } catch (error) {
    const { cause: last } = Object(error);
    const cause = last instanceof Error ? ` (${last.message})` : '';
    const isRefused = error instanceof Refused || last instanceof Refused;
    const what = `${scenario.kind} ${scenario.key}: ${error}${cause}`;
    const violations = [{ kind: error instanceof FileLost ? 'files' : lostKind(scenario), what } as const];
    return { violations: isRefused && isForgotten() ? tooSlow(violations) : violations, resumed: 0 };
  }
}

/**
 * What was wrong with a scenario that took longer than Redis remembers a task, on a slow machine: a message that is
 * repeated is another one by then, a call is made again, and the task is not there.
 */
function tooSlow(violations: readonly Violation[]): Violation[] {
  for (const { what } of violations) noteLate(`too slow to be judged: ${what}`);
  return [];
}

async function play(client: ResilientClient, scenario: Scenario, options: PlayOptions): Promise<Played> {
  const { taskId, watched, overGrpc } = await send(client, scenario, options);
  const { first, task, seen, replayed, violations } = await checkEnd(client, scenario, { ...options, taskId, watched });
  violations.push(...(await playFollowers(client, scenario, first, options)));
  if (seen) violations.push(...compareSeen(seen, replayed, options.mayLoseEvents ?? false));
  violations.push(...compareFolded(await overGrpc, task));
  return { violations, resumed: seen?.resumed ?? 0 };
}

interface Ending extends PlayOptions {
  readonly taskId: string;
  /** What a client sees of the task while it runs. */
  readonly watched?: Promise<Watched> | undefined;
}

/** Waits for the end of a task, then checks the task, all of its events, and its webhooks. */
async function checkEnd(client: ResilientClient, scenario: Scenario, { taskId, watched, ...options }: Ending) {
  const { receiver, mayLoseEvents = false, onEnded } = options;
  const first = await client.ended(taskId, END_WITHIN_MS);
  if (!mayLoseEvents) onEnded?.(first);
  const seen = await watched;
  const replayed = await watchTask(client, taskId, { mayLoseEvents });
  // After a fail-over that lost its end, the task may run again.
  const task = mayLoseEvents ? await client.ended(taskId, END_WITHIN_MS) : first;
  const unpushed = scenario.isPushed ? await receiver?.problemsOf(taskId, replayed.events.size, mayLoseEvents) : [];
  const pushes = (unpushed ?? []).map((what): Violation => ({ kind: 'pushes', what }));
  const violations = [...checkScenario(scenario, task, replayed, mayLoseEvents), ...pushes];
  const { ttlMs } = scenario;
  if (ttlMs !== undefined && options.begunMs)
    violations.push(...wrongTimeToLive({ task, replayed, ttlMs, begunMs: await options.begunMs(taskId) }));
  return { first, task, seen, replayed, violations };
}

/** The tasks that follow the first one of a schedule. Each is checked when it ends: it may expire before the last. */
async function playFollowers(
  client: ResilientClient,
  scenario: Scenario,
  first: Task,
  options: PlayOptions,
): Promise<Violation[]> {
  const times = scenario.schedule && 'times' in scenario.schedule ? scenario.schedule.times : 1;
  const violations: Violation[] = [];
  let last = first;
  for (let n = 2; n <= times; n++) {
    const found = async (): Promise<readonly Task[] | false> => {
      const tasks = await client.list(first.contextId ?? '');
      const next = tasks.filter((task) => scheduleOf(task).previousTaskId === last.id);
      return next.length > 0 && next;
    };
    const what = `task ${n} of ${times} that follow ${first.id} is made`;
    const next = await eventually(found, { what, timeoutMs: END_WITHIN_MS, everyMs: 100 });
    if (next.length > 1) violations.push({ kind: 'schedules', what: `${next.length} tasks follow ${last.id}` });
    const end = await checkEnd(client, scenario, { ...options, taskId: next[0]?.id ?? '' });
    violations.push(...end.violations);
    last = end.first;
  }
  return violations;
}

/** Sends all messages, and the cancel; follows the task from the first answer on. */
async function send(client: ResilientClient, scenario: Scenario, options: PlayOptions) {
  const { receiver, mayLoseEvents = false, goOn = async () => undefined } = options;
  let task: Task | undefined;
  let watched: Promise<Watched> | undefined;
  let overGrpc: Promise<Task | undefined> | undefined;
  for (const turn of scenario.texts.keys()) {
    if (task) await goOn(task.id);
    task = await say(client, scenario, { turn, task, webhook: receiver?.url });
    if (scenario.watches === 'sse') watched ??= awaitedLater(watchTask(client, task.id, { mayLoseEvents }));
    if (scenario.watches === 'grpc') overGrpc ??= awaitedLater(watchOverGrpc(client, task.id));
  }
  const taskId = task?.id ?? '';
  await goOn(taskId);
  for (let n = 1; n <= scenario.events; n++) await give(client, scenario, { taskId, n, mayLoseEvents });
  if (scenario.isCanceled) {
    if (isSuspended(scenario.kind)) await untilMetadata(client, taskId, suspendedUri);
    else await untilState(client, taskId, 'TASK_STATE_WORKING');
    await client.cancel(taskId);
  }
  return { taskId, watched, overGrpc };
}

/** What is awaited at the end of the scenario does not end the suite if the scenario fails before. */
function awaitedLater<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}

interface Said {
  readonly turn: number;
  readonly task: Task | undefined;
  readonly webhook: string | undefined;
}

async function say(client: ResilientClient, scenario: Scenario, { turn, task, webhook }: Said): Promise<Task> {
  const { key, texts, kind, isPushed } = scenario;
  const ids = task && { taskId: task.id, ...(task.contextId !== undefined && { contextId: task.contextId }) };
  const file = scenario.file && (await uploadFile(client, scenario.file));
  const parts = [{ text: texts[turn] ?? '' }, ...(file ? [file] : [])];
  const { schedule, priority, ttlMs } = scenario;
  const metadata = {
    note: CONFIDENTIAL,
    ...(schedule && { [scheduleUri]: asked(schedule) }),
    ...(priority && { [priorityUri]: { priority } }),
    ...(ttlMs !== undefined && { [timeToLiveUri]: { ttlMs } }),
  };
  const message: Message = { messageId: `${key}-${turn}`, role: 'ROLE_USER', parts, metadata, ...ids };
  // A blocking call returns for a question; for other tasks the end is seen by reading or streaming.
  const isTalk = kind === 'talk';
  const answered = await client.send(message, !isTalk, isPushed && !task ? webhook : undefined);
  // A blocking call returns the current task when its time is up, or when its gateway stops.
  return isTalk && turn < texts.length - 1 ? untilState(client, answered.id, 'TASK_STATE_INPUT_REQUIRED') : answered;
}

function untilState(client: ResilientClient, taskId: string, state: Task['status']['state']): Promise<Task> {
  const reached = async (): Promise<Task | false> => {
    const task = await client.read(taskId);
    return task.status.state === state && task;
  };
  return eventually(reached, { what: `${taskId} is ${state}`, timeoutMs: END_WITHIN_MS, everyMs: 50 });
}

interface Gift {
  readonly taskId: string;
  readonly n: number;
  readonly mayLoseEvents: boolean;
}

/** A fail-over loses less than the last second. */
const SAFE_AFTER_MS = 5_000;

/**
 * Gives an event. A fail-over may lose a callback URL: then its agent makes and says another one. It may also lose that
 * an event was given, and not the end of the turn that has it: the event is refused then, and was taken.
 */
async function give(client: ResilientClient, { kind, key }: Scenario, { taskId, n, mayLoseEvents }: Gift) {
  const giveOnce = async (): Promise<void> => {
    if (kind === 'events') return client.give(taskId, EVENT, { data: n, key: `${key}-event-${n}` });
    const { callback } = Object(await untilMetadata(client, taskId, 'callback'));
    return client.callBack(callback, n);
  };
  if (kind === 'events' && !mayLoseEvents) return giveOnce();
  const given = async (): Promise<boolean> => {
    try {
      await giveOnce();
      return true;
    } catch (error) {
      if (!mayLoseEvents) throw error;
      const { status } = await client.read(taskId);
      return isTerminal(status.state) && Date.now() - Date.parse(status.timestamp ?? '') > SAFE_AFTER_MS;
    }
  };
  await eventually(given, { what: `${taskId} takes event ${n}`, timeoutMs: END_WITHIN_MS, everyMs: 200 });
}

/** The metadata of a task once it has a field. */
function untilMetadata(client: ResilientClient, taskId: string, field: string): Promise<object> {
  const has = async (): Promise<object | false> => {
    const { metadata } = await client.read(taskId);
    return metadata?.[field] !== undefined && metadata;
  };
  return eventually(has, { what: `${taskId} says ${field}`, timeoutMs: END_WITHIN_MS, everyMs: 50 });
}

/** The guarantee that a task breaks which has not ended as it should. */
function lostKind({ kind, priority }: Scenario): 'lost' | 'waits' | 'priorities' {
  return isSuspended(kind) ? 'waits' : priority === undefined ? 'lost' : 'priorities';
}

/** Everything that is wrong with an ended task, both as it is read and in its events from the first to the last. */
export function checkScenario(scenario: Scenario, task: Task, replayed: Watched, mayLoseEvents = false): Violation[] {
  const { kind, isCanceled } = scenario;
  const expected = isRejected(scenario, task) ? rejectedEnd(scenario, task) : scenario.expected;
  const name = `${kind} ${task.id}`;
  const { state, message } = task.status;
  const ends = [...replayed.events.values()].filter(({ data }) => endsTask(data));
  const artifacts = contentsOf(task.artifacts);
  const history = transcript(task);
  // A cancel may arrive before the agent reports that it waits.
  const wanted = isCanceled ? expected.history.slice(0, history.length) : expected.history;
  // An answer to a question that a fail-over has lost arrives before that question is asked again.
  const isSame = mayLoseEvents ? isEqual(history.toSorted(), wanted.toSorted()) : isEqual(history, wanted);
  const found: (false | Violation)[] = [
    state !== expected.state && {
      kind: lostKind(scenario),
      what: `${name} ended ${state}: ${JSON.stringify(message)}`,
    },
    ends.length > 1 && { kind: 'twice', what: `${name} ended ${ends.length} times` },
    !isEqual(artifacts, expected.artifacts) && { kind: 'artifacts', what: `${name} has ${JSON.stringify(artifacts)}` },
    !isSame && { kind: 'history', what: `${name} has ${JSON.stringify(history)}` },
  ];
  const scheduled = scenario.schedule && !mayLoseEvents ? wrongBegins(task, replayed) : [];
  const used = isCanceled || isRejected(scenario, task) ? [] : wrongUsage(scenario, task, mayLoseEvents);
  return [...replayed.problems.map(wrongEvent), ...scheduled, ...used, ...found.filter((one) => one !== false)];
}

const isRejected = ({ ttlMs }: Scenario, { status }: Task): boolean =>
  ttlMs !== undefined && status.state === 'TASK_STATE_REJECTED';

/** The end of a task whose message nobody began in its time to live. */
function rejectedEnd({ texts }: Scenario, { status }: Task): Scenario['expected'] {
  const text = textOf(status.message);
  const [reason] = REJECTION.exec(text) ?? ['No worker began to work on this message …'];
  return {
    state: 'TASK_STATE_REJECTED',
    artifacts: {},
    history: [...texts.map((sent) => `user: ${sent}`), `agent: ${reason}`],
  };
}

const REJECTION = /^No worker began to work on this message by (\S+Z), when its time to live ended: it was rejected\.$/;

interface TimeToLive {
  readonly task: Task;
  readonly replayed: Watched;
  readonly ttlMs: number;
  /** Undefined: no worker has begun it. */
  readonly begunMs: number | undefined;
}

/** A message is begun in its time, or rejected after it: one of them, by Redis' clock. */
export function wrongTimeToLive({ task, replayed, ttlMs, begunMs }: TimeToLive): Violation[] {
  const [first] = [...replayed.events.values()].flatMap(({ data }) => data.statusUpdate?.status ?? []);
  const endsMs = Date.parse(first?.timestamp ?? '') + ttlMs;
  const isRejection = task.status.state === 'TASK_STATE_REJECTED';
  const lateMs = Date.parse(task.status.timestamp ?? '') - endsMs;
  const [, saidEnd = ''] = REJECTION.exec(textOf(task.status.message)) ?? [];
  const wrong = [
    isRejection && begunMs !== undefined && 'was begun and rejected',
    !isRejection && begunMs === undefined && `was neither begun nor rejected, but is ${task.status.state}`,
    !isRejection && begunMs !== undefined && !(begunMs < endsMs) && `was begun ${begunMs - endsMs} ms too late`,
    isRejection &&
      (!(lateMs >= 0) || isTooLate(`${task.id} is rejected`, lateMs, LATE_AFTER_MS)) &&
      `was rejected ${lateMs} ms after its time`,
    isRejection && Date.parse(saidEnd) !== endsMs && `says that its time ended at ${saidEnd}, not at ${endsMs}`,
  ];
  return wrong.flatMap((what): Violation[] =>
    what ? [{ kind: 'ttl', what: `${task.id}, to be begun in ${ttlMs} ms, ${what}` }] : [],
  );
}

/**
 * The agent uses as much for each message, and says so in each attempt under the same key. A fail-over may lose what was
 * said of a message just before it (docs/usage.md).
 */
function wrongUsage({ texts, kind }: Scenario, { id, metadata }: Task, mayBeLost: boolean): Violation[] {
  const { calls = 0, inputTokens = 0 } = Object(Object(metadata?.[usageUri]).total);
  const messages = texts.length + (kind === 'call' ? 1 : 0);
  const isRight = calls === messages || (mayBeLost && calls < messages);
  if (isRight && inputTokens === calls * TOKENS_OF_MESSAGE) return [];
  return [{ kind: 'usage', what: `${kind} ${id} used ${inputTokens} tokens in ${calls} requests, for ${messages}` }];
}

/** Longer than any fault lasts. */
const LATE_AFTER_MS = 30_000;

/** Its state is submitted when it is sent, and again when its time has come, by Redis' clock. */
function wrongBegins(task: Task, { events }: Watched): Violation[] {
  const statuses = [...events.values()].flatMap(({ data }) => data.statusUpdate?.status ?? []);
  const submitted = statuses.filter(({ state }) => state === 'TASK_STATE_SUBMITTED');
  const lateMs = Date.parse(submitted[1]?.timestamp ?? '') - Date.parse(scheduleOf(task).at);
  if (submitted.length === 2 && lateMs >= 0 && !isTooLate(`${task.id} begins`, lateMs, LATE_AFTER_MS)) return [];
  return [{ kind: 'schedules', what: `${task.id} began ${submitted.length - 1} times, ${lateMs} ms after its time` }];
}

const scheduleOf = ({ metadata }: Task) => Object(metadata?.[scheduleUri]);

function asked(schedule: ScheduledFor): object {
  if ('times' in schedule) return { cron: '* * * * * *', times: schedule.times };
  return { at: new Date(Date.now() + schedule.inMs).toISOString() };
}

const wrongEvent = (what: string): Violation => ({ kind: 'events', what });

/**
 * Live events must be equal to stored ones. A fail-over may have lost the last ones after they were seen, but none
 * before a stored one. A chunk that is written again has the same contents, but is another event with another id.
 */
export function compareSeen(seen: Watched, replayed: Watched, mayLoseEvents: boolean): Violation[] {
  const problems = [...seen.problems];
  const isKept = ({ id, eventId }: SentEvent): boolean => replayed.events.get(id)?.eventId === eventId;
  const events = [...seen.events.values()];
  const lastKept = events.findLast(isKept)?.id ?? 0;
  for (const event of events) {
    const { id, eventId, text } = event;
    if (!isKept(event)) {
      if (!mayLoseEvents || id < lastKept) problems.push(`event ${eventId} was lost: ${text}`);
    } else if (replayed.events.get(id)?.text !== text) problems.push(`event ${eventId} was ${text}`);
  }
  return problems.map(wrongEvent);
}

/**
 * Events over gRPC have no numbers, but they must add up to the task. Undefined: the stream broke too late to be
 * repeated.
 */
function compareFolded(folded: Task | undefined, task: Task): Violation[] {
  if (!folded) return [];
  const [seen, read] = [folded, task].map(({ status, artifacts }) => ({ ...contentsOf(artifacts), '': status.state }));
  const isSame = isEqual(seen ?? {}, read ?? {});
  return isSame ? [] : [{ kind: 'grpc', what: `${task.id}: ${JSON.stringify(seen)} is not ${JSON.stringify(read)}` }];
}

/** Contents by name. */
function contentsOf(artifacts: readonly Artifact[] = []): Record<string, string> {
  const content = ({ parts }: Artifact): string =>
    parts.map(({ text, data, url, filename }) => text ?? (url ? filename : JSON.stringify(data ?? null))).join('');
  return Object.fromEntries(artifacts.map((artifact) => [artifact.name ?? '', content(artifact)]));
}

/** Artifacts by name, since the order of names does not matter. */
const isEqual = (a: object, b: object): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
const sorted = (value: object): object =>
  Array.isArray(value) ? value : Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
