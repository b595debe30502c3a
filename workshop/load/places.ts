// `npm run workshop places`: many workers share an agent of which five turns may run at a time, and are killed. There are
// never six turns, and five again within a lease of a kill.

import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Store } from '@switchyard/store';
import { userMessage } from '../../tests/support/messages.ts';
import { count, readCommandLine, time } from '../options.ts';
import { startOwnSystem } from '../system.ts';
import { conclude } from '../tables.ts';

const PREFIX = 'places';
/** As the agent says. */
const PLACES = 5;
const AT_ONCE = 100;
/** Workers that start together. */
const STARTS_AT_ONCE = 4;
/** A check of the shard, the turn that follows, and a busy machine. */
const SLACK_MS = 2_500;
const scope = { principal: { tenant: 'acme', subject: 'someone', scopes: [] }, agent: 'five-at-a-time' };

interface Measurement {
  readonly turns: number;
  readonly turnMs: number;
  readonly workers: number;
  readonly shards: number;
  readonly leaseMs: number;
  readonly killEveryMs: number;
}

/** Counts connections: each turn has one while it runs, and the system closes those of a process that is killed. */
async function openCounter() {
  let [running, most, ended, lacksSince, longestLackMs] = [0, 0, 0, Number.POSITIVE_INFINITY, 0];
  const runningMs = Array.from({ length: PLACES + 2 }, () => 0);
  let changedAt: number | undefined;
  const change = (by: number): void => {
    const now = performance.now();
    const slot = Math.min(running, PLACES + 1);
    runningMs[slot] = (runningMs[slot] ?? 0) + now - (changedAt ?? now);
    changedAt = now;
    if (now > lacksSince) longestLackMs = Math.max(longestLackMs, now - lacksSince);
    running += by;
    most = Math.max(most, running);
    if (running >= PLACES) lacksSince = Number.POSITIVE_INFINITY;
    else if (lacksSince === Number.POSITIVE_INFINITY) lacksSince = now;
  };
  /** Turns of each process. */
  const busy = new Map<number, number>();
  const server = createServer((socket) => {
    change(1);
    let pid = 0;
    socket.on('data', (data) => {
      pid = Number(data.toString());
      busy.set(pid, (busy.get(pid) ?? 0) + 1);
    });
    socket.on('error', () => undefined);
    socket.once('end', () => ended++);
    let isCounted = true;
    const uncount = (): void => {
      if (!isCounted) return;
      change(-1);
      busy.set(pid, (busy.get(pid) ?? 0) - 1);
      isCounted = false;
    };
    socket.once('end', uncount);
    socket.once('close', uncount);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' ? address?.port : 0,
    read: () => ({ most, ended, longestLackMs, runningMs: [...runningMs] }),
    busy: () => [...busy].flatMap(([pid, turns]) => (turns > 0 ? [pid] : [])),
    /** From now on, a lack counts. */
    restart: () => {
      lacksSince = running < PLACES ? performance.now() : Number.POSITIVE_INFINITY;
    },
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

/** @returns the most turns at a time, the longest time with fewer than five since a kill, and what else was counted */
export async function measurePlaces({ turns, turnMs, workers, shards, leaseMs, killEveryMs }: Measurement) {
  await using counter = await openCounter();
  const env = {
    DEFAULT_AGENT: 'five-at-a-time',
    KEY_PREFIX: PREFIX,
    LEASE_MS: String(leaseMs),
    SHARDS: String(shards),
  };
  await using system = await startOwnSystem({ agents: ['workshop/load/agents/five-at-a-time.ts'], workers: 1, env });
  for (let n = 1; n < workers; n += STARTS_AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(STARTS_AT_ONCE, workers - n) }, () => system.stack.addWorker()));
  const store = new Store({ redisUrl: system.redis.url, prefix: PREFIX, shards }, () => undefined);
  await using _ = { [Symbol.asyncDispose]: () => store.stop() };
  await store.start();
  const beganAt = performance.now();
  const text = `${counter.port} ${turnMs}`;
  for (let n = 0; n < turns; n += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, turns - n) }, () =>
        store.tasks.accept(scope, { message: userMessage(text) }),
      ),
    );
  counter.restart();
  let killed = 0;
  let killAt = performance.now() + killEveryMs;
  const open = async (): Promise<number> => {
    const { waiting, active, delayed } = await store.queue.counts('five-at-a-time');
    return waiting + active + delayed;
  };
  while ((await store.queue.waiting('five-at-a-time')) > PLACES) {
    await delay(100);
    if (performance.now() < killAt) continue;
    const busy = counter.busy();
    const victim = system.stack.workers.find(({ pid }) => busy.includes(pid));
    if (!victim) continue;
    victim.kill('SIGKILL');
    counter.restart();
    killed++;
    await system.stack.addWorker();
    killAt = performance.now() + killEveryMs;
  }
  const { longestLackMs, runningMs } = counter.read();
  const tookMs = performance.now() - beganAt;
  while ((await open()) > 0) await delay(100);
  const { most, ended } = counter.read();
  return { most, ended, longestLackMs, runningMs, killed, tookMs };
}

if (import.meta.main) {
  const options = readCommandLine({
    usage: 'npm run workshop places [-- options]',
    options: {
      turns: count('turns', '10000', ['100', '1000000']),
      turnMs: time('of a turn', '50ms', ['1ms', '60s']),
      workers: count('worker processes', '20', ['1', '64']),
      shards: count('shards', '4', ['1', '64']),
      leaseMs: time('a lease', '5s', ['1s', '60s']),
      killEveryMs: time('between kills of a worker', '15s', ['1s', '60m']),
    },
  }).options;
  const { most, ended, longestLackMs, runningMs, killed, tookMs } = await measurePlaces(options);
  const totalMs = runningMs.reduce((sum, ms) => sum + ms, 0);
  const shares = runningMs.map((ms, n) => `${n}: ${((100 * ms) / totalMs).toFixed(1)} %`);
  process.stdout.write(
    `${ended} turns in ${(tookMs / 1_000).toFixed(0)} s, ${killed} workers killed; at most ${most} at a time; ` +
      `fewer than ${PLACES} for at most ${longestLackMs.toFixed(0)} ms\nof the time, so many ran: ${shares.join(', ')}\n`,
  );
  const isExact = most === PLACES && longestLackMs <= options.leaseMs + SLACK_MS;
  conclude(isExact, `never more than ${PLACES} turns, and ${PLACES} again within a lease`);
}
