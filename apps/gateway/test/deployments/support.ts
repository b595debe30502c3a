import type { Task } from '@switchyard/protocol';
import { RedisUnreachable, Store, type StoreSettings } from '@switchyard/store';
import { pino } from 'pino';
import { inject } from 'vitest';
import { uniquePrefix } from '../../../../tests/support/prefix.ts';
import type { FileChanges } from '../../src/deployments/file-changes.ts';
import type { PlacedDeployment } from '../../src/deployments/placement.ts';
import type { Listening } from '../../src/gateway.ts';
import { createGateway, type Gateway, type GatewaySettings } from '../../src/index.ts';
import { defaultRateSettings } from '../../src/settings/limit-settings.ts';
import { agents } from '../support/agents.ts';
import { post, type Sent, userMessage } from '../support/client.ts';

export const subjects = Array.from({ length: 12 }, (_, n) => `user-${n}`);
const keyOf = (subject: string, tenant = 'default') => ({
  key: `key-of-${subject}-0123456789`,
  subject,
  tenant,
  scopes: [],
});
export const headersOf = (subject: string) => ({ 'x-api-key': `key-of-${subject}-0123456789` });

const settings: Partial<GatewaySettings> = {
  port: 0,
  defaultAgent: 'echo',
  messageHoldMs: 20,
  blockingWaitMs: 20,
  mcp: true,
  grpc: { port: 0, publicAddress: 'auto' },
  rates: { ...defaultRateSettings, failedAuthPerAddress: 'off' },
  auth: { keys: [...subjects.map((subject) => keyOf(subject)), keyOf('acme', 'acme')] },
};

interface Served extends Partial<GatewaySettings> {
  readonly away?: readonly number[];
  readonly fileChanges?: Pick<FileChanges, 'text'>;
}

/** Several deployments on the Redis of the tests, without workers: the test runs the turns itself. */
export class Deployments implements AsyncDisposable {
  readonly stores = new Map<number, Store>();
  readonly #gateways: Gateway[] = [];

  storeOf(number: number): Store {
    const store = this.stores.get(number);
    if (!store) throw new Error(`there is no deployment ${number}`);
    return store;
  }

  /** A deployment with a store that is started. */
  async add(number: number, given: Partial<StoreSettings> = {}): Promise<Store> {
    const store = new Store(
      { redisUrl: inject('redisUrl'), prefix: uniquePrefix(), deployment: number, ...given },
      () => undefined,
    );
    this.stores.set(number, store);
    await store.start();
    await store.registry.announce(agents, 'test');
    return store;
  }

  /** A gateway that serves all of these; operators' requests are about the first. */
  async serve(
    placed: readonly PlacedDeployment[],
    { away = [], fileChanges, ...given }: Served = {},
  ): Promise<Listening> {
    const deployments = placed.map((each) => ({
      ...each,
      store: this.storeOf(each.number),
      connect: async () => {
        if (away.includes(each.number)) throw new RedisUnreachable('away');
      },
    }));
    const [home] = deployments;
    if (!home) throw new Error('no deployment');
    const { idempotencyMs } = home.store.settings;
    const several = { deployments, idempotencyMs, startWithinMs: 200, fileChanges };
    const gateway = createGateway(
      { ...settings, ...given },
      { store: home.store, log: pino({ level: 'silent' }), several },
    );
    this.#gateways.push(gateway);
    return gateway.start();
  }

  /** @returns the URL of a gateway */
  async open(...given: Parameters<Deployments['serve']>): Promise<string> {
    return (await this.serve(...given)).url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#gateways.map((each) => each.stop()));
    await Promise.all([...this.stores.values()].map((store) => store.stop()));
  }
}

/** Sends with returnImmediately over REST. */
export async function sendAs(url: string, subject: string, message = userMessage('hello')): Promise<Task> {
  const { status, body } = await post<Sent>(
    `${url}/message:send`,
    { message, configuration: { returnImmediately: true } },
    headersOf(subject),
  );
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.task;
}
