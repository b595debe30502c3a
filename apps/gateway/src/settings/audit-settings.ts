/** The audit trail. How much of it is kept, and for how long, the store knows. */
export interface AuditSettings {
  /** `changes`: all but reads. */
  readonly events: 'changes' | 'all' | 'off';
}

export const defaultAuditSettings: AuditSettings = { events: 'changes' };
