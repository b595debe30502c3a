import { randomUUID } from 'node:crypto';
import { Store, type TaskFilter } from '@switchyard/store';
import { Redis } from 'ioredis';
import { startRedis } from '../../../tests/support/redis.ts';
import { quantile } from '../../statistics.ts';

const TASKS = 1_000_000;
/** Between two of them. */
const EVERY_MS = 10;
const SPAN_MS = TASKS * EVERY_MS;
const AT_ONCE = 5_000;
const SEARCHES = 1_000;
const CALLERS = 16;
const PAGE = 50;
const agents = ['pizza', 'kitchen', 'oven', 'delivery'];
const letters = ['C', 'C', 'C', 'C', 'C', 'C', 'F', 'o', 'i', 'R'];

/** Searches with a filter each: pages of 50 with their rows, from anywhere in the list. */
export async function measureSearch() {
  await using parts = new AsyncDisposableStack();
  const server = parts.adopt(await startRedis(), ({ stop }) => stop());
  const redis = parts.adopt(new Redis(server.url), async (client) => client.disconnect());
  const settings = { redisUrl: server.url, prefix: 'p', retentionMs: 10 * SPAN_MS };
  const store = new Store(settings, (error) => process.stderr.write(`${error.message}\n`));
  parts.defer(() => store.stop());
  await store.start();
  await announceAgents(store);
  await fill(redis);
  const anyTime = (): string => new Date(Date.now() - Math.random() * 0.9 * SPAN_MS).toISOString();
  const anyAgent = (): string => agents[Math.floor(Math.random() * agents.length)] ?? '';
  return {
    newest: await measure(store, () => ({})),
    'an agent and a state': await measure(store, () => ({ agent: anyAgent(), states: ['TASK_STATE_FAILED'] })),
    'an agent, up to a time': await measure(store, () => ({ agent: anyAgent(), until: anyTime() })),
  };
}

async function announceAgents(store: Store): Promise<void> {
  const modes = { defaultInputModes: [], defaultOutputModes: [], supportedInterfaces: [], capabilities: {} };
  const card = { description: '', version: '1', skills: [], ...modes };
  await store.registry.announce(
    agents.map((id) => ({ id, card: { name: id, ...card }, repliesWithMessage: false, concurrency: 1 })),
    'bench',
  );
}

/** As tasks leave them: entries of the indexes, and of the records what a list shows. */
async function fill(redis: Redis): Promise<void> {
  for (let from = 0; from < TASKS; from += AT_ONCE) {
    const pipeline = redis.pipeline();
    for (let n = from; n < from + AT_ONCE; n++) {
      const [id, agent] = [randomUUID(), agents[n % agents.length]];
      const letter = letters[Math.floor(n / agents.length) % letters.length] ?? '';
      const time = (Date.now() - n * EVERY_MS).toString(36).padStart(8, '0');
      const owner = `acme/${n % 1_000}/${agent}`;
      pipeline.zadd(`p{s0}:a:${agent}`, 0, letter + time + id);
      const state = letter === 'o' ? 'w' : letter;
      pipeline.hset(`p{s0}:t:${id}`, { owner, context: id, state, time, listed: time, seq: 3 });
    }
    await pipeline.exec();
  }
}

/** @returns how many a second with several callers, and ms of a search that is alone */
async function measure(store: Store, filter: () => TaskFilter) {
  const search = async (): Promise<number> => {
    const begun = performance.now();
    const { tasks } = await store.ops.searchTasks({ ...filter(), pageSize: PAGE, hasText: false });
    if (tasks.length !== PAGE) throw new Error(`a search found ${tasks.length} tasks`);
    return performance.now() - begun;
  };
  const alone: number[] = [];
  for (let n = 0; n < SEARCHES; n++) alone.push(await search());
  const begun = performance.now();
  const caller = async (): Promise<void> => {
    for (let n = 0; n < SEARCHES / CALLERS; n++) await search();
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const perSecond = Math.round((SEARCHES * 1_000) / (performance.now() - begun));
  const rounded = (share: number): number => Number(quantile(alone, share).toFixed(2));
  return { tasks: TASKS, perSecond, medianMs: rounded(0.5), p99Ms: rounded(0.99) };
}
