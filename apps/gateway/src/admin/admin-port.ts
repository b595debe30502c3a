import type { Ops } from '@switchyard/store';
import { apiKeys } from '../auth/api-keys.ts';
import { Listener } from '../http/listener.ts';
import type { StreamSlots } from '../limits/stream-slots.ts';
import { askInTime } from '../limits/with-store-deadline.ts';
import type { AdminSettings } from '../settings/gateway-settings.ts';
import type { Observe } from '../telemetry/events.ts';
import { GatewayMetrics } from '../telemetry/metrics.ts';
import { createAdminApp } from './admin-app.ts';

export interface AdminParts {
  readonly store: { readonly ops: Ops; readonly isAnswering: boolean };
  readonly storeTimeoutMs: number;
  readonly streams: StreamSlots;
  readonly observe: Observe;
}

/** The operators' own port. */
export class AdminPort {
  readonly metrics: GatewayMetrics;
  readonly #settings: AdminSettings;
  readonly #listener: Listener;

  constructor(settings: AdminSettings, { store, storeTimeoutMs, streams, observe }: AdminParts) {
    const inTime = <T>(question: () => Promise<T>): Promise<T> => askInTime(store, storeTimeoutMs, question);
    this.#settings = settings;
    this.metrics = new GatewayMetrics({
      openStreams: () => streams.taken,
      isRedisUp: () => store.isAnswering,
      agents: () => inTime(() => store.ops.agents.list()),
      dead: () => inTime(() => store.ops.dead.count()),
    });
    const app = createAdminApp({
      ops: store.ops,
      inTime,
      authenticator: apiKeys([{ key: settings.key, subject: 'operator', tenant: '', scopes: [] }]),
      observe,
      metrics: () => this.metrics.text(),
    });
    this.#listener = new Listener(app);
  }

  /** @returns where it listens */
  open(): Promise<string> {
    return this.#listener.open(this.#settings.host, this.#settings.port);
  }

  close(drainMs: number): Promise<void> {
    return this.#listener.close(drainMs);
  }
}
