import type { Agent } from '@switchyard/agent';
import { createGateway } from '@switchyard/gateway';
import type { Message, SendMessageConfiguration, Task } from '@switchyard/protocol';
import { Store } from '@switchyard/store';
import { createLog } from '@switchyard/telemetry';
import { Worker } from '@switchyard/worker';
import { userMessage } from './messages.ts';
import { uniquePrefix } from './prefix.ts';
import { startRedis, type TestRedis } from './redis.ts';
import { send } from './rest.ts';
import { until } from './until.ts';

export interface TestGatewayOptions {
  /** In vitest `inject('redisUrl')`. Default: a Redis of its own, which takes a moment to start. */
  readonly redisUrl?: string;
  /** Called with errors of gateway and worker. Default: ignored. */
  readonly onError?: (event: object) => void;
}

/** A gateway and a worker in this process, over a real Redis: the agents of a test as clients see them. */
export interface TestGateway extends AsyncDisposable {
  /** The first agent is served here, every one at `/agents/<id>`. */
  readonly url: string;
  agentUrl(id: string): string;
  /** Sends a message and waits for the agent; the task. A text begins a new conversation unless a task is given. */
  say(message: string | Message, options?: SayOptions): Promise<Task>;
}

export interface SayOptions {
  /** Default: the first one. */
  readonly agent?: string;
  /** The task that the message continues. */
  readonly task?: Task;
  readonly configuration?: SendMessageConfiguration;
}

/**
 * `await using gateway = await testGateway([hello])`, and then `await gateway.say('Ada')`: in one process, so that a
 * debugger sees all of it. It stands here and not in `@switchyard/agent/testing`, since that may not depend on gateway,
 * worker and store.
 */
export async function testGateway(agents: readonly Agent[], options: TestGatewayOptions = {}): Promise<TestGateway> {
  const { onError = () => undefined } = options;
  const redis: TestRedis | undefined = options.redisUrl ? undefined : await startRedis();
  const store = new Store({ redisUrl: options.redisUrl ?? redis?.url ?? '', prefix: uniquePrefix() }, onError);
  await store.start();
  const emit = (event: { readonly kind: string }): void => {
    if (event.kind === 'error' || event.kind === 'job-failed') onError(event);
  };
  const worker = new Worker({ drainMs: 0, sweepEveryMs: 500 }, { store, agents, emit });
  await worker.start();
  const [first] = agents;
  const settings = { port: 0, grpcPort: undefined, ...(first && { defaultAgent: first.id }) };
  const gateway = createGateway(settings, { store, log: createLog({ app: 'gateway', level: 'silent' }) });
  const { url } = await gateway.start();
  const agentUrl = (id: string): string => `${url}/agents/${id}`;
  await until(() => isServed(url), { what: 'the gateway serves the agents' });
  return {
    url,
    agentUrl,
    say: (message, { agent, task, configuration } = {}) =>
      send(
        agent ? agentUrl(agent) : url,
        typeof message === 'string' ? userMessage(message, task) : message,
        configuration,
      ),
    async [Symbol.asyncDispose]() {
      await gateway.stop();
      await worker.stop();
      await store.stop();
      await redis?.stop();
    },
  };
}

async function isServed(url: string): Promise<boolean> {
  return (await fetch(`${url}/.well-known/agent-card.json`)).ok;
}
