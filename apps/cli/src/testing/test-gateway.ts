import { randomBytes } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Agent } from '@switchyard/agent';
import { createGateway } from '@switchyard/gateway';
import { freePort, requireRedis, startRedisServer } from '@switchyard/local';
import type { SendMessageConfiguration } from '@switchyard/protocol';
import { Store } from '@switchyard/store';
import { createLog } from '@switchyard/telemetry';
import { Worker } from '@switchyard/worker';
import { environment } from './config.ts';
import { type SentContent, type SentMessage, send } from './sent-message.ts';

/** What a test gateway serves. */
export interface TestGatewayOptions {
  /** The first is served at the root, every one at `/agents/<id>`. */
  readonly agents: readonly Agent[];
  /** Its keys get a prefix of their own. Default: a Redis of the test's own, which takes a moment to start. */
  readonly redisUrl?: string;
  /** Called with what an agent throws, and with faults of gateway and worker. Default: to standard error. */
  readonly onError?: (error: unknown) => void;
}

/** To whom a message goes, and how. */
export interface SendOptions {
  /** The id of an agent. Default: the first one. */
  readonly agent?: string;
  /** As any client may send it (A2A 3.2.2). */
  readonly configuration?: SendMessageConfiguration;
}

/** A gateway and a worker in this process, over a real Redis: the agents of a test as clients see them. */
export interface TestGateway extends AsyncDisposable {
  /** For any A2A client. */
  readonly url: string;
  /** Of one of the agents. */
  agentUrl(id: string): string;
  /** Sends a message, and waits for the agent. */
  send(content: SentContent, options?: SendOptions): Promise<SentMessage>;
  /** What leaving the scope of `await using` does. */
  stop(): Promise<void>;
}

/**
 * Runs agents behind a gateway, in this process, so that a debugger sees all of it:
 *
 *     await using gateway = await testGateway({ agents: [shop, prices] });
 *     const { answer } = await gateway.send('Salami');
 */
export async function testGateway({ agents, redisUrl, onError = report }: TestGatewayOptions): Promise<TestGateway> {
  const [first] = agents;
  if (!first) throw new TypeError('A test gateway needs at least one agent.');
  await using parts = new AsyncDisposableStack();
  const url = redisUrl ?? (await startOwnRedis(parts));
  const store = new Store({ redisUrl: url, prefix: `t${randomBytes(6).toString('hex')}` }, onError);
  parts.defer(() => store.stop());
  await store.start();
  const emit = (event: object): void => {
    if ('err' in event && event.err !== undefined) onError(event.err);
  };
  const worker = new Worker({ drainMs: 0, sweepEveryMs: 500 }, { store, agents, emit });
  parts.defer(() => worker.stop());
  await worker.start();
  const settings = { port: 0, grpcPort: undefined, defaultAgent: first.id };
  const gateway = createGateway(settings, { store, log: createLog({ app: 'gateway', level: 'silent' }) });
  parts.defer(() => gateway.stop());
  const { url: root } = await gateway.start();
  const urlOf = (id: string): string => `${root}/agents/${id}`;
  await Promise.all([root, ...agents.map(({ id }) => urlOf(id))].map(untilServed));
  return served(root, urlOf, parts.move());
}

function served(url: string, agentUrl: (id: string) => string, parts: AsyncDisposableStack): TestGateway {
  const stop = (): Promise<void> => parts.disposeAsync();
  return {
    url,
    agentUrl,
    send: (content, { agent, ...options } = {}) =>
      send({ url: agent === undefined ? url : agentUrl(agent), ...options }, content),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const SERVED_WITHIN_MS = 10_000;

/** The gateway learns of an agent a moment after its worker has announced it. */
async function untilServed(url: string): Promise<void> {
  const giveUp = Date.now() + SERVED_WITHIN_MS;
  while (!(await fetch(`${url}/.well-known/agent-card.json`)).ok) {
    if (Date.now() > giveUp) throw new Error(`the test gateway does not serve ${url}`);
    await delay(10);
  }
}

async function startOwnRedis(parts: AsyncDisposableStack): Promise<string> {
  const program = await requireRedis({ environment, say: (line) => process.stderr.write(`${line}\n`) });
  if (!program) throw new Error('a test cannot run Redis in a container: install redis-server, or give a redisUrl');
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'switchyard-test-')));
  parts.defer(() => rm(folder, { recursive: true, force: true }));
  const redis = await startRedisServer({ program, port: await freePort(), folder, appendOnly: false });
  parts.defer(async () => void (await redis.stop(1_000)));
  return redis.url;
}

function report(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
}
