import type { IncomingHttpHeaders } from 'node:http';
import { A2AError } from '@switchyard/protocol';
import { hasKey } from '@switchyard/settings';
import type { Authentication } from '../auth/authentication.ts';
import type { AdminSettings } from '../settings/gateway-settings.ts';

/** Who asks on the operators' port. */
export interface Operator {
  /** Of a client; the keys of the settings have none. */
  readonly tenant?: string;
  /** `operator` (ADMIN_KEY), `metrics` (METRICS_KEY), or that of a client. */
  readonly subject: string;
  /** Names the credential, without its secret. */
  readonly credential: string;
  /** Metrics: `/metrics`, and nothing else. */
  readonly may: 'all' | 'metrics' | 'nothing';
}

/** For people. */
export function nameOf({ tenant, subject }: Operator): string {
  return tenant === undefined ? subject : `${tenant}/${subject}`;
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

  /** Clients are told who they are, too: what they may do is to be asked. @throws {A2AError} Unauthenticated */
  async identify(headers: IncomingHttpHeaders): Promise<Operator> {
    const { key, metricsKey } = this.#keys;
    if (hasKey(headers, key)) return { subject: 'operator', credential: 'key:operator', may: 'all' };
    if (metricsKey && hasKey(headers, metricsKey))
      return { subject: 'metrics', credential: 'key:metrics', may: 'metrics' };
    if (this.#clients.securityRequirements.length === 0)
      throw new A2AError('Unauthenticated', 'The key of an operator is required', { challenges });
    const client = this.#clients.recall({ headers }) ?? (await this.#clients.identify({ headers }));
    const { tenant, subject } = client.principal;
    return { tenant, subject, credential: client.credential, may: client.scopes.includes('admin') ? 'all' : 'nothing' };
  }
}
