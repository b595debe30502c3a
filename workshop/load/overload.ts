// `npm run workshop overload`: ten times as many messages as the workers can process. Accepted ones must be answered
// about as fast as normally, the others refused at once, and no accepted one may be lost.

import type { Task } from '@switchyard/protocol';
import { userMessage } from '../../tests/support/messages.ts';
import { post } from '../../tests/support/rest.ts';
import { count, readCommandLine } from '../options.ts';
import { Latencies, SeededRandom } from '../statistics.ts';
import { startOwnSystem } from '../system.ts';
import { conclude, ms, textTable } from '../tables.ts';
import { arrivals, keepPace } from './open-model.ts';

/** Capacity of agents/limited.ts per second: two at a time, 50 ms each, and some ms in between. */
const CAPACITY = 36;
const FACTOR = 10;
const MAX_QUEUE_WAIT_MS = 100;

/** A system of its own, first with half of its capacity, then with ten times as much. */
export async function measureOverload(times: { normalMs: number; overloadMs: number }) {
  const env = { DEFAULT_AGENT: 'limited', MAX_QUEUE_WAIT_MS: `${MAX_QUEUE_WAIT_MS}` };
  await using system = await startOwnSystem({ agents: ['workshop/load/agents/limited.ts'], env });
  const { url } = system.gateway;
  await phase(url, CAPACITY / 2, 1_000);
  const normal = await phase(url, CAPACITY / 2, times.normalMs);
  const overload = await phase(url, FACTOR * CAPACITY, times.overloadMs);
  // Accepted messages whose task did not complete.
  const lost = [normal, overload].reduce((sum, { others }) => sum + (others['200 not completed'] ?? 0), 0);
  return { normal, overload, lost };
}

type Phase = Awaited<ReturnType<typeof phase>>;

/**
 * Sends messages at one rate. @returns the latencies of completed tasks and of 429 with Retry-After, from the time when
 * the message was due, and the number of other answers by kind
 */
async function phase(url: string, rate: number, ms: number) {
  const [taken, refused] = [new Latencies(), new Latencies()];
  const others: Record<string, number> = {};
  const act = async (dueAt: number): Promise<void> => {
    const answer = await send(url).catch((error: Error) => error.message);
    if (answer === 'completed') taken.add(performance.now() - dueAt);
    else if (answer === 'refused') refused.add(performance.now() - dueAt);
    else others[answer] = (others[answer] ?? 0) + 1;
  };
  await keepPace({
    arrivals: arrivals({ rateAt: () => rate, peak: rate, random: new SeededRandom(1) }),
    signal: AbortSignal.timeout(ms),
    act,
  });
  return { rate, taken, refused, others };
}

async function send(url: string): Promise<string> {
  const { status, headers, body } = await post<{ task?: Task }>(`${url}/message:send`, {
    message: userMessage('hello'),
  });
  if (status === 429 && Number(headers.get('retry-after')) >= 1) return 'refused';
  if (status !== 200) return `${status}`;
  return body.task?.status.state === 'TASK_STATE_COMPLETED' ? 'completed' : '200 not completed';
}

if (import.meta.main) {
  const { seconds } = readCommandLine({
    usage: 'npm run workshop overload [-- options]',
    options: { seconds: count('seconds of overload, after a third as many of normal load', '60', ['3', '3600']) },
  }).options;
  const { normal, overload, lost } = await measureOverload({ normalMs: seconds * 333, overloadMs: seconds * 1_000 });
  const figures = (of: Latencies): string[] => [`${of.count}`, ms(of.at(50)), ms(of.at(99))];
  const row = (name: string, { rate, taken, refused, others }: Phase): string[] => [
    name,
    `${rate}/s`,
    ...figures(taken),
    ...figures(refused),
    JSON.stringify(others),
  ];
  const columns = ['', 'came', 'taken', 'p50', 'p99', 'refused', 'p50', 'p99', 'others'];
  process.stdout.write(`${textTable(columns, [row('normal', normal), row('overload', overload)])}\nlost: ${lost}\n`);
  const isHeld =
    lost === 0 &&
    (overload.taken.at(99) ?? Infinity) <= 3 * (normal.taken.at(99) ?? 0) &&
    (overload.refused.at(99) ?? Infinity) < 50;
  conclude(isHeld, 'p99 at most 3 times the normal one, refused within 50 ms, none lost');
}
