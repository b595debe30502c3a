import { A2AError } from '@switchyard/protocol';
import { hasKey } from '@switchyard/settings';
import { isGuess } from '../admission/gate.ts';
import type { Authentication } from '../auth/authentication.ts';
import type { PresentedCredentials } from '../auth/authenticator.ts';
import type { Identity } from '../auth/identity.ts';
import { writeError } from '../bindings/rest.ts';
import { type Exchange, type FailureContext, sourceOf } from '../exchange/exchange.ts';
import type { Rates } from '../limits/rates.ts';
import type { AdminSettings } from '../settings/gateway-settings.ts';
import { type AuditEntry, audited } from '../telemetry/audit.ts';
import { toA2AError } from '../telemetry/failures.ts';

/** The caller on the operators' port. */
export interface Operator {
  /** Only of a client; the keys in settings have none. */
  readonly tenant?: string;
  /** `operator` (ADMIN_KEY), `metrics` (METRICS_KEY), or the client's subject. */
  readonly subject: string;
  /** Names the credential, without its secret. */
  readonly credential: string;
  /** `metrics`: only `/metrics` and `/admin/load`. */
  readonly may: 'all' | 'metrics' | 'nothing';
  /** Only of a client: called once, when its credential expires or is revoked. */
  readonly onEnd?: Identity['onEnd'];
}

interface AddressedRequest extends PresentedCredentials {
  readonly address: string | undefined;
}

/** The name for people. */
export function operatorName({ tenant, subject }: Operator): string {
  return tenant === undefined ? subject : `${tenant}/${subject}`;
}

const challenges = ['Bearer realm="switchyard operators"'];

export class Operators {
  #keys: Pick<AdminSettings, 'key' | 'metricsKey'>;
  readonly #clients: Authentication;
  readonly #rates: Rates;

  /**
   * @param clients those with the scope `admin` are operators, too
   * @param rates wrong keys count as on the clients' port
   */
  constructor(keys: Pick<AdminSettings, 'key' | 'metricsKey'>, clients: Authentication, rates: Rates) {
    this.#keys = keys;
    this.#clients = clients;
    this.#rates = rates;
  }

  reload(keys: Pick<AdminSettings, 'key' | 'metricsKey'>): void {
    this.#keys = keys;
  }

  /**
   * Also identifies clients without the scope `admin`; check what they may do separately. @throws {A2AError}
   * Unauthenticated, RateLimited
   */
  async identify(request: AddressedRequest): Promise<Operator> {
    const { headers } = request;
    const { key, metricsKey } = this.#keys;
    if (hasKey(headers, key)) return { subject: 'operator', credential: 'key:operator', may: 'all' };
    if (metricsKey && hasKey(headers, metricsKey))
      return { subject: 'metrics', credential: 'key:metrics', may: 'metrics' };
    const client = await this.#client(request);
    const { tenant, subject } = client.principal;
    const may = client.scopes.includes('admin') ? 'all' : 'nothing';
    return { tenant, subject, credential: client.credential, may, onEnd: (listener) => client.onEnd(listener) };
  }

  async #client({ address, headers }: AddressedRequest): Promise<Identity> {
    const hasClients = this.#clients.securityRequirements.length > 0;
    const known = hasClients ? this.#clients.cachedIdentity({ headers }) : undefined;
    if (known) return known;
    if (!hasClients || !this.#clients.hasVerified({ headers })) this.#rates.requireFewFailures(address);
    try {
      if (hasClients) return await this.#clients.identify({ headers });
      throw new A2AError('Unauthenticated', 'The key of an operator is required', { challenges });
    } catch (thrown) {
      if (isGuess(thrown, { headers })) this.#rates.failed(address);
      throw thrown;
    }
  }
}

export interface AdmitDependencies extends FailureContext {
  readonly operators: Operators;
}

export const metricsPath = '/metrics';
/** Load figures for autoscalers, which have only the metrics key. */
export const loadPath = '/admin/load';
const pathsOfMetrics: readonly string[] = [metricsPath, loadPath];

/** The caller on the operators' port; undefined: it was refused, and the error written. */
export async function admitOperator(context: AdmitDependencies, exchange: Exchange): Promise<Operator | undefined> {
  const { req } = exchange;
  let operator: Operator | undefined;
  try {
    operator = await context.operators.identify({ address: req.socket.remoteAddress, headers: req.headers });
    requireRight(operator, req.path);
    return operator;
  } catch (thrown) {
    const { code: outcome, message } = toA2AError(thrown);
    const reason = outcome === 'PermissionDenied' || outcome === 'Unauthenticated' ? message : undefined;
    audit(context, exchange, { what: 'refused', operation: 'admin', outcome, reason }, operator);
    writeError(context, exchange, thrown);
    return undefined;
  }
}

export function audit({ emit }: FailureContext, exchange: Exchange, entry: AuditEntry, operator?: Operator): void {
  const { tenant, subject, credential } = operator ?? {};
  emit(audited(entry, sourceOf(exchange), { tenant, subject, credential }));
}

/** @throws {A2AError} PermissionDenied */
function requireRight({ may }: Operator, path: string): void {
  if (may === 'nothing') throw new A2AError('PermissionDenied', 'The key is not for operators');
  if (may === 'metrics' && !pathsOfMetrics.includes(path))
    throw new A2AError('PermissionDenied', `The key is for ${pathsOfMetrics.join(' and ')} alone`);
}
