import type { AuditEvent } from '@switchyard/store';
import type { GatewayEvent } from './events.ts';

/** What was done, and what came of it. */
export type AuditEntry = Omit<AuditEvent, 'at' | 'count' | keyof Source | keyof Actor>;

/** Where the request came from. */
type Source = Pick<AuditEvent, 'address' | 'requestId'>;

/** Who is known to have asked. */
export type Actor = Pick<AuditEvent, 'tenant' | 'subject' | 'credential'>;

/** An event for the audit trail. */
export function audited(entry: AuditEntry, { address, requestId }: Source, actor?: Actor): GatewayEvent {
  return { kind: 'audited', event: { at: new Date().toISOString(), ...entry, ...actor, address, requestId } };
}
