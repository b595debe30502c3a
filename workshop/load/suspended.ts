import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Ops } from '@switchyard/operators';
import { Store } from '@switchyard/store';
import { Redis } from 'ioredis';
import { uniquePrefix } from '../../tests/support/prefix.ts';
import { until } from '../../tests/support/until.ts';
import { count, readCommandLine } from '../options.ts';
import { quantile } from '../statistics.ts';
import { startOwnSystem } from '../system.ts';

const { turns, workers, rest, due } = readCommandLine({
  usage: `npm run workshop suspended [-- options]
  Suspends that many turns, which are all due in the same second: memory of Redis per turn, its processor at rest, and
  how long after that second they end.`,
  options: {
    turns: count('suspended turns', '100000'),
    workers: count('worker processes', '2'),
    rest: count('seconds at rest', '20'),
    due: count('seconds after the start in which they are due', '240'),
  },
}).options;

const prefix = uniquePrefix();
const agents = ['workshop/load/agents/sleeper.ts'];
await using system = await startOwnSystem({ agents, workers, env: { KEY_PREFIX: prefix, DEFAULT_AGENT: 'sleeper' } });
const redis = new Redis(system.redis.url);
const store = new Store({ redisUrl: system.redis.url, prefix }, () => undefined);
await store.start();
const scope = { principal: { tenant: 'acme', subject: 'alice', scopes: [] }, agent: 'sleeper' };

const infoOf = async (name: string): Promise<number> =>
  Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(await redis.info())?.[1] ?? 0);
const cpuSeconds = async (): Promise<number> => (await infoOf('used_cpu_user')) + (await infoOf('used_cpu_sys'));
const print = (text: string): void => void process.stdout.write(`${text}\n`);

const dueMs = Date.now() + due * 1_000;
const before = await infoOf('used_memory');
const ids: string[] = [];
for (let sent = 0; sent < turns; sent += 200) {
  const batch = Array.from({ length: Math.min(200, turns - sent) }, () =>
    store.tasks.accept(scope, {
      message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: new Date(dueMs).toISOString() }] },
    }),
  );
  for (const acceptance of await Promise.all(batch)) if (acceptance.verdict === 'accepted') ids.push(acceptance.taskId);
}
const ops = new Ops(store);
const suspended = async () => (await ops.suspendedTurns()) === turns;
await until(suspended, { what: 'all turns are suspended', timeoutMs: due * 1_000, everyMs: 500 });
const memory = (await infoOf('used_memory')) - before;
print(`${turns} suspended turns: ${(memory / turns).toFixed(0)} bytes of Redis each, with task, message and events`);

const [cpuBefore, restBefore] = [await cpuSeconds(), performance.now()];
await delay(rest * 1_000);
const share = ((await cpuSeconds()) - cpuBefore) / ((performance.now() - restBefore) / 1_000);
print(`at rest, with ${workers} workers: ${(share * 100).toFixed(2)} % of one core of Redis`);

if (Date.now() > dueMs) throw new Error('--due is too soon: the turns were due before the rest was over');
await delay(dueMs - Date.now());
const cpuDue = await cpuSeconds();
const open = `${prefix}{s0}:outbox:open`;
const ended = async () => (await redis.hget(open, 'acme')) === null;
await until(ended, { what: 'all tasks have ended', timeoutMs: 900_000, everyMs: 500 });
const cpu = (await cpuSeconds()) - cpuDue;
const times: number[] = [];
for (const id of ids)
  times.push(Number.parseInt((await redis.hget(`${prefix}{s0}:t:${id}`, 'time')) ?? '0', 36) - dueMs);
const seconds = (shareOfTurns: number): string => (quantile(times, shareOfTurns) / 1_000).toFixed(1);
print(`all due in one second: median ${seconds(0.5)} s, p99 ${seconds(0.99)} s, last ${seconds(1)} s after it`);
print(`Redis: ${((cpu / turns) * 1e6).toFixed(0)} µs of processor time for each, from its time to its end`);
await store.stop();
redis.disconnect();
