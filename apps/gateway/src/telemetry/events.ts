import type { AuditEvent } from '@switchyard/access';

/** The events of a gateway, which emit.ts turns into log lines, metrics, and the audit trail. */
export type GatewayEvent =
  | {
      readonly kind: 'listening';
      readonly grpcPort: number | undefined;
      readonly adminUrl?: string | undefined;
      readonly url: string;
    }
  | { readonly kind: 'stopping'; readonly drainMs: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'push-in-clear' }
  | { readonly kind: 'agents-changed'; readonly agents: readonly string[] }
  /** One of several deployments cannot be reached: requests that need it get 503. */
  | { readonly kind: 'deployment-away'; readonly deployment: number }
  | { readonly kind: 'deployment-answers'; readonly deployment: number }
  | { readonly kind: 'deployment-refuses'; readonly deployment: number; readonly err: unknown }
  | { readonly kind: 'agents-unreadable'; readonly err: unknown }
  /** Too many connections are open, in total or from the last address. Once a minute. */
  | { readonly kind: 'connections-refused'; readonly open: number; readonly address: string }
  | { readonly kind: 'issuer-without-keys'; readonly issuer: string }
  | { readonly kind: 'issuer-unreadable'; readonly issuer: string; readonly err: unknown }
  /** An address sends so many wrong credentials that new ones from it are not checked. Once a minute per address. */
  | { readonly kind: 'credentials-guessed'; readonly address: string }
  /** Duration until the answer, or until a stream starts. `outcome` is ok, or the error code. */
  | {
      readonly kind: 'operation-finished';
      readonly operation: string;
      readonly outcome: string;
      readonly durationMs: number;
    }
  /** Not emitted for a retry. */
  | ({
      readonly kind: 'message-accepted';
      readonly agent: string;
      readonly taskId: string;
      readonly contextId: string;
      readonly isNew: boolean;
      /** When its task begins; unset: at once. ISO time. */
      readonly at?: string;
    } & Caller)
  /** No worker has begun a message in its time to live, and none is there to reject it. */
  | { readonly kind: 'message-rejected'; readonly agent: string; readonly taskId: string }
  | { readonly kind: 'messages-not-rejected'; readonly err: unknown }
  /** A stream continues after the last event that its client had received. */
  | { readonly kind: 'stream-resumed' }
  /** A request for a file is answered. `outcome` is ok, or the error code; `bytes` were got or sent. */
  | {
      readonly kind: 'file-request';
      readonly operation: 'UploadFile' | 'ReadFile' | 'DeleteFile';
      readonly outcome: string;
      readonly bytes: number;
    }
  /** `FILES_URL` is away or full: a large `raw` part stays in its task. */
  | { readonly kind: 'raw-not-moved'; readonly agent: string; readonly err: unknown }
  /** `FILES_URL` is away: a client that wants `raw` gets URLs. */
  | { readonly kind: 'raw-not-read'; readonly agent: string; readonly err: unknown }
  /** For the audit trail. */
  | { readonly kind: 'audited'; readonly event: AuditEvent }
  /** Audit events that were lost because Redis was unreachable for too long. */
  | { readonly kind: 'audit-dropped'; readonly count: number }
  /** An operator has changed something. */
  | ({ readonly kind: 'admin-action'; readonly who: string } & RequestName)
  | ({ readonly kind: 'answered'; readonly status: number; readonly durationMs: number } & RequestName)
  | ({ readonly kind: 'refused'; readonly code: string; readonly err: unknown } & RequestName)
  | ({ readonly kind: 'failed'; readonly code: string; readonly err: unknown } & RequestName);

/** Who sends a request, and from where. */
export interface Caller {
  readonly requestId: string;
  readonly tenant: string;
  readonly subject: string;
  readonly credential: string | undefined;
  readonly address: string | undefined;
}

/** Identifies a request in logs. The path is without its query, which may hold secrets. */
export interface RequestName {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
}

export type Emit = (event: GatewayEvent) => void;
