import { A2AError } from '@switchyard/protocol';
import { writeError } from '../bindings/rest.ts';
import { type Exchange, type Refusal, sourceOf } from '../exchange/exchange.ts';
import { type AuditEntry, audited } from '../telemetry/audit.ts';
import { toA2AError } from '../telemetry/failures.ts';
import type { Operator, Operators } from './operators.ts';

export interface AdmitParts extends Refusal {
  readonly operators: Operators;
}

export const metricsPath = '/metrics';
/** How much there is to do: for what scales workers, with the key of metrics. */
export const loadPath = '/admin/load';
const pathsOfMetrics: readonly string[] = [metricsPath, loadPath];

/** Who asks on the operators' port; undefined: it is refused, and the answer written. */
export async function admitOperator(context: AdmitParts, exchange: Exchange): Promise<Operator | undefined> {
  const { req } = exchange;
  let operator: Operator | undefined;
  try {
    operator = await context.operators.identify({ address: req.socket.remoteAddress, headers: req.headers });
    requireRight(operator, req.path);
    return operator;
  } catch (thrown) {
    const outcome = toA2AError(thrown).code;
    audit(context, exchange, { what: 'refused', operation: 'admin', outcome }, operator);
    writeError(context, exchange, thrown);
    return undefined;
  }
}

export function audit({ emit }: Refusal, exchange: Exchange, entry: AuditEntry, operator?: Operator): void {
  const { tenant, subject, credential } = operator ?? {};
  emit(audited(entry, sourceOf(exchange), { tenant, subject, credential }));
}

/** @throws {A2AError} PermissionDenied */
function requireRight({ may }: Operator, path: string): void {
  if (may === 'nothing') throw new A2AError('PermissionDenied', 'The key is not for operators');
  if (may === 'metrics' && !pathsOfMetrics.includes(path))
    throw new A2AError('PermissionDenied', `The key is for ${pathsOfMetrics.join(' and ')} alone`);
}
