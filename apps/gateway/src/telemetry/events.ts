import type { AuditEvent } from '@switchyard/store';

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
  | { readonly kind: 'agents-unreadable'; readonly err: unknown }
  /** Too many are open, or too many from the last address. Once a minute. */
  | { readonly kind: 'connections-refused'; readonly open: number; readonly address: string }
  | { readonly kind: 'issuer-unreadable'; readonly issuer: string; readonly err: unknown }
  /** Wrong credentials come so often from an address that others of it are not looked at. Once a minute for each. */
  | { readonly kind: 'credentials-guessed'; readonly address: string }
  /** Duration until the answer, or until a stream begins. `outcome` is ok, or the code of the error. */
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
    } & Caller)
  /** A stream goes on after the last event that its client has received. */
  | { readonly kind: 'stream-resumed' }
  /** For the audit trail. */
  | { readonly kind: 'audited'; readonly event: AuditEvent }
  /** Events that never come into the audit trail: Redis did not take them for too long. */
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

/** The name of a request. The path is without its query, which may hold secrets. */
export interface RequestName {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
}

export type Emit = (event: GatewayEvent) => void;
