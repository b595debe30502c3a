import { type OpenTurn, Store, type StoreSettings, type TaskArchive } from '@switchyard/store';
import { type DestinationStream, pino } from 'pino';
import { inject } from 'vitest';
import { uniquePrefix } from '../../../../tests/support/prefix.ts';
import { beginTurn, begun } from '../../../../tests/support/store/drive.ts';
import { createGateway, type GatewaySettings } from '../../src/index.ts';
import { agents } from '../support/agents.ts';
import type { Answer, ErrorBody } from '../support/client.ts';

export const key = 'a-key-for-operators';

/** A gateway with an operators' port, on its own store. */
export interface AdminStage extends AsyncDisposable {
  readonly url: string;
  readonly store: Store;
  /** Sends a request to the operators' port, with the key. */
  ask<Body>(path: string, verb?: string): Promise<Answer<Body>>;
  readonly adminUrl: string;
  /** Stops the gateway, so that the store can be read afterwards. */
  stopGateway(): Promise<void>;
  /** Lines of the log. */
  readonly log: readonly string[];
}

export async function openAdminStage(
  settings: Partial<StoreSettings> = {},
  {
    metricsKey,
    archive,
    ...gatewaySettings
  }: Partial<GatewaySettings> & { metricsKey?: string; archive?: TaskArchive } = {},
): Promise<AdminStage> {
  const place = { redisUrl: inject('redisUrl'), prefix: uniquePrefix() };
  const store = new Store({ ...place, ...settings }, () => undefined, archive);
  await store.start();
  await store.registry.announce(agents, 'test');
  const log: string[] = [];
  const destination: DestinationStream = { write: (line) => void log.push(line) };
  const gateway = createGateway(
    {
      port: 0,
      drainMs: 200,
      defaultAgent: 'echo',
      admin: { host: '127.0.0.1', port: 0, key, metricsKey },
      ...gatewaySettings,
    },
    { store, log: pino({ level: 'debug' }, destination) },
  );
  const { url, adminUrl = '' } = await gateway.start();
  return {
    url,
    adminUrl,
    store,
    log,
    ask: async (path, verb = 'GET') => {
      const response = await fetch(adminUrl + path, { method: verb, headers: { authorization: `Bearer ${key}` } });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
    },
    stopGateway: () => gateway.stop(),
    async [Symbol.asyncDispose]() {
      await gateway.stop();
      await store.stop();
    },
  };
}

/** The fields that an error names. */
export function fieldsOf({ body }: Answer<ErrorBody>): string[] {
  return (body.error.details ?? []).flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field));
}

/** Begins a turn as a worker does. */
export function begin(store: Store, taskId: string, started = 1): Promise<OpenTurn> {
  return begun(store, taskId, { started });
}

/** Fails every attempt at the message, so that its turn becomes a dead letter. */
export async function failAllAttempts(store: Store, taskId: string): Promise<void> {
  for (let started = 1; started <= store.settings.maxAttempts; started++) await begin(store, taskId, started);
  await beginTurn(store, { taskId, started: store.settings.maxAttempts + 1 });
}
