import type { Task } from '@switchyard/protocol';
import { type OpenTurn, Store, type StoreSettings } from '@switchyard/store';
import { pino } from 'pino';
import { inject } from 'vitest';
import { uniquePrefix } from '../../../../tests/support/prefix.ts';
import { begun } from '../../../../tests/support/store/drive.ts';
import { until } from '../../../../tests/support/until.ts';
import { createGateway, type Gateway, type GatewaySettings } from '../../src/index.ts';
import { defaultRateSettings } from '../../src/settings/limit-settings.ts';
import { agents } from './agents.ts';
import { get } from './client.ts';

/** A real gateway on a real store, without workers: the test runs the turns itself. */
export interface Stage extends AsyncDisposable {
  readonly url: string;
  readonly store: Store;
  readonly gateway: Gateway;
  /** Starts another gateway on the same store. */
  another(settings?: Partial<GatewaySettings>): Promise<string>;
  /** Begins the task's next turn. Jobs of a task and runs of a job are numbered from 1. */
  beginTurn(taskId: string, job?: number, run?: number): Promise<OpenTurn>;
  /** Waits for the only task of a context, which an unanswered call creates. @returns its id */
  taskIn(contextId: string, agent?: string): Promise<string>;
  /** Waits until the task's history has this many messages. */
  untilHistory(taskId: string, length: number): Promise<unknown>;
}

export interface StageSettings {
  readonly gateway?: Partial<GatewaySettings>;
  readonly store?: Partial<StoreSettings>;
  /** A Redis that may be stopped. Default: the one shared by all tests. */
  readonly redisUrl?: string;
}

/** Tests send many wrong credentials from one address. */
const rates: GatewaySettings['rates'] = { ...defaultRateSettings, failedAuthPerAddress: 'off' };

export async function openStage(settings: StageSettings = {}): Promise<Stage> {
  const redisUrl = settings.redisUrl ?? inject('redisUrl');
  const store = new Store({ redisUrl, prefix: uniquePrefix(), ...settings.store }, settings.redisUrl ? ignore : fail);
  await store.start();
  await store.registry.announce(agents, 'test');
  const gateways: Gateway[] = [];

  async function open(gatewaySettings: Partial<GatewaySettings> = {}): Promise<string> {
    const gateway = createGateway(
      { port: 0, defaultAgent: 'echo', messageHoldMs: 20, rates, ...gatewaySettings },
      { store, log: pino({ level: 'silent' }) },
    );
    gateways.push(gateway);
    const { url } = await gateway.start();
    return url;
  }

  const url = await open(settings.gateway);
  const [gateway] = gateways;
  if (!gateway) throw new Error('no gateway');
  return {
    url,
    store,
    gateway,
    another: open,
    beginTurn: (taskId, job = 1, started = 1) => begun(store, taskId, { job, started }),
    taskIn: (contextId, agent = 'echo') =>
      until(() => firstTask(store, agent, contextId), { what: `context ${contextId} has a task` }),
    untilHistory: (taskId, length) =>
      until(() => hasHistory(url, taskId, length), { what: `task ${taskId} has ${length} messages` }),
    async [Symbol.asyncDispose]() {
      await Promise.all(gateways.map((each) => each.stop()));
      await store.stop();
    },
  };
}

/** Read from the store for any principal, since clients may not see the task yet. */
async function firstTask({ tasks }: Store, agent: string, contextId: string): Promise<string | undefined> {
  const query = { contextId, agents: [agent], limit: 1, historyLength: 0 };
  const principals = ['anonymous', 'alice'].map((subject) => ({ tenant: 'default', subject, scopes: [] }));
  const found = await Promise.all(principals.map((principal) => tasks.context(principal, query)));
  const [first] = found.flat();
  return first && JSON.parse(first.task).id;
}

async function hasHistory(url: string, taskId: string, length: number): Promise<boolean> {
  const { body } = await get<Task>(`${url}/tasks/${taskId}`);
  return body.history?.length === length;
}

function ignore(): void {
  // The connection is cut on purpose.
}

function fail(error: Error): void {
  throw error;
}
