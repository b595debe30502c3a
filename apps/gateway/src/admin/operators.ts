import type { IncomingHttpHeaders } from 'node:http';
import { A2AError } from '@switchyard/protocol';
import { hasKey } from '@switchyard/settings';
import type { Authentication } from '../auth/authentication.ts';
import type { AdminSettings } from '../settings/gateway-settings.ts';

/** Who asks on the operators' port. */
export interface Operator {
  /** `operator` (ADMIN_KEY), `metrics` (METRICS_KEY), or `tenant/subject` of a client that may administer. */
  readonly who: string;
  /** May read `/metrics`, and nothing else. */
  readonly isMetricsOnly: boolean;
}

const challenges = ['Bearer realm="switchyard operators"'];

export class Operators {
  #keys: Pick<AdminSettings, 'key' | 'metricsKey'>;
  readonly #clients: Authentication;

  /** @param clients those with the scope `admin` are operators, too */
  constructor(keys: Pick<AdminSettings, 'key' | 'metricsKey'>, clients: Authentication) {
    this.#keys = keys;
    this.#clients = clients;
  }

  reload(keys: Pick<AdminSettings, 'key' | 'metricsKey'>): void {
    this.#keys = keys;
  }

  /** @throws {A2AError} Unauthenticated, or PermissionDenied for a client that may not administer */
  async identify(headers: IncomingHttpHeaders): Promise<Operator> {
    const { key, metricsKey } = this.#keys;
    if (hasKey(headers, key)) return { who: 'operator', isMetricsOnly: false };
    if (metricsKey && hasKey(headers, metricsKey)) return { who: 'metrics', isMetricsOnly: true };
    if (this.#clients.securityRequirements.length === 0)
      throw new A2AError('Unauthenticated', 'The key of an operator is required', { challenges });
    const { principal, scopes } = this.#clients.recall({ headers }) ?? (await this.#clients.identify({ headers }));
    if (!scopes.includes('admin')) throw new A2AError('PermissionDenied', 'The key is not for operators');
    return { who: `${principal.tenant}/${principal.subject}`, isMetricsOnly: false };
  }
}
