import type { AuditEvent } from '@switchyard/store';
import type { GatewayEvent } from './events.ts';

/** What was done, and what came of it. */
export type Deed = Omit<AuditEvent, 'at' | 'count' | keyof Source | keyof Doer>;

/** Where the request came from. */
type Source = Pick<AuditEvent, 'address' | 'requestId'>;

/** Who is known to have asked. */
export type Doer = Pick<AuditEvent, 'tenant' | 'subject' | 'credential'>;

/** An event for the audit trail. */
export function audited(deed: Deed, { address, requestId }: Source, doer?: Doer): GatewayEvent {
  return { kind: 'audited', event: { at: new Date().toISOString(), ...deed, ...doer, address, requestId } };
}
