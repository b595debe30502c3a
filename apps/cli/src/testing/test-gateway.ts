import { randomBytes } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Agent } from '@switchyard/agent';
import { createGateway } from '@switchyard/gateway';
import { freePort, requireRedis, startRedisServer } from '@switchyard/local';
import type { Metadata, SendMessageConfiguration } from '@switchyard/protocol';
import { Store } from '@switchyard/store';
import { createLog } from '@switchyard/telemetry';
import { Worker } from '@switchyard/worker';
import { environment } from './config.ts';
import { type SentContent, type SentMessage, send } from './sent-message.ts';

/** The configuration of a test gateway. */
export interface TestGatewayOptions {
  /** The first one is the default agent; each is served at `/agents/<id>`. */
  readonly agents: readonly Agent[];
  /** Its keys get their own prefix. Default: a private Redis, which takes a moment to start. */
  readonly redisUrl?: string;
  /** Called with errors of agents, gateway and worker. Default: writes them to standard error. */
  readonly onError?: (error: unknown) => void;
}

/** Target and options of a message. */
export interface SendOptions {
  /** Id of the agent. Default: the first one. */
  readonly agent?: string;
  /** As in A2A 3.2.2. */
  readonly configuration?: SendMessageConfiguration;
  /**
   * Of the request: a budget, a priority and other extensions (A2A 3.2.5). That of the message goes into the content:
   * `{ parts, metadata }`.
   */
  readonly metadata?: Metadata;
  /** How long `send` waits for the answer. Default: 30 s. */
  readonly timeoutMs?: number;
}

/** A gateway and a worker in this process, with a real Redis: the agents of a test as clients see them. */
export interface TestGateway extends AsyncDisposable {
  /** Base URL for any A2A client. */
  readonly url: string;
  /** Base URL of one agent. */
  agentUrl(id: string): string;
  /**
   * Sends a message, and waits for the answer; with the configuration `returnImmediately`, only until it is accepted.
   * @throws {Error} the message was refused, has no answer after `timeoutMs`, or its task waits for an event, or for a
   * time after that, for some seconds; the error names it
   */
  send(content: SentContent, options?: SendOptions): Promise<SentMessage>;
  /** Called when `await using` leaves its scope. */
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
  const settings = { port: 0, grpcPort: undefined, defaultAgent: first.id };
  const gateway = createGateway(settings, { store, log: createLog({ app: 'gateway', level: 'silent' }) });
  parts.defer(() => gateway.stop());
  const { url: root } = await gateway.start();
  const worker = new Worker({ drainMs: 0, sweepEveryMs: 500, publicUrl: root }, { store, agents, emit });
  parts.defer(() => worker.stop());
  await worker.start();
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

/** The gateway learns of an agent a moment after the worker has announced it. */
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
