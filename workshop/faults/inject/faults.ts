import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { userMessage } from '../../../tests/support/messages.ts';
import type { Program } from '../../../tests/support/process.ts';
import type { Stack } from '../../../tests/support/stack.ts';
import type { SeededRandom } from '../../statistics.ts';
import type { RedisDeployment } from '../redis/deployments.ts';
import type { RedisNode } from '../redis/redis-node.ts';
import type { Stores } from '../stores/stores.ts';
import { eventually } from '../workload/lateness.ts';
import { ResilientClient } from '../workload/resilient-client.ts';
import { keepWorkers } from '../workload/scene.ts';
import { Outages, type Store } from './outages.ts';

export type Target = ReturnType<typeof targetOn>;

export interface TargetOptions {
  readonly stack: Stack;
  readonly redis: RedisDeployment;
  readonly random: SeededRandom;
  /** Of the keys. Default: no fault looks for any. */
  readonly prefix?: string;
  /** Unset: there is neither archive nor bucket. */
  readonly stores?: Stores | undefined;
  /** KILL_FOLDER of the processes: see `killFile`. Default: nobody looks for files there. */
  readonly killFolder?: string;
}

/** The targets of faults: any worker, gateway and master. */
export function targetOn({ stack, redis, random, prefix = '', stores, killFolder = '' }: TargetOptions) {
  /** Pids of processes that a fault has ended: no others may end. */
  const victims = new Set<number>();
  return {
    stack,
    redis,
    random,
    prefix,
    victims,
    killFolder,
    outages: new Outages(),
    /** @throws {Error} there are none */
    get stores() {
      if (!stores) throw new Error('there is neither archive nor bucket');
      return stores;
    },
    get worker() {
      return random.pick(stack.workers);
    },
    get gateway() {
      return random.pick(stack.gateways);
    },
    master: async () => random.pick(await redis.masters()),
    /** @throws {Error} clients reach this Redis directly */
    get proxy() {
      if (!redis.proxy) throw new Error('there is no proxy before this Redis');
      return redis.proxy;
    },
    async end(victim: Program, signal: NodeJS.Signals): Promise<void> {
      victims.add(victim.pid);
      victim.kill(signal);
      await victim.exited;
    },
  };
}

export interface Fault {
  readonly name: string;
  /** Costs the turns of a worker an attempt, so not too many of these may follow each other. */
  readonly spendsAttempts?: boolean;
  /** What is unavailable meanwhile. */
  readonly stops?: Store;
  /** Injects the fault, and repairs it. */
  inject(target: Target): Promise<unknown>;
}

/** Longer than the 3.5 s after which the leases of a silent worker have run out. */
const BEYOND_THE_LEASE_MS = 4_500;
const LONG_OUTAGE_MS = 5_000;
const CLOCK_STEP_FOR_MS = 5_000;
const REFUSED_FOR_MS = 2_000;
const DISTURBED_FOR_MS = 3_000;

/** Signals a process, and again after a time. */
async function during(forMs: number, victim: Program, [first, second]: readonly [NodeJS.Signals, NodeJS.Signals]) {
  victim.kill(first);
  await delay(forMs);
  victim.kill(second);
}

const freeze = (victim: Program, forMs: number): Promise<void> => during(forMs, victim, ['SIGSTOP', 'SIGCONT']);
/** See `shifted-clock.ts`. */
const stepClock = ({ random }: Target, victim: Program): Promise<void> =>
  during(CLOCK_STEP_FOR_MS + random.between(0, 1_000), victim, ['SIGUSR2', 'SIGUSR2']);

async function replaceWorker(target: Target, signal: NodeJS.Signals): Promise<void> {
  await target.end(target.worker, signal);
  await target.stack.addWorker();
}

/** Starts the new one on the same port, since clients know gateways by their addresses. */
async function replaceGateway(target: Target, signal: NodeJS.Signals): Promise<void> {
  const victim = target.gateway;
  await target.end(victim, signal);
  await target.stack.addGateway(Number(new URL(victim.url).port));
}

const crashAgentAt = (url: string): string => `${url}/agents/crash-agent`;

async function blockWorker({ stack, random }: Target): Promise<void> {
  const client = new ResilientClient({ urls: [crashAgentAt(random.pick(stack.urls))] }, 0);
  await client.send(userMessage(`blockOnce ${BEYOND_THE_LEASE_MS}`), true);
  await delay(BEYOND_THE_LEASE_MS);
}

const processFaults: readonly Fault[] = [
  { name: 'worker killed', spendsAttempts: true, inject: (target) => replaceWorker(target, 'SIGKILL') },
  { name: 'worker stopped', inject: (target) => replaceWorker(target, 'SIGTERM') },
  {
    name: 'worker frozen beyond its lease',
    spendsAttempts: true,
    inject: ({ worker }) => freeze(worker, BEYOND_THE_LEASE_MS),
  },
  {
    name: 'worker frozen for 8 to 20 s',
    spendsAttempts: true,
    inject: ({ worker, random }) => freeze(worker, random.between(8_000, 20_000)),
  },
  { name: 'event loop of a worker blocked beyond its lock', spendsAttempts: true, inject: blockWorker },
  { name: 'gateway killed', inject: (target) => replaceGateway(target, 'SIGKILL') },
  { name: 'gateway stopped', inject: (target) => replaceGateway(target, 'SIGTERM') },
  { name: 'gateway frozen', inject: ({ gateway, random }) => freeze(gateway, random.between(1_000, 5_000)) },
  { name: 'clock of a worker steps', inject: (target) => stepClock(target, target.worker) },
  { name: 'clock of a gateway steps', inject: (target) => stepClock(target, target.gateway) },
];

export const longOutage: Fault = {
  name: 'Redis away for 5 s',
  stops: 'tasks',
  async inject({ proxy }) {
    proxy.stall();
    await delay(LONG_OUTAGE_MS);
    proxy.release();
  },
};

export const lossyFailOver: Fault = {
  name: 'fail-over to a replica that lacks the last writes',
  inject: ({ redis, random }) => redis.failOver?.(random.between(20, 600)) ?? Promise.reject(new Error('no replica')),
};

/** A fault that affects any master. */
function ofMaster(name: string, inject: (node: RedisNode, target: Target) => Promise<unknown>): Fault {
  return { name, stops: 'tasks', inject: async (target) => inject(await target.master(), target) };
}

const redisFaults: readonly Fault[] = [
  ofMaster('Redis killed', async (victim, { random, redis }) => {
    await victim.kill();
    await delay(random.between(0, 1_500));
    await victim.start();
    await redis.settled();
  }),
  ofMaster('Redis frozen', async (victim, { random }) => {
    victim.freeze();
    await delay(random.between(300, 3_000));
    victim.thaw();
  }),
  longOutage,
  ofMaster('disk of Redis full', async (node) => {
    // `always` would end Redis, since an acknowledgement is a promise.
    await node.ask('CONFIG SET appendfsync everysec');
    await node.fillDisk(true);
    await delay(REFUSED_FOR_MS);
    await node.fillDisk(false);
    await delay(1_500); // until it has tried again
    await node.ask('CONFIG SET appendfsync always');
  }),
  ofMaster('memory of Redis full', async (node) => {
    await node.ask('CONFIG SET maxmemory 1');
    await delay(REFUSED_FOR_MS);
    await node.ask('CONFIG SET maxmemory 0');
  }),
  ofMaster('credentials of Redis rotated, and back', async (node, { random }) => {
    const before = await node.changePassword(`rotated-${random.between(1, 1e9)}`);
    await delay(REFUSED_FOR_MS);
    await node.changePassword(before);
  }),
  ofMaster('scripts flushed and connections killed', async (node) => {
    for (let n = 0; n < 10; n++) {
      for (const command of ['SCRIPT FLUSH', 'CLIENT KILL TYPE normal SKIPME yes', 'CLIENT KILL TYPE pubsub'])
        await node.ask(command);
      await delay(150);
    }
  }),
];

/** Between all processes and Redis. */
const networkFaults: readonly Fault[] = [
  {
    name: 'replies of Redis lost',
    stops: 'tasks',
    inject: ({ proxy, random }) => proxy.loseReplies(random.between(100, 1_000)),
  },
  { name: 'replies of Redis lost, at once', stops: 'tasks', inject: ({ proxy }) => proxy.loseReplies(5) },
  { name: 'replies of Redis slow', inject: ({ proxy }) => proxy.disturb('slow', DISTURBED_FOR_MS) },
  { name: 'replies of Redis dribble', inject: ({ proxy }) => proxy.disturb('dribble', DISTURBED_FOR_MS) },
  { name: 'connections to Redis silent', inject: async ({ proxy }) => proxy.silence() },
];

const STALLED_CLIENTS = 20;
/** Number of chunks of 64 KiB. */
const FLOOD = 320;
const POISONS = 3;

const clientFaults: readonly Fault[] = [
  {
    name: 'clients that do not read',
    async inject({ stack, random }) {
      const url = crashAgentAt(random.pick(stack.urls));
      const task = await new ResilientClient({ urls: [url] }, 0).send(userMessage(`flood ${FLOOD}`), true);
      const sockets = Array.from({ length: STALLED_CLIENTS }, () => openStalledClient(url, task.id));
      await delay(5_000);
      for (const socket of sockets) socket.destroy();
    },
  },
  { name: 'several messages that kill their worker', spendsAttempts: true, inject: poison },
];

/** Subscribes to a task, and reads nothing. */
export function openStalledClient(agentUrl: string, taskId: string) {
  return requestWithoutReading(agentUrl, `GET /tasks/${taskId}:subscribe?fromSeq=0`);
}

/** Sends a request, and reads nothing of the answer. @param line method and path below the agent's URL */
export function requestWithoutReading(agentUrl: string, line: string, body = '') {
  const { hostname, port, pathname } = new URL(agentUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => socket.destroy());
  socket.pause();
  const [verb, path] = line.split(' ');
  const head = [
    `${verb} ${pathname === '/' ? path : pathname + path} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    ...(body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`] : []),
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}

/** Workers are killed by these messages until all have failed; each dead worker is replaced. */
async function poison({ stack, victims }: Target): Promise<void> {
  const client = new ResilientClient({ urls: stack.urls.map(crashAgentAt) }, 0);
  const keeper = keepWorkers(stack);
  const tasks = await Promise.all(Array.from({ length: POISONS }, () => client.send(userMessage('die'), true)));
  const isOver = async (): Promise<boolean> => {
    const states = await Promise.all(tasks.map(async ({ id }) => (await client.read(id)).status.state));
    return states.every((state) => state === 'TASK_STATE_FAILED');
  };
  await eventually(isOver, { what: 'the poison messages are dead letters', timeoutMs: 120_000, everyMs: 100 });
  keeper.release();
  for (const program of stack.programs) if (!program.isRunning()) victims.add(program.pid);
}

export const allFaults: readonly Fault[] = [...processFaults, ...redisFaults, ...networkFaults, ...clientFaults];

export interface InjectorOptions {
  readonly faults: readonly Fault[];
  readonly count: number;
  /** Pause between two faults, at random. */
  readonly pauseMs: readonly [least: number, most: number];
  readonly onFault: (name: string, number: number) => void;
}

/** Within this time a turn that lost its worker has ended, so that only three such faults in a row can fail it. */
const BETWEEN_SPENT_ATTEMPTS_MS = 8_000;

/** Injects faults one after the other, each kind once before any is repeated. @returns how often each */
export async function injectFaults(target: Target, options: InjectorOptions): Promise<Record<string, number>> {
  const done: Record<string, number> = {};
  let left: Fault[] = [];
  let spentAt = Number.NEGATIVE_INFINITY;
  for (let number = 1; number <= options.count; number++) {
    if (left.length === 0) left = [...options.faults];
    const fault = target.random.pick(left);
    left.splice(left.indexOf(fault), 1);
    await delay(target.random.between(...options.pauseMs));
    if (fault.spendsAttempts) await delay(Math.max(0, spentAt + BETWEEN_SPENT_ATTEMPTS_MS - performance.now()));
    const end = fault.stops && target.outages.begin(fault.stops);
    await fault.inject(target).catch((cause: unknown) => {
      throw new Error(`fault ${number}, ${fault.name}, could not be injected or repaired`, { cause });
    });
    end?.();
    if (fault.spendsAttempts) spentAt = performance.now();
    done[fault.name] = (done[fault.name] ?? 0) + 1;
    options.onFault(fault.name, number);
  }
  return done;
}
