// `npm run workshop raw`: messages with `raw` parts that stay in Redis, beside those that become files: memory of Redis,
// processor time of gateway and worker.

import { randomBytes } from 'node:crypto';
import { freePort } from '@switchyard/local';
import { Redis } from 'ioredis';
import { userMessage } from '../../tests/support/messages.ts';
import { processorMicros, residentBytes } from '../../tests/support/process-usage.ts';
import { startRedis } from '../../tests/support/redis.ts';
import { send } from '../../tests/support/rest.ts';
import { startStack } from '../../tests/support/stack.ts';
import { count, readCommandLine } from '../options.ts';
import { temporaryFolder } from '../system.ts';
import { conclude, mib, ms, number, textTable } from '../tables.ts';

const MiB = 1024 ** 2;
/** Messages that are sent at the same time. */
const CLIENTS = 4;
const SENT_BEFORE = 20;

/** What a message takes. */
interface Price {
  readonly redisBytes: number;
  readonly gatewayMs: number;
  readonly workerMs: number;
  readonly seconds: number;
  readonly gatewayBytes: number;
}

/** Of all messages. @param inlineBytes 0: `raw` stays in Redis */
async function measureRaw(messages: number, bytes: number, inlineBytes: number): Promise<Price> {
  await using parts = new AsyncDisposableStack();
  const folder = parts.use(await temporaryFolder()).path;
  const { url: redisUrl } = parts.adopt(await startRedis(), ({ stop }) => stop());
  const redis = parts.adopt(new Redis(redisUrl), (each) => each.disconnect());
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    FILES_URL: `file://${folder}`,
    PUBLIC_URL: url,
    INLINE_FILE_BYTES: `${inlineBytes}`,
    GRPC_PORT: 'off',
  };
  const stack = parts.use(await startStack({ redisUrl, agents: ['filer'], gateways: 0, workers: 0, env }));
  const [gateway, worker] = await Promise.all([stack.addGateway(port), stack.addWorker()]);
  await stack.untilReady();
  const usedBytes = async (): Promise<number> =>
    Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1] ?? Number.NaN);
  const sendAll = async (left: number): Promise<void> => {
    let unsent = left;
    const sendNext = async (): Promise<void> => {
      while (unsent-- > 0) {
        const raw = randomBytes(bytes).toString('base64');
        const { status } = await send(url, {
          ...userMessage(''),
          parts: [{ text: '' }, { raw, mediaType: 'image/png' }],
        });
        if (status.state !== 'TASK_STATE_COMPLETED') throw new Error(`a task is ${status.state}`);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, sendNext));
  };
  await sendAll(SENT_BEFORE);
  const used = async () => ({
    bytes: await usedBytes(),
    gateway: processorMicros(gateway.pid),
    worker: processorMicros(worker.pid),
    ms: performance.now(),
  });
  const before = await used();
  await sendAll(messages);
  const after = await used();
  return {
    redisBytes: after.bytes - before.bytes,
    gatewayMs: (after.gateway - before.gateway) / 1_000,
    workerMs: (after.worker - before.worker) / 1_000,
    seconds: (after.ms - before.ms) / 1_000,
    gatewayBytes: residentBytes(gateway.pid),
  };
}

if (import.meta.main) {
  const options = {
    messages: count('messages', '1000', ['1', '100000']),
    kib: count('size of each raw part in KiB', '1024', ['1', '3000']),
  };
  const { messages, kib } = readCommandLine({ usage: 'npm run workshop raw [-- options]', options }).options;
  const bytes = kib * 1_024;
  const inRedis = await measureRaw(messages, bytes, 0);
  const asFiles = await measureRaw(messages, bytes, Math.min(bytes - 1, MiB / 16));
  const row = (name: string, of: (price: Price) => number, text: (value: number) => string) => [
    name,
    text(of(inRedis)),
    text(of(asFiles)),
    number(of(asFiles) / of(inRedis)),
  ];
  const rows = [
    row('Redis, more', ({ redisBytes }) => redisBytes, mib),
    row('gateway, processor', ({ gatewayMs }) => gatewayMs, ms),
    row('gateway, memory', ({ gatewayBytes }) => gatewayBytes, mib),
    row('worker, processor', ({ workerMs }) => workerMs, ms),
    row('messages a second', ({ seconds }) => messages / seconds, number),
  ];
  process.stdout.write(`${textTable(['', 'in Redis', 'as files', 'ratio'], rows)}\n`);
  conclude(asFiles.redisBytes * 20 < inRedis.redisBytes, 'less than a twentieth of the memory of Redis');
}
