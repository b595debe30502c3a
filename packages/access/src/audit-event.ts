/** What a caller did, or tried to do. */
export const auditActions = [
  'sign-in',
  'send',
  'read',
  'cancel',
  'event',
  'delete',
  'push-register',
  'push-delete',
  'refused',
  'admin',
  'key-create',
  'key-revoke',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** One line of the audit trail: who did what to which object, from where, with which outcome. No message contents. */
export interface AuditEvent {
  /** When the action ended; ISO time of the gateway. */
  readonly at: string;
  readonly what: AuditAction;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  /**
   * Why a caller is refused: what is wrong with its credential, or what it may not do, as in the answer to it. Only here
   * it says whether an agent that does not exist for the caller exists.
   */
  readonly reason?: string | undefined;
  /** The operation of A2A, or verb and path of the admin API with `:id` for ids. */
  readonly operation?: string | undefined;
  /** None for an operator key that is set in the environment. */
  readonly tenant?: string | undefined;
  readonly subject?: string | undefined;
  /** Names the credential, without its secret. */
  readonly credential?: string | undefined;
  /** IP address of the caller. */
  readonly address?: string | undefined;
  readonly agent?: string | undefined;
  /** Id of the task or other object of the action. */
  readonly object?: string | undefined;
  /** Of a created key: its owner, and what it may do. */
  readonly forTenant?: string | undefined;
  readonly forSubject?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly requestId?: string | undefined;
  /** What an operator asked of one of several deployments: its number. */
  readonly deployment?: number | undefined;
  /** Number of events that differ only in `at` and `requestId`; unset: one. */
  readonly count?: number | undefined;
}
