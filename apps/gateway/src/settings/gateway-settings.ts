import type { AddressPolicySettings } from '@switchyard/outgoing';
import type { PublicJwk, SigningKey } from '@switchyard/settings';
import { type ConnectionLimits, defaultConnectionLimits, type TlsSettings } from './connection-settings.ts';
import type { AuthSettings } from './identity-settings.ts';
import {
  defaultRateSettings,
  defaultSharesSettings,
  type RateSettings,
  type SharesSettings,
} from './limit-settings.ts';

/** The audit trail. How much of it is kept, and for how long, the store knows. */
export interface AuditSettings {
  /** `changes`: all but reads. */
  readonly events: 'changes' | 'all' | 'off';
}

const defaultAuditSettings: AuditSettings = { events: 'changes' };

/** The admin port and its key. */
export interface AdminSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** At least 16 characters. */
  readonly key: string;
  /** For `/metrics` alone; unset: the other key is. */
  readonly metricsKey?: string | undefined;
  /** Serves the console, and to its operators what clients are served. Unset: no. */
  readonly hasConsole?: boolean;
  /** How the console signs in beside keys. */
  readonly oidc?: OidcSettings | undefined;
}

/** An issuer of tokens for the console. */
export interface OidcSettings {
  readonly issuer: string;
  /** Of a public client: it has no secret. */
  readonly clientId: string;
  /** What the tokens are for. */
  readonly audience: string;
  /** Apart by blanks. */
  readonly scopes: string;
}

/** How the gRPC binding listens. */
export interface GrpcSettings {
  /** 0: any free port. */
  readonly port: number;
  /**
   * `host:port` for clients, in agent cards; `auto`: the host of the card’s own URLs, and the port; unset: on no card.
   */
  readonly publicAddress?: string | undefined;
  /** Unset: without TLS, as behind a proxy that terminates it. */
  readonly tls?: TlsSettings | undefined;
}

/** Limits of one gRPC connection. */
export interface GrpcLimits {
  /** Calls at a time. */
  readonly streams: number;
  /** Bytes queued for sending, and headers. Beyond it the connection gets no new calls. */
  readonly bytes: number;
  /** A call whose message has not arrived in this time is refused. */
  readonly messageMs: number;
  /** How long a connection stays open without a call. */
  readonly idleMs: number;
  /** A connection of this age takes no new calls. */
  readonly ageMs: number;
  /** How long the calls of such a connection go on. */
  readonly ageGraceMs: number;
}

export const defaultGrpcLimits: GrpcLimits = {
  streams: 1_000,
  bytes: 128 * 1024 * 1024,
  messageMs: 30_000,
  idleMs: 15 * 60_000,
  ageMs: 3_600_000,
  ageGraceMs: 3_600_000,
};

/** Settings of push notifications for gateways; workers deliver them. */
export interface PushSettings {
  /** The allowed addresses of webhooks. */
  readonly policy: AddressPolicySettings;
  /** Public keys of the deliveries' signatures. */
  readonly publicKeys: readonly PublicJwk[];
  /** With authentication and no secret to encrypt them: stores tokens and credentials in clear, rather than refuse them. */
  readonly allowsClear: boolean;
  /** Asks a webhook whether it wants to be called, before it is stored. */
  readonly asksConsent: boolean;
}

const defaultPushSettings: PushSettings = {
  policy: { allowHttp: false, allowHosts: [] },
  publicKeys: [],
  allowsClear: false,
  asksConsent: false,
};

/** The version of a request that names none: that of its method or path, or 0.3, as in A2A 3.6.2. */
export type MissingVersion = 'by-shape' | '0.3';

/** The settings of a gateway. Times in milliseconds, sizes in bytes, unless the name says otherwise. */
export interface GatewaySettings {
  /** Address to listen on. Anything but loopback needs authentication, or `allowAnonymous`. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Unset: plain HTTP, as behind a proxy that terminates TLS. */
  readonly tls?: TlsSettings | undefined;
  readonly connections: ConnectionLimits;
  /** Unset: no gRPC. */
  readonly grpc?: GrpcSettings | undefined;
  readonly grpcLimits: GrpcLimits;
  /** Undefined: no push notifications. */
  readonly push: PushSettings | undefined;
  /** Serves clients of A2A 0.3 as well, at the same URLs. */
  readonly legacyV03: boolean;
  /** Serves requests of A2A 1.1, too, as far as its draft goes: docs/a2a-1-1.md. */
  readonly preview: boolean;
  /** Serves agents as tools of the Model Context Protocol under `/mcp`. */
  readonly mcp: boolean;
  /** The version of a request without one: `by-shape`, that of the method or path; `0.3`, as in A2A 3.6.2. */
  readonly missingVersion: MissingVersion;
  /** Base URL for clients, in agent cards; unset: the host of the request for the card. */
  readonly publicUrl?: string | undefined;
  /** Agent served at the root; unset: the first announced one by name. */
  readonly defaultAgent?: string | undefined;
  /** Unset: no admin port, and no metrics. */
  readonly admin?: AdminSettings | undefined;
  readonly auth: AuthSettings;
  readonly audit: AuditSettings;
  /** What SendMessage does by default (`blocking` in A2A 3.2.2). */
  readonly sendMode: 'blocking' | 'immediate';
  /**
   * Longest wait of a blocking SendMessage, below the 60 s after which most proxies give up. Infinity: the strict
   * reading of A2A 3.2.2.
   */
  readonly blockingWaitMs: number;
  /**
   * How long a stream holds a new task back for the agent's first event: if that is a plain message, there is no task
   * (A2A 3.1.2).
   */
  readonly messageHoldMs: number;
  /**
   * Whether an agent that acknowledges a message releases the waiting caller. False: only its outcome or a question
   * does (A2A 3.2.2).
   */
  readonly acknowledgedIsReleased: boolean;
  /** How long CancelTask waits for a running turn to stop before it answers the task as it is. */
  readonly cancelWaitMs: number;
  /** Longest wait that `Prefer: wait`, or `currentGeneration` of A2A 1.1, can ask for. */
  readonly maxPollWaitMs: number;
  /** A request that waits this long for Redis ends with 503. */
  readonly storeTimeoutMs: number;
  /** A stream without an event for this long gets a comment, so that no proxy closes it. */
  readonly heartbeatMs: number;
  /** A client that reads nothing for this long is disconnected. */
  readonly clientStallMs: number;
  /** How often the announced agents are read again, besides after notifications. */
  readonly agentRefreshMs: number;
  /** How long `stop()` lets requests finish before it closes their connections. */
  readonly drainMs: number;
  readonly maxBodyBytes: number;
  readonly shares: SharesSettings;
  readonly rates: RateSettings;
  /** Which agents the manifest of ARD has; unset: all without authentication, else the one at the root. */
  readonly ard?: 'all' | 'default-agent' | 'off' | undefined;
  /** How long clients may cache an agent card. */
  readonly cardMaxAgeSeconds: number;
  /** Each signs every agent card: none for unsigned cards, two during a rotation. They need `publicUrl`. */
  readonly cardSigningKeys: readonly SigningKey[];
  /** Names of this gateway, with or without a port. Unset: see `Origins`. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins whose pages may ask, and read the answers; `*`: any, with authentication. */
  readonly allowedOrigins: readonly string[];
  /** Trusts `X-Forwarded-Host` and `X-Forwarded-Proto`; only behind a proxy that sets them. */
  readonly trustProxy: boolean;
}

export const defaultGatewaySettings: GatewaySettings = {
  host: '127.0.0.1',
  port: 4000,
  connections: defaultConnectionLimits,
  grpcLimits: defaultGrpcLimits,
  push: defaultPushSettings,
  legacyV03: true,
  preview: false,
  mcp: false,
  missingVersion: 'by-shape',
  auth: { allowAnonymous: false },
  audit: defaultAuditSettings,
  sendMode: 'blocking',
  blockingWaitMs: 50_000,
  acknowledgedIsReleased: true,
  messageHoldMs: 2_000,
  cancelWaitMs: 2_000,
  maxPollWaitMs: 50_000,
  storeTimeoutMs: 5_000,
  heartbeatMs: 15_000,
  clientStallMs: 60_000,
  agentRefreshMs: 5_000,
  drainMs: 3_000,
  maxBodyBytes: 5 * 1024 * 1024,
  shares: defaultSharesSettings,
  rates: defaultRateSettings,
  cardMaxAgeSeconds: 60,
  cardSigningKeys: [],
  allowedOrigins: [],
  trustProxy: false,
};
