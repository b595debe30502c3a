import { sendRedisCommand } from '@switchyard/local';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { numberedLines } from '../support/all-events.ts';
import { openEventStream } from '../support/event-stream.ts';
import { userMessage } from '../support/messages.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { getTask, send } from '../support/rest.ts';
import { type Stack, startStack } from '../support/stack.ts';

// On a busy machine processes start slowly.
vi.setConfig({ testTimeout: 60_000 });

// A write costs the size of the event, not of the task.

const chunks = 10_000;
/** Number of chunks between two samples. */
const sampleEvery = 200;

let redis: TestRedis;
let stack: Stack;
let url: string;

beforeAll(async () => {
  // A separate Redis, so that nothing else is counted.
  redis = await startRedis();
  stack = await startStack({ redisUrl: redis.url, agents: ['echo'] });
  [url = ''] = stack.urls;
});

afterAll(async () => {
  await stack.stop();
  await redis.stop();
});

/** The position of a task, and the time that Redis has spent in scripts until then. */
interface Sample {
  readonly seq: number;
  readonly scriptMicroseconds: number;
}

async function takeSample(taskKey: string): Promise<Sample> {
  // Both commands in one write, so that nothing runs between them.
  const reply = await sendRedisCommand(
    Number(new URL(redis.url).port),
    `HGET ${taskKey} seq\r\nINFO commandstats`,
    5_000,
  );
  const seq = /^\$\d+\r\n(\d+)\r\n/.exec(reply)?.[1];
  const time = /cmdstat_evalsha:calls=\d+,usec=(\d+)/.exec(reply)?.[1];
  if (!seq || !time) throw new Error(`Redis said ${reply.slice(0, 200)}`);
  return { seq: Number(seq), scriptMicroseconds: Number(time) };
}

/** Appends 10,000 chunks to one artifact, and takes samples of Redis. */
async function writeLongArtifact(): Promise<{ taskId: string; samples: Sample[] }> {
  const stream = await openEventStream(`${url}/message:stream`, {
    method: 'POST',
    body: { message: userMessage(`stream ${chunks}`) },
  });
  const samples: Sample[] = [];
  let taskId = '';
  let taskKey = '';
  for await (const event of stream) {
    if (taskId === '') {
      taskId = event.data.task?.id ?? '';
      taskKey = await keyOf(taskId);
    }
    if (event.id % sampleEvery === 0) samples.push(await takeSample(taskKey));
  }
  return { taskId, samples };
}

async function keyOf(taskId: string): Promise<string> {
  const reply = await sendRedisCommand(Number(new URL(redis.url).port), `KEYS *:t:${taskId}`);
  const key = reply.split('\r\n').find((line) => line.endsWith(taskId));
  if (!key) throw new Error(`no key of the task: ${reply}`);
  return key;
}

/** Microseconds of Redis per chunk, between consecutive samples. */
function costs(samples: readonly Sample[]): number[] {
  return samples.slice(1).flatMap(({ seq, scriptMicroseconds }, index) => {
    const before = samples[index];
    if (!before || seq === before.seq) return [];
    return [(scriptMicroseconds - before.scriptMicroseconds) / (seq - before.seq)];
  });
}

/** The lower quartile, since other programs can only make a chunk more expensive. */
function undisturbed(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 4)] ?? Number.NaN;
}

/** Cost of a chunk in the last third of the artifact, relative to the first third. */
function growth(samples: readonly Sample[]): number {
  const all = costs(samples);
  const third = Math.floor(all.length / 3);
  // A reader that lags far behind sees too few positions.
  return third < 4 ? Number.NaN : undisturbed(all.slice(-third)) / undisturbed(all.slice(0, third));
}

describe('an artifact of 10,000 chunks', () => {
  // Other programs may disturb a run: one quiet run out of three is enough.
  it('costs the same per chunk at its end as at its start', { retry: 2 }, async () => {
    const { samples } = await writeLongArtifact();
    expect(growth(samples)).toBeLessThan(1.3);
  });

  it('contains every chunk once', async () => {
    const { id } = await send(url, userMessage(`stream ${chunks}`));
    const { artifacts } = await getTask(url, id);
    expect(artifacts).toMatchObject([{ name: 'Stream', parts: [{ text: numberedLines('chunk', chunks) }] }]);
  });
});
