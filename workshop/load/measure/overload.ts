import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { userMessage } from '../../../tests/support/messages.ts';
import { startRedis } from '../../../tests/support/redis.ts';
import { startStack } from '../../../tests/support/stack.ts';
import { SeededRandom } from '../../seeded-random.ts';
import { arrivals, keepPace } from './arrivals.ts';
import { Latencies } from './latencies.ts';

/** Messages that came at one rate. */
export interface Phase {
  /** Per second. */
  readonly rate: number;
  /** Until the completed task, from when the message was due. */
  readonly taken: Latencies;
  /** Until the 429 with its Retry-After. */
  readonly refused: Latencies;
  /** Any other answer → how often. */
  readonly others: Readonly<Record<string, number>>;
}

export interface Overload {
  readonly normal: Phase;
  readonly overload: Phase;
  /** Messages that were taken, and whose task did not complete. */
  readonly lost: number;
}

/** What agents/limited.ts can do in a second: two at a time, 50 ms each, and some ms between two. */
const CAPACITY = 36;
const NORMAL = CAPACITY / 2;
const FACTOR = 10;
const MAX_QUEUE_WAIT_MS = 100;

/** A system of its own, first with half of what it can do, then with ten times as much. */
export async function measureOverload(times: { normalMs: number; overloadMs: number }): Promise<Overload> {
  await using parts = new AsyncDisposableStack();
  const redis = await startRedis({ appendOnly: true });
  parts.defer(redis.stop);
  const stack = await startStack({
    redisUrl: redis.url,
    agents: ['workshop/load/agents/limited.ts'],
    env: {
      DEFAULT_AGENT: 'limited',
      GRPC_PORT: 'off',
      LOG_LEVEL: 'info',
      MAX_QUEUE_WAIT_MS: `${MAX_QUEUE_WAIT_MS}`,
    },
  });
  parts.use(stack);
  const [url = ''] = stack.urls;
  const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });
  parts.defer(() => agent.destroy());
  await run({ url, agent, rate: NORMAL, ms: 1_000 });
  const normal = await run({ url, agent, rate: NORMAL, ms: times.normalMs });
  const overload = await run({ url, agent, rate: FACTOR * CAPACITY, ms: times.overloadMs });
  const lost = [normal, overload].reduce((sum, { others }) => sum + (others['200 not completed'] ?? 0), 0);
  return { normal, overload, lost };
}

async function run({ url, agent, rate, ms }: { url: string; agent: Agent; rate: number; ms: number }): Promise<Phase> {
  const phase = { rate, taken: new Latencies(), refused: new Latencies(), others: {} as Record<string, number> };
  const open = new Set<Promise<void>>();
  const one = async (dueAt: number): Promise<void> => {
    const answer = await send(url, agent).catch((error: Error) => error.message);
    if (answer === 'completed') phase.taken.add(performance.now() - dueAt);
    else if (answer === 'refused') phase.refused.add(performance.now() - dueAt);
    else phase.others[answer] = (phase.others[answer] ?? 0) + 1;
  };
  await keepPace({
    arrivals: arrivals({ rateAt: () => rate, peak: rate, random: new SeededRandom(1) }),
    signal: AbortSignal.timeout(ms),
    lateness: new Latencies(),
    onArrival(dueAt) {
      const done = one(dueAt).finally(() => open.delete(done));
      open.add(done);
    },
  });
  await Promise.all(open);
  return phase;
}

async function send(url: string, agent: Agent): Promise<string> {
  const body = JSON.stringify({ message: userMessage('hello') });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const sent = request(`${url}/message:send`, { method: 'POST', agent, headers }, async (response) => {
    const { statusCode = 0, headers: answered } = response;
    const { task } = (await json(response)) as { task?: { status: { state: string } } };
    if (statusCode === 429 && Number(answered['retry-after']) >= 1) resolve('refused');
    else if (statusCode !== 200) resolve(`${statusCode}`);
    else resolve(task?.status.state === 'TASK_STATE_COMPLETED' ? 'completed' : '200 not completed');
  });
  sent.on('error', reject).end(body);
  return promise;
}
