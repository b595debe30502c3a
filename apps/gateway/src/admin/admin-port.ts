import type { RequestListener } from 'node:http';
import type { Authentication } from '../auth/authentication.ts';
import { Listener } from '../http/listener.ts';
import type { Rates } from '../limits/rates.ts';
import { defaultConnectionLimits } from '../settings/connection-settings.ts';
import { type AdminSettings, defaultGatewaySettings } from '../settings/gateway-settings.ts';
import type { Emit } from '../telemetry/events.ts';
import type { GatewayMetrics } from '../telemetry/metrics.ts';
import { createAdminApp } from './admin-app.ts';
import type { AdminBackends } from './admin-backends.ts';
import { OperatorStreams } from './live.ts';
import { Operators } from './operators.ts';

export interface AdminDependencies {
  readonly clients: Authentication;
  readonly rates: Rates;
  readonly backends: AdminBackends;
  readonly metrics: GatewayMetrics;
  readonly emit: Emit;
  /** The handler of the clients' paths. */
  readonly served: RequestListener;
}

/** The operators' own port. */
export class AdminPort {
  readonly #settings: AdminSettings;
  readonly #listener: Listener;
  readonly #operators: Operators;
  readonly #streams = new OperatorStreams();
  readonly #backends: AdminBackends;

  constructor(settings: AdminSettings, { clients, rates, served, ...dependencies }: AdminDependencies) {
    this.#settings = settings;
    this.#backends = dependencies.backends;
    const operators = new Operators(settings, clients, rates);
    this.#operators = operators;
    const consoleDependencies = settings.hasConsole ? { served, oidc: settings.oidc } : undefined;
    const app = createAdminApp({
      ...dependencies,
      operators,
      streams: this.#streams,
      console: consoleDependencies,
    });
    this.#listener = new Listener(app, {
      stallMs: defaultGatewaySettings.clientStallMs,
      connections: defaultConnectionLimits,
    });
  }

  /** @returns its URL */
  open(): Promise<string> {
    this.#backends.start();
    return this.#listener.open(this.#settings.host, this.#settings.port);
  }

  /** Replaces the keys. */
  reload(settings: AdminSettings): void {
    this.#operators.reload(settings);
    this.#streams.reload();
  }

  close(drainMs: number): Promise<void> {
    this.#streams.end();
    this.#backends.stop();
    return this.#listener.close(drainMs);
  }
}
