import type { Ops } from '@switchyard/store';
import { apiKeys } from '../auth/api-keys.ts';
import { Authentication } from '../auth/authentication.ts';
import { Listener } from '../http/listener.ts';
import { type AdminSettings, defaultGatewaySettings } from '../settings/gateway-settings.ts';
import type { Emit } from '../telemetry/events.ts';
import type { GatewayMetrics } from '../telemetry/metrics.ts';
import { createAdminApp } from './admin-app.ts';

export interface AdminParts {
  readonly ops: Ops;
  readonly metrics: GatewayMetrics;
  readonly emit: Emit;
}

/** The operators' own port. */
export class AdminPort {
  readonly #settings: AdminSettings;
  readonly #listener: Listener;

  constructor(settings: AdminSettings, { metrics, ...parts }: AdminParts) {
    this.#settings = settings;
    const operator = { key: settings.key, subject: 'operator', tenant: '', scopes: [] };
    this.#listener = new Listener(
      createAdminApp({
        ...parts,
        authenticator: new Authentication([apiKeys([operator])]),
        metrics: () => metrics.text(),
      }),
      defaultGatewaySettings.clientStallMs,
    );
  }

  /** @returns where it listens */
  open(): Promise<string> {
    return this.#listener.open(this.#settings.host, this.#settings.port);
  }

  close(drainMs: number): Promise<void> {
    return this.#listener.close(drainMs);
  }
}
