import { createGateway } from '@switchyard/gateway';
import { Store } from '@switchyard/store';
import { createLog } from '@switchyard/telemetry';
import { Worker } from '@switchyard/worker';
import { uniquePrefix } from '../../support/prefix.ts';
import { until } from '../../support/until.ts';
import { type LedAgent, ledAgent } from './led-agent.ts';

export interface SystemOptions {
  /** URL of the gateway's Redis: a ledger, if its commands are counted. */
  readonly gatewayRedis: string;
  readonly workerRedis: string;
  /** AUDIT. Default: nothing is recorded. */
  readonly audit?: 'changes';
  /** Interval of the check of open feeds. Default: never. */
  readonly feedCheckMs?: number;
}

/** A gateway and a worker in this process, each with its own store, without periodic work that can be switched off. */
export interface System extends AsyncDisposable {
  readonly url: string;
  readonly led: LedAgent;
  /** The gateway's store. */
  readonly store: Store;
}

/** Longer than any test. */
const NEVER_MS = 3_600_000;

export async function openSystem({
  gatewayRedis,
  workerRedis,
  audit,
  feedCheckMs = NEVER_MS,
}: SystemOptions): Promise<System> {
  const prefix = uniquePrefix();
  const led = ledAgent();
  const store = (redisUrl: string): Store => new Store({ redisUrl, prefix, feedCheckMs }, () => undefined);
  const [ofGateway, ofWorker] = [store(gatewayRedis), store(workerRedis)];
  await Promise.all([ofGateway.start(), ofWorker.start()]);
  const worker = new Worker(
    { drainMs: 0, sweepEveryMs: NEVER_MS },
    { store: ofWorker, agents: [led.agent], emit: () => undefined },
  );
  await worker.start();
  const gateway = createGateway(
    { port: 0, defaultAgent: 'led', agentRefreshMs: NEVER_MS, audit: { events: audit ?? 'off' } },
    { store: ofGateway, log: createLog({ app: 'gateway', level: 'silent' }) },
  );
  const { url } = await gateway.start();
  const isServed = async (): Promise<boolean> => (await fetch(`${url}/.well-known/agent-card.json`)).ok;
  await until(isServed, { what: 'the gateway serves the agent' });
  return {
    url,
    led,
    store: ofGateway,
    async [Symbol.asyncDispose]() {
      await gateway.stop();
      await worker.stop();
      await Promise.all([ofGateway.stop(), ofWorker.stop()]);
    },
  };
}
