/** What somebody did, or tried to. */
export const auditActions = [
  'sign-in',
  'send',
  'read',
  'cancel',
  'delete',
  'push-register',
  'push-delete',
  'refused',
  'admin',
  'key-create',
  'key-revoke',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** One line of the audit trail: who did what to what, from where, and what came of it. Nothing that anybody wrote. */
export interface AuditEvent {
  /** When it was over; ISO time of the gateway. */
  readonly at: string;
  readonly what: AuditAction;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  /** Of a refused credential: what is wrong with it, as its caller was told. */
  readonly reason?: string | undefined;
  /** The operation of A2A, or verb and path of the admin API with `:id` for ids. */
  readonly operation?: string | undefined;
  /** Of a key of the settings for operators: none. */
  readonly tenant?: string | undefined;
  readonly subject?: string | undefined;
  /** Names the credential, without its secret. */
  readonly credential?: string | undefined;
  /** Of the caller. */
  readonly address?: string | undefined;
  readonly agent?: string | undefined;
  /** Id of the task, or of whatever else it was done to. */
  readonly object?: string | undefined;
  /** Of a key that was made: whose it is, and what it may do. */
  readonly forTenant?: string | undefined;
  readonly forSubject?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly requestId?: string | undefined;
  /** How many there were that differ in nothing but `at` and `requestId`; unset: one. */
  readonly count?: number | undefined;
}
