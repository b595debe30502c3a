import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Ops } from '@switchyard/operators';
import type { TaskArchive } from '@switchyard/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { interruptScript } from '../../packages/store/src/queue/wake-ups.ts';
import { userMessage } from '../support/messages.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { send, submit } from '../support/rest.ts';
import { until } from '../support/until.ts';
import { keepBudget } from './support/keep.ts';
import { openSystem, type System } from './support/open-system.ts';
import { ask, type RedisCounts, readCounts } from './support/redis-info.ts';
import { watchScriptCalls } from './support/script-calls.ts';

// What a task costs Redis from its start to its end, over gateway, worker and BullMQ. Its agent works and completes.

const tasks = 300;
/** A busy machine groups fewer events and tasks: the round with the fewest counts. */
const rounds = 3;

let redis: TestRedis;
let system: System;
/** Periodic commands of all processes, per second. */
let idle: RedisCounts;
/**
 * Hashes of the scripts that an idle deployment calls, and of the one that begins a wait anew: a busy machine gives them
 * more time.
 */
let periodic: ReadonlySet<string>;

beforeAll(async () => {
  redis = await startRedis({ appendOnly: true });
  system = await openSystem({ gatewayRedis: redis.url, workerRedis: redis.url });
  for (let i = 0; i < 10; i++) await send(system.url, userMessage('hello'));
  // Periodic commands can only be waited for.
  using calls = await watchScriptCalls(redis.url);
  idle = (await counted(() => delay(3_000))).perSecond;
  const interrupts = createHash('sha1').update(interruptScript.source).digest('hex');
  periodic = new Set([...(await calls.all()).map(({ hash }) => hash), interrupts]);
});

afterAll(async () => {
  await system[Symbol.asyncDispose]();
  await redis.stop();
});

interface Counted {
  readonly counts: RedisCounts;
  readonly seconds: number;
  readonly perSecond: RedisCounts;
}

async function counted(act: () => Promise<unknown>): Promise<Counted> {
  const [before, begun] = [await readCounts(redis.url), performance.now()];
  await act();
  const [after, seconds] = [await readCounts(redis.url), (performance.now() - begun) / 1_000];
  const counts = each((name) => after[name] - before[name]);
  return { counts, seconds, perSecond: each((name) => counts[name] / seconds) };
}

/** Counts per task, for `tasks` of them in each round, without periodic commands. */
async function perTask(act: () => Promise<unknown>): Promise<RedisCounts> {
  const ofRounds: Counted[] = [];
  for (let i = 0; i < rounds; i++) ofRounds.push(await counted(act));
  const ofTask = (name: keyof RedisCounts) =>
    ofRounds.map(({ counts, seconds }) => counts[name] - idle[name] * seconds);
  return each((name) => Math.min(...ofTask(name)) / tasks);
}

const each = (value: (name: keyof RedisCounts) => number): RedisCounts => ({
  scripts: value('scripts'),
  commands: value('commands'),
  fileBytes: value('fileBytes'),
});

/** Tasks that run or wait for a turn. */
async function unfinished(): Promise<number> {
  const [, name = ''] = /\r\n(\S+\{s0\}:outbox)\r\n/.exec(await ask(redis.url, 'KEYS *:outbox')) ?? [];
  return name === '' ? 0 : Number(/^:(\d+)/.exec(await ask(redis.url, `ZCARD ${name}`))?.[1]);
}

describe('a task', () => {
  it('that a client waits for, alone, stays within its budget', async () => {
    using calls = await watchScriptCalls(redis.url);
    const { commands, fileBytes } = await perTask(async () => {
      for (let i = 0; i < tasks; i++) await send(system.url, userMessage('hello'));
    });
    const scripts = (await calls.all()).filter(({ hash }) => !periodic.has(hash));
    const ofScripts = scripts.reduce((sum, { commands: ofOne }) => sum + ofOne, 0);
    keepBudget('scriptsOfTask', scripts.length / (rounds * tasks));
    keepBudget('commandsInScriptsOfTask', ofScripts / (rounds * tasks));
    keepBudget('commandsOfTask', commands);
    keepBudget('fileBytesOfTask', fileBytes);
  });

  it('that has ended keeps few bytes', async () => {
    const message = userMessage('hello');
    const { id } = await send(system.url, message);
    let bytes = 0;
    for (const pattern of [`*:t:${id}`, `*:t:${id}:e`, `*:m:*${message.messageId}`]) {
      const [, key = ''] = /^\*1\r\n\$\d+\r\n(\S+)/.exec(await ask(redis.url, `KEYS ${pattern}`)) ?? [];
      bytes += Number(/^:(\d+)/.exec(await ask(redis.url, `MEMORY USAGE ${key} SAMPLES 0`))?.[1]);
    }
    keepBudget('keptBytesOfTask', bytes);
  });

  it('among many stays within its budget', async () => {
    const { agents } = new Ops(system.store);
    const { scripts, commands } = await perTask(async () => {
      await agents.pause('led');
      await Promise.all(Array.from({ length: tasks }, () => submit(system.url, userMessage('hello'))));
      await agents.resume('led');
      await until(async () => (await unfinished()) === 0, { what: 'all tasks have ended', timeoutMs: 20_000 });
    });
    keepBudget('scriptsOfTaskAmongMany', scripts);
    keepBudget('commandsOfTaskAmongMany', commands);
  });
});

it('a task that is copied to the archive, among others, stays within its budget', async () => {
  const ids = await Promise.all(
    Array.from({ length: tasks }, async () => (await send(system.url, userMessage('hello'))).id),
  );
  const copied: string[] = [];
  // Copying asks nothing else of it.
  const archive = { put: async (some) => void copied.push(...some.map(({ id }) => id)) } as Pick<
    TaskArchive,
    'put'
  > as TaskArchive;
  const { archiver } = new Ops({ inside: { ...system.store.inside, archive } });
  const { signal } = new AbortController();
  const { commands } = await perTask(async () => {
    await archiver?.copy(ids, { signal, goOn: async () => undefined, damaged: [] });
  });
  expect(new Set(copied)).toEqual(new Set(ids));
  keepBudget('commandsOfCopy', commands);
});

it('an idle deployment sends few commands to Redis', () => {
  expect(idle.scripts).toBeLessThanOrEqual(5);
});
