import { randomUUID } from 'node:crypto';
import { only } from '@switchyard/redis';
import { beginScheduledScript } from '@switchyard/schedules';
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import { uniquePrefix } from '../../../../tests/support/prefix.ts';
import { ShardKeys } from '../../src/deployment/keys.ts';
import { sweepScript } from '../../src/outbox/outbox.ts';
import { queueRoot } from '../../src/queue/queue-names.ts';
import type { SettingsArgValues } from '../../src/record/record-args.ts';
import { addMessageScript } from '../../src/tasks/accept/accept.ts';
import { makeTasksScript, newTaskArgs } from '../../src/tasks/accept/new-tasks.ts';
import type { AcceptReply } from '../../src/tasks/accept/submission.ts';
import { cancelScript } from '../../src/tasks/cancel/cancel.ts';
import { rejectMessagesScript } from '../../src/time-to-live/times-to-live.ts';
import { type AppendReply, appendChunksScript, appendScript, endTasksScript } from '../../src/turns/appends.ts';
import { idLines } from '../../src/turns/encoder.ts';
import {
  endTurnScript,
  giveUpTurnScript,
  handBackTurnScript,
  readWaitingScript,
  suspendTurnScript,
} from '../../src/turns/open-turn.ts';
import { beginTurnScript } from '../../src/turns/turn-job.ts';
import { giveEventScript } from '../../src/waits/give-event.ts';
import { resumeTurnsScript } from '../../src/waits/waits.ts';
import { type Begin as BeginTask, Neighbour } from './neighbour.ts';
import * as rules from './turn-rules.ts';

const MAX_ATTEMPTS = 2;
const FAR_MS = 1_000_000_000;

const settingsOf = (lease: rules.Due): SettingsArgValues => ({
  sweepAfterMs: lease === 'due' ? -1 : FAR_MS,
  keptEvents: 1_000,
  replayMs: FAR_MS,
  retentionMs: FAR_MS,
  inlineBytes: 64,
});

const isDue = (score: string | null): boolean => score !== null && Number(score) < Date.now() + FAR_MS / 2;
const dueOf = (score: string | null): rules.Due | undefined =>
  score === null ? undefined : isDue(score) ? 'due' : 'later';

const NO_QUOTAS = { maxOpen: 0, maxKept: 0, maxOpenOfTenant: 0, maxBytes: 0, maxScheduled: 0, dropAfterMs: 0 };
const ACCEPTING = { idempotencyMs: FAR_MS, callerFence: '', callMode: '', maxCalls: '' };

interface Begin {
  readonly job: number;
  readonly started: number;
  readonly token: string;
  readonly run: string;
  readonly lease: rules.Due;
  readonly whileWorking: rules.WhileWorking;
}

interface Sent {
  readonly messageId: string;
  readonly fingerprint: string;
  readonly lease: rules.Due;
  readonly waits?: rules.Due | undefined;
  readonly ttl?: rules.Due | undefined;
}

/** Runs each command on one task by the Lua scripts and by the reference rules, and compares both. */
export class ScriptDriver {
  readonly id = randomUUID();
  readonly #redis: Redis;
  readonly #keys: ShardKeys;
  readonly #agent: string;
  record: rules.TaskRecord | undefined;
  events: string[] = [];
  /** The numbers of the jobs that were added to the queue, latest first. */
  #jobs: (number | undefined)[] = [];
  /** Those that go before the others, because their turns had begun. */
  #resumedJobs: (number | undefined)[] = [];
  /** The number of chunks of the task's artifact. */
  #chunks = 0;
  /** Ends that end-tasks.lua could have written. */
  #ends = 0;
  /** The letter of the task in the index of its agent, and since when it has that letter. */
  #listed: { letter: string | null; time: string | null | undefined } | undefined;
  /** A task that is written in the same script calls: neither may change the other. */
  #neighbour: Neighbour | undefined;

  constructor(redis: Redis, keys = new ShardKeys(uniquePrefix(), 0), agent = 'a') {
    this.#redis = redis;
    this.#keys = keys;
    this.#agent = agent;
  }

  async accept(sent: Sent): Promise<void> {
    const expected = rules.accept(this.record, sent);
    const [verdict, , , , , job] = await (this.record ? this.#addMessage(sent) : this.#make(sent));
    expect(verdict).toBe(expected.verdict);
    const resumes = this.record?.suspended && expected.job !== undefined;
    if (verdict === 'accepted') expect(job).toBe(resumes ? 0 : (expected.job ?? 0));
    if (verdict === 'duplicate') expect(job).toBe(this.record?.job);
    if (resumes) this.#resumedJobs.push(expected.job);
    else if (verdict === 'accepted' && expected.job) this.#jobs.push(expected.job);
    await this.#settle(expected);
  }

  async beginScheduled(lease: rules.Due): Promise<void> {
    const expected = rules.beginScheduled(this.#present(), { lease });
    const { keys, args } = this.#call(lease);
    const [verdict] = await beginScheduledScript.run(this.#redis, {
      keys: { ...keys, queueRoot: queueRoot(this.#agent, this.#keys) },
      args: { ...args, owner: 't/s/a', hasNext: '' },
    });
    expect(verdict).toBe(expected.verdict);
    if (expected.job) this.#jobs.push(expected.job);
    await this.#settle(expected);
  }

  /** The time to live of the first message ends, if it has one. */
  async endTimeToLive(): Promise<void> {
    const record = this.#present();
    if (record.beginBy === undefined) return;
    const key = this.#keys.task(this.id);
    const stored = (await this.#redis.hget(key, 'begin_by')) ?? '';
    await this.#redis.hset(key, 'begin_by', record.waits ? 'within 0' : stored.replace(/^\d+/, '1'));
    await this.#redis.zadd(this.#keys.beginBy, 'XX', 1, this.id);
    this.record = { ...record, beginBy: 'due' };
  }

  /** @param isListed whether the task is made due in the list, whatever its record says */
  async reject(isListed: boolean): Promise<void> {
    const expected = rules.rejectMessage(this.#present());
    const { beginBy, shared, queues } = this.#keys;
    if (isListed) await this.#redis.zadd(beginBy, 1, this.id);
    const [, count] = await rejectMessagesScript.run(this.#redis, {
      keys: { due: beginBy, ...shared, queues },
      args: { ...settingsOf('later'), claimMs: FAR_MS, limit: 10 },
    });
    expect(count).toBe(expected.verdict === 'rejected' ? 1 : 0);
    const isLeft = (job: number | undefined): boolean => job === undefined || job !== expected.removed;
    this.#jobs = this.#jobs.filter(isLeft);
    this.#resumedJobs = this.#resumedJobs.filter(isLeft);
    await this.#settle(expected);
  }

  async begin(begin: Begin): Promise<void> {
    const { job, started, token, run, lease, whileWorking } = begin;
    const expected = rules.beginTurn(this.record, { ...begin, maxAttempts: MAX_ATTEMPTS });
    const { keys, args } = this.#call(lease);
    const reply = await beginTurnScript.run(this.#redis, {
      keys: { ...keys, dead: this.#keys.dead },
      args: {
        ...{ ...args, job, started, token, run, maxAttempts: MAX_ATTEMPTS, largeBytes: 65_536, whileWorking },
        isUnreadable: '',
      },
    });
    expect(reply[0]).toBe(expected.verdict);
    if (reply[0] === 'turn') {
      const [, fence, attempt, cancel, entry] = reply;
      expect([fence, attempt, cancel === '1']).toEqual([expected.fence, expected.attempt, expected.cancel]);
      expect(entry.split('\n')[0]).toBe(`"${expected.message}"`);
    }
    await this.#settle(expected);
  }

  async append(events: rules.Append[]): Promise<void> {
    const [first] = events;
    const expected = this.#afterAll(events);
    if (!first || !expected) return;
    if (await this.#endByEndScript(events, expected)) return this.#settle(expected);
    const encoded = events.flatMap(({ state, settles, delivered }) => [
      ...(delivered.length > 0 ? ['delivered', idLines(delivered)] : []),
      ...['status', '', state, settles ? '1' : '', '', '', '', ''],
    ]);
    const root = queueRoot(this.#agent, this.#keys);
    const endsJob = first.endsJobAfterTurn ? '1' : '';
    const ours = [this.id, root, first.fence, first.number, endsJob, events.length, encoded.length, ...encoded];
    this.#neighbour ??= await Neighbour.open({ redis: this.#redis, keys: this.#keys, begin: this.#begin });
    const outcome = await this.#neighbour.outcome();
    const turns = [...this.#neighbour.events(), ...outcome.args, ...ours, ...this.#neighbour.events()];
    const answers = await appendScript.run(this.#redis, {
      keys: this.#keys.shared,
      args: { ...settingsOf(first.lease), turns },
    });
    const [before, ended, [verdict, cancel] = [], after] = answers;
    expect([before?.[0], ended?.[0], after?.[0], answers.length]).toEqual(['appended', outcome.verdict, 'appended', 4]);
    expect(verdict).toBe(expected.verdict);
    if (verdict === 'appended') expect(cancel === '1').toBe(expected.cancel);
    for (const { verdict, job } of expected.replies) if (verdict === 'successor') this.#jobs.push(job);
    await this.#settle(expected);
  }

  /** Every second end goes to end-tasks.lua first. @returns whether it wrote the end */
  async #endByEndScript(events: readonly rules.Append[], expected: rules.Reply): Promise<boolean> {
    const [first] = events;
    const outcome = events.at(-1);
    const isEnd =
      outcome?.settles && /[A-Z]/.test(outcome.state) && events.every(({ delivered }) => delivered.length === 0);
    const isShort = events.length === 1 || (events.length === 2 && first?.state === 'w' && !first.settles);
    if (!first || !isEnd || !isShort || this.#ends++ % 2) return false;
    const { tasksRoot, outbox, indexRoot } = this.#keys.shared;
    const { keptEvents, replayMs, retentionMs, inlineBytes } = settingsOf(first.lease);
    const end = { works: events.length === 2 ? 1 : '', state: outcome.state, message: '', isReply: '' };
    const queue = queueRoot(this.#agent, this.#keys);
    const verdict = await endTasksScript.run(this.#redis, {
      keys: { tasksRoot, outbox, indexRoot },
      args: { keptEvents, replayMs, retentionMs, inlineBytes },
      each: [{ taskId: this.id, queueRoot: queue, fence: first.fence, number: first.number, ...end }],
    });
    if (only(verdict) === 'not-plain') return false;
    expect(expected.verdict).toBe('idle');
    return true;
  }

  /** Appends chunks of an artifact: by append-chunks.lua, and if that declines, by append.lua. */
  async grow(fence: string, number: number, count: number): Promise<void> {
    const { state, turnSeq } = this.#present();
    const rest = { state, settles: false, endsJobAfterTurn: false, lease: 'later', delivered: [] } as const;
    const expected = this.#afterAll(Array.from({ length: count }, (_, i) => ({ fence, number: number + i, ...rest })));
    if (!expected) return;
    const answer = await this.#appendByChunkScript(fence, number, count);
    const mayDecline =
      expected.verdict === 'appended' && (this.#chunks === 0 || number <= turnSeq || this.#chunks + count > 32);
    if (!mayDecline) expect(answer).not.toBeNull();
    const [verdict, cancel] = answer ?? (await this.#appendByAppendScript(fence, number, count));
    expect(verdict).toBe(expected.verdict);
    if (verdict === 'appended') expect(cancel === '1').toBe(expected.cancel);
    this.#chunks += expected.events.length;
    await this.#settle(expected);
  }

  #appendByChunkScript(fence: string, number: number, count: number): Promise<AppendReply | null> {
    const { keptEvents, inlineBytes } = settingsOf('later');
    const artifact = { artifact: 1, first: '', growth: ',1'.repeat(count), json: Array<string>(count).fill('{}') };
    return appendChunksScript.run(this.#redis, {
      keys: this.#keys.chunkKeys(this.id),
      args: { taskId: this.id, keptEvents, inlineBytes, fence, number, ...artifact },
    });
  }

  async #appendByAppendScript(fence: string, number: number, count: number): Promise<AppendReply> {
    const chunk = ['artifact', '', '{}', 1, 'append', this.#chunks === 0 ? '{"artifactId":"t"' : '', '', ',1', ''];
    const events = Array<typeof chunk>(count).fill(chunk).flat();
    const turns = [this.id, queueRoot(this.#agent, this.#keys), fence, number, '', count, events.length, ...events];
    const all = await appendScript.run(this.#redis, {
      keys: this.#keys.shared,
      args: { ...settingsOf('later'), turns },
    });
    return only(all);
  }

  /** The expected result of several events in one call: as if each came alone, up to the first that is refused. */
  #afterAll(events: readonly rules.Append[]): (rules.Reply & { readonly replies: readonly rules.Reply[] }) | undefined {
    const replies: rules.Reply[] = [];
    let at = this.#present();
    for (const event of events) {
      const reply = rules.append(at, event);
      replies.push(reply);
      if (reply.verdict === 'fenced' || reply.verdict === 'gap' || !reply.record) break;
      at = reply.record;
    }
    const last = replies.at(-1);
    return last && { ...last, record: at, events: replies.flatMap((reply) => reply.events), replies };
  }

  async steered(fence: string, after: number): Promise<void> {
    const expected = rules.steered(this.#present(), { fence, after });
    const [accepted, ...entries] = await readWaitingScript.run(this.#redis, {
      keys: { task: this.#keys.task(this.id) },
      args: { fence, after },
    });
    const count = Object.keys(this.#present().accepted).length;
    expect(accepted).toBe(expected.verdict === 'given' ? count : -1);
    expect(entries.map((entry) => entry.split('\n')[0])).toEqual((expected.given ?? []).map((id) => `"${id}"`));
    await this.#settle(expected);
  }

  async end(
    fence: string,
    {
      endsJobAfterTurn,
      lease,
      delivered,
      published,
    }: Omit<rules.Append, 'fence' | 'number' | 'state' | 'settles'> & rules.Published,
  ) {
    const expected = rules.endTurn(this.#present(), { fence, published, endsJobAfterTurn, lease, delivered });
    const { keys, args } = this.#call(lease);
    const verdict = await endTurnScript.run(this.#redis, {
      keys: { ...keys, queueRoot: queueRoot(this.#agent, this.#keys) },
      args: {
        ...args,
        fence,
        published,
        endsJob: endsJobAfterTurn ? '1' : '',
        delivered: idLines(delivered),
      },
    });
    expect(verdict).toBe(expected.verdict);
    if (expected.verdict === 'successor') this.#jobs.push(expected.job);
    await this.#settle(expected);
  }

  async release(fence: string, isSpent: boolean, lease: rules.Due): Promise<void> {
    const expected = rules.handBackTurn(this.#present(), { fence, isSpent, lease });
    const { keys, args } = this.#call(lease);
    const call = { keys, args: { ...args, fence, isSpent: isSpent ? '1' : '', failure: '', notes: '' } };
    expect(await handBackTurnScript.run(this.#redis, call)).toBe(expected.verdict);
    await this.#settle(expected);
  }

  async suspend(fence: string, published: number, lease: rules.Due): Promise<void> {
    const expected = rules.suspendTurn(this.#present(), { fence, published, lease });
    const { keys, args } = this.#call(lease);
    const wait = { dueMs: -1, waits: '[{"event":"e"}]', seen: '', notes: '', calls: '' };
    const verdict = await suspendTurnScript.run(this.#redis, {
      keys: { ...keys, queueRoot: queueRoot(this.#agent, this.#keys) },
      args: { ...args, fence, published, wait: '', ...wait },
      each: [{ event: 'e', schema: '' }],
    });
    expect(verdict).toBe(expected.verdict);
    if (expected.job) this.#resumedJobs.push(expected.job);
    await this.#settle(expected);
  }

  async giveEvent(lease: rules.Due): Promise<void> {
    const expected = rules.giveEvent(this.#present(), { lease });
    const { keys, args } = this.#call(lease);
    const event = {
      owner: 't/s/a',
      name: 'e',
      callback: '',
      id: randomUUID(),
      hasOwnId: '',
      data: '1',
      checked: '',
      seesHidden: '',
    };
    const limits = { maxEvents: 100, maxResults: 1_000_000, maxBytes: 0 };
    const [verdict] = await giveEventScript.run(this.#redis, {
      keys: { ...keys, queueRoot: queueRoot(this.#agent, this.#keys) },
      args: { ...args, ...event, ...limits },
    });
    expect(verdict).toBe(expected.verdict);
    if (expected.job) this.#resumedJobs.push(expected.job);
    await this.#settle(expected);
  }

  /** The time of a suspended turn has come. */
  async resume(lease: rules.Due): Promise<void> {
    const expected = rules.resumeTurn(this.#present(), { lease });
    const { suspended, queues, shared } = this.#keys;
    await this.#redis.zadd(suspended, 'XX', 1, this.id);
    const [, count] = await resumeTurnsScript.run(this.#redis, {
      keys: { due: suspended, ...shared, queues },
      args: { ...settingsOf(lease), claimMs: FAR_MS, limit: 10 },
    });
    expect(count).toBe(expected.verdict === 'resumed' ? 1 : 0);
    if (expected.job) this.#jobs.push(expected.job);
    await this.#settle(expected);
  }

  async giveUp(fence: string, published: number): Promise<void> {
    const expected = rules.giveUpTurn(this.#present(), { fence, published });
    const { keys, args } = this.#call('later');
    const call = {
      keys: { ...keys, dead: this.#keys.dead, queueRoot: queueRoot(this.#agent, this.#keys) },
      args: { ...args, fence, published, reason: '"why"', failure: '', notes: '' },
    };
    expect(await giveUpTurnScript.run(this.#redis, call)).toBe(expected.verdict);
    await this.#settle(expected);
  }

  async cancel(): Promise<void> {
    const expected = rules.cancel(this.record);
    const scheduled = this.record?.job;
    const { keys, args } = this.#call('later');
    const root = queueRoot(this.#agent, this.#keys);
    const call = { keys: { ...keys, root }, args: { ...args, owner: 't/s/a', channel: 'nobody', seesHidden: '' } };
    expect(await cancelScript.run(this.#redis, call)).toBe(expected.verdict);
    if (expected.verdict === 'canceled') {
      this.#jobs = this.#jobs.filter((job) => job !== scheduled);
      this.#resumedJobs = this.#resumedJobs.filter((job) => job !== scheduled);
    }
    await this.#settle(expected);
  }

  async sweep(lease: rules.Due): Promise<void> {
    const expected = rules.sweep(this.#present(), { lease });
    const { keys, args } = this.#call(lease);
    // Only entries that are due are claimed.
    const due = await this.#redis.zscore(this.#keys.outbox, this.id);
    const claimedMs = (isDue(due) && due) || 0;
    const call = { keys: { ...keys, root: queueRoot(this.#agent, this.#keys) }, args: { ...args, claimedMs } };
    const [verdict, job] = await sweepScript.run(this.#redis, call);
    expect([verdict, job]).toEqual([expected.verdict, expected.job ?? 0]);
    await this.#settle(expected);
  }

  /** Sends the first message in one call with a message that creates another task, and a copy of that message. */
  async #make({ messageId, fingerprint, lease, waits, ttl }: Sent): Promise<AcceptReply> {
    const others = [randomUUID(), randomUUID()];
    const message = (taskId: string, agent: string, name: string, print: string) => ({
      taskId,
      owner: 't/s/a',
      context: 'ctx',
      messageIdKey: this.#messageIdKey(name),
      fingerprint: print,
      body: `{"messageId":"${name}"`,
      entry: `"${name}"\n{}`,
      queueRoot: queueRoot(agent, this.#keys),
      state: 's',
      maxWaiting: 0,
      request: '',
      more: {},
    });
    const [beside = [], reply, retry] = await makeTasksScript.run(this.#redis, {
      keys: this.#keys.shared,
      args: { ...settingsOf(lease), ...ACCEPTING, ...NO_QUOTAS },
      each: [
        newTaskArgs(message(others[0] ?? '', 'other', `${messageId}-beside`, 'f')),
        newTaskArgs({
          ...message(this.id, this.#agent, messageId, fingerprint),
          more: { ttlMs: ttl && ttlMsOf(ttl), ...(waits && later(waits)) },
        }),
        newTaskArgs(message(others[1] ?? '', 'other', `${messageId}-beside`, 'f')),
      ],
    });
    if (!reply) throw new Error('the script has no reply for the message');
    expect(beside.slice(0, 2)).toEqual(['accepted', others[0]]);
    expect(retry).toEqual(['duplicate', others[0], 'ctx', 1, 1, 1, '', 0, '', '']);
    return reply;
  }

  #addMessage({ messageId, fingerprint, lease, ttl }: Sent): Promise<AcceptReply> {
    const { keys, args } = this.#call(lease);
    const message = { fingerprint, message: `{"messageId":"${messageId}"`, entry: `"${messageId}"\n{}` };
    return addMessageScript.run(this.#redis, {
      keys: { ...keys, messageId: this.#messageIdKey(messageId), queueRoot: queueRoot(this.#agent, this.#keys) },
      args: {
        ...args,
        ...ACCEPTING,
        ...message,
        owner: 't/s/a',
        context: 'ctx',
        ttlMs: ttl ? ttlMsOf(ttl) : '',
        level: '',
        maxInbox: 100,
        maxHistory: 1_000_000,
        configId: '',
        encrypted: '',
        maxWebhooks: 1,
        maxBytes: 0,
        onlyWaiting: '',
        cancels: 'nobody',
      },
    });
  }

  #messageIdKey(messageId: string): string {
    const scope = { principal: { tenant: 't', subject: 's', scopes: [] }, agent: this.#agent };
    return this.#keys.messageId(scope, messageId);
  }

  #present(): rules.TaskRecord {
    if (!this.record) throw new Error('the first command must be a message');
    return this.record;
  }

  #call(lease: rules.Due) {
    return { keys: this.#keys.record(this.id), args: { taskId: this.id, ...settingsOf(lease) } };
  }

  readonly #begin: BeginTask = async (agent, messages) => {
    const driver = new ScriptDriver(this.#redis, this.#keys, agent);
    for (let i = 0; i < messages; i++)
      await driver.accept({ messageId: `${agent}${i}`, fingerprint: 'f', lease: 'later' });
    await driver.begin({ job: 1, started: 1, token: 't', run: 'r', lease: 'later', whileWorking: '' });
    return driver.id;
  };

  /** Called after the last command. */
  async expectNeighbourUntouched(): Promise<void> {
    await this.#neighbour?.expectUntouched();
  }

  async #settle(expected: rules.Reply): Promise<void> {
    this.record = expected.record;
    this.events.push(...expected.events);
    const waiting = await this.#redis.zrange(`${queueRoot(this.#agent, this.#keys)}prioritized`, '0', '-1');
    const idOf = (job: number | undefined): string => `${this.id}.${job}`;
    // Jobs of turns that had begun have the same place, and are in the order of their ids.
    expect(waiting).toEqual([...this.#resumedJobs.map(idOf).sort(), ...this.#jobs.map(idOf)]);
    expect(await this.#stored()).toEqual(this.record && comparable(this.record));
    await this.#expectListed();
    const stream = await this.#redis.xrange(this.#keys.events(this.id), '-', '+');
    expect(stream.map(([, [mark]]) => mark?.[0])).toEqual(this.events);
    expect(stream.map(([id]) => Number.parseInt(id, 10))).toEqual(this.events.map((_, i) => i + 1));
    if (!expected.dropped) return;
    const last: { statusUpdate?: { metadata?: object } } = JSON.parse(stream.at(-1)?.[1][1] ?? '{}');
    const { 'switchyard.droppedMessageIds': dropped = [] } = { ...last.statusUpdate?.metadata };
    expect(dropped).toEqual(expected.dropped);
  }

  /** Expects that the agent's index has the task once, with its letter and the time since when it has that letter. */
  async #expectListed(): Promise<void> {
    const [state = null, time, listed] = await this.#redis.hmget(
      this.#keys.task(this.id),
      'state',
      'time',
      'index_time',
    );
    const members = await this.#redis.zrange(this.#keys.agentIndex('a'), '0', '-1');
    const letter = state === 's' || state === 'w' ? 'o' : state;
    if (letter !== this.#listed?.letter) this.#listed = { letter, time };
    expect(listed).toBe(this.#listed.time);
    expect(members.filter((member) => member.endsWith(this.id))).toEqual([`${letter}${listed}${this.id}`]);
  }

  /** Whether an event is kept for the message that the task works on. */
  async #hasEvent(record: Readonly<Record<string, string>>): Promise<boolean> {
    const isListed = (await this.#redis.zscore(this.#keys.suspended, this.id)) !== null;
    expect(isListed).toBe(record.waits !== undefined);
    const [message, kept] = await this.#redis.hmget(`${this.#keys.task(this.id)}:s`, 'message', 'kept_events');
    const current = Number(record.messages) - Number(record.inbox ?? 0) + 1;
    return Number(record.inbox ?? 0) > 0 && Number(message) === current && Number(kept ?? 0) > 0;
  }

  async #timeToLive({ begin_by: text = '' }: Readonly<Record<string, string>>) {
    const [, within, due, answers = ''] = /^(?:within (\d+)|(\d+) (\w?))$/.exec(text) ?? [];
    // It is listed from the begin of a scheduled task on.
    expect(await this.#redis.zscore(this.#keys.beginBy, this.id)).toBe(due ?? null);
    const ofScheduled = within && (within === '0' ? 'due' : 'later');
    return { beginBy: due ? dueOf(due) : ofScheduled, answers };
  }

  async #stored(): Promise<unknown> {
    const key = this.#keys.task(this.id);
    const record = await this.#redis.hgetall(key);
    if (!record.state) return undefined;
    expect(record.metadata ?? '').not.toContain('"n":');
    expect(record.p1 ?? (record['@p1'] ? await this.#redis.get(record['@p1']) : '')).toBe(',1'.repeat(this.#chunks));
    const inbox = [
      ...(record.initial_entry ? [record.initial_entry] : []),
      ...(await this.#redis.lrange(`${key}:i`, 0, -1)),
    ];
    expect(Number(record.inbox ?? 0)).toBe(inbox.length);
    const due = await this.#redis.zscore(this.#keys.outbox, this.id);
    const isListed = (await this.#redis.zscore(this.#keys.scheduledTasks, `${this.id} t/s/a`)) !== null;
    expect(isListed).toBe(record.later !== undefined);
    const waiting = await this.#redis.hget(`${this.#keys.scheduledTasks}:owners`, 't/s/a');
    expect(Number(waiting ?? 0)).toBe(await this.#redis.zcard(this.#keys.scheduledTasks));
    const number = (name: string): number => Number(record[name] ?? 0);
    return {
      state: record.state,
      inbox: inbox.map((entry) => JSON.parse(entry.split('\n')[0] ?? '')),
      job: number('job'),
      jobs: number('jobs'),
      outbox: dueOf(due),
      epoch: number('epoch'),
      run: record.run ?? '',
      turn: record.turn ?? '',
      token: record.token ?? '',
      started: number('started'),
      turnSeq: number('turn_seq'),
      attempts: number('attempts'),
      cancel: record.cancel === '1',
      whileWorking: record.while_working ?? '',
      waits: record.later && (record.later === '1' ? 'due' : 'later'),
      suspended: record.waits !== undefined,
      event: await this.#hasEvent(record),
      ...(await this.#timeToLive(record)),
    };
  }
}

const ttlMsOf = (ttl: rules.Due): number => (ttl === 'due' ? 0 : FAR_MS);

/** A time in the past or in the future. */
function later(waits: rules.Due): { scheduledMs: number; schedule: string } {
  return { scheduledMs: waits === 'due' ? 1 : Date.now() + FAR_MS, schedule: '{"at":""}' };
}

function comparable({ accepted: _, ...record }: rules.TaskRecord): unknown {
  return { ...record, inbox: [...record.inbox] };
}
