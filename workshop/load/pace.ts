// `npm run workshop pace`: workers ask a model server that counts tokens, more than its limit allows. What it counts must
// be within 2 % of the limit, although workers are killed and each answer uses another number of tokens.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Store } from '@switchyard/store';
import { openHttpServer } from '../../tests/support/http-server.ts';
import { userMessage } from '../../tests/support/messages.ts';
import { count, readCommandLine, time } from '../options.ts';
import { startOwnSystem, temporaryFolder } from '../system.ts';
import { conclude } from '../tables.ts';

const PREFIX = 'pace';
const MEAN_TOKENS = 1_000;
const AT_ONCE = 100;
const scope = { principal: { tenant: 'acme', subject: 'someone', scopes: [] }, agent: 'asker' };

interface Measurement {
  readonly tokensPerMinute: number;
  readonly workers: number;
  readonly durationMs: number;
  /** Time between kills of a worker. */
  readonly killEveryMs: number;
}

interface Request {
  readonly atMs: number;
  readonly tokens: number;
}

/** A model server that answers after 50 to 450 ms, and uses 200 to 1,800 tokens for it. */
async function openCountingModel() {
  const requests: Request[] = [];
  const server = await openHttpServer(async (req, res) => {
    await text(req);
    const tokens = Math.round(MEAN_TOKENS * (0.2 + 1.6 * Math.random()));
    requests.push({ atMs: performance.now(), tokens });
    await delay(50 + 400 * Math.random());
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Fine.' }, finish_reason: 'stop' }];
    const usage = { prompt_tokens: 10, completion_tokens: tokens - 10 };
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ model: 'counting', choices, usage }));
  });
  return { url: server.url, requests, [Symbol.asyncDispose]: server.close };
}

/** @returns the requests that the model server got, and how many of its workers were killed */
export async function measurePace({ tokensPerMinute, workers, durationMs, killEveryMs }: Measurement) {
  await using model = await openCountingModel();
  await using folder = await temporaryFolder();
  const limits = join(folder.path, 'limits.json');
  await writeFile(limits, JSON.stringify({ [`${new URL(model.url).host}/counting`]: { tokensPerMinute } }));
  const env = { DEFAULT_AGENT: 'asker', KEY_PREFIX: PREFIX, MODEL_LIMITS: limits };
  await using system = await startOwnSystem({ agents: ['workshop/load/agents/asker.ts'], workers, env });
  const store = new Store({ redisUrl: system.redis.url, prefix: PREFIX }, () => undefined);
  await using _ = { [Symbol.asyncDispose]: () => store.stop() };
  await store.start();
  await fill(store, model.url, Math.ceil(((durationMs / 60_000) * tokensPerMinute * 1.2) / MEAN_TOKENS) + 100);
  const begunAt = model.requests[0]?.atMs ?? performance.now();
  let killed = 0;
  for (let next = begunAt + killEveryMs; next < begunAt + durationMs; next += killEveryMs) {
    await delay(next - performance.now());
    system.stack.workers[0]?.kill('SIGKILL');
    killed++;
    await system.stack.addWorker();
  }
  await delay(Math.max(0, begunAt + durationMs - performance.now()));
  const requests = model.requests.map(({ atMs, tokens }) => ({ atMs: atMs - begunAt, tokens }));
  return { requests: requests.filter(({ atMs }) => atMs <= durationMs), killed };
}

async function fill(store: Store, url: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => store.tasks.accept(scope, { message: userMessage(url) })));
}

/** Tokens of each full minute, which begins after `fromMs`, whatever the clock says. */
function minutes(requests: readonly Request[], durationMs: number): number[] {
  const starts = Array.from(
    { length: Math.max(0, Math.floor((durationMs - 60_000) / 1_000) + 1) },
    (_, s) => s * 1_000,
  );
  return starts.map((from) =>
    requests.reduce((sum, { atMs, tokens }) => sum + (atMs >= from && atMs < from + 60_000 ? tokens : 0), 0),
  );
}

if (import.meta.main) {
  const { tokensPerMinute, workers, durationMs, killEveryMs } = readCommandLine({
    usage: 'npm run workshop pace [-- options]',
    options: {
      tokensPerMinute: count('limit of the model', '600000', ['1000', '100000000']),
      workers: count('worker processes', '3', ['1', '32']),
      durationMs: time('of the measurement', '10m', ['1s', '60m']),
      killEveryMs: time('between kills of a worker', '1m', ['1s', '60m']),
    },
  }).options;
  const { requests, killed } = await measurePace({ tokensPerMinute, workers, durationMs, killEveryMs });
  const total = requests.reduce((sum, { tokens }) => sum + tokens, 0);
  const percent = (100 * total * 60_000) / durationMs / tokensPerMinute;
  const each = minutes(requests, durationMs).map((tokens) => (100 * tokens) / tokensPerMinute);
  const spans = each.length > 0 ? `; any minute had ${round(Math.min(...each))} to ${round(Math.max(...each))} %` : '';
  process.stdout.write(
    `${requests.length} requests, ${total} tokens, ${killed} workers killed: ${round(percent)} % of the limit${spans}\n`,
  );
  conclude(Math.abs(percent - 100) <= 2, 'within 2 % of the limit is exact');
}

function round(percent: number): string {
  return percent.toFixed(2);
}
