import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';

/**
 * The limit of the queue: raw BullMQ with jobs that do nothing. Usage: bull.ts <redis url> latency|drain <n>
 * `latency`: add → completed, one after the other, ms each. `drain`: a backlog of n jobs, jobs per second.
 */
const [url = '', command = '', count = '0'] = process.argv.slice(2);
const connection = new Redis(url, { maxRetriesPerRequest: null });
const queue = new Queue('bench', { connection, prefix: 'bench{s0}:raw' });
let completed = 0;
let onCompleted = (): void => undefined;

function startWorker(): Worker {
  const options = { connection, prefix: 'bench{s0}:raw', concurrency: 100, autorun: false, drainDelay: 30 };
  const worker = new Worker('bench', async () => undefined, options);
  worker.on('completed', () => {
    completed++;
    onCompleted();
  });
  return worker;
}

function completedAtLeast(count: number): Promise<void> {
  return new Promise((resolve) => {
    onCompleted = () => completed >= count && resolve();
    onCompleted();
  });
}

const add = (): Promise<unknown> => queue.add('turn', {}, { removeOnComplete: true, removeOnFail: true });

async function latency(count: number): Promise<number[]> {
  const worker = startWorker();
  await worker.waitUntilReady();
  void worker.run();
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const begun = performance.now();
    const before = completed;
    await add();
    await completedAtLeast(before + 1);
    times.push(performance.now() - begun);
  }
  await worker.close();
  return times;
}

async function drain(count: number): Promise<number> {
  for (let i = 0; i < count; i += 500) await Promise.all(Array.from({ length: 500 }, add));
  const worker = startWorker();
  await worker.waitUntilReady();
  const [before, begun] = [completed, performance.now()];
  void worker.run();
  await completedAtLeast(before + count);
  const seconds = (performance.now() - begun) / 1_000;
  await worker.close();
  return count / seconds;
}

const answer = command === 'latency' ? await latency(Number(count)) : await drain(Number(count));
process.stdout.write(`answer ${JSON.stringify(answer)}\n`);
process.exit();
