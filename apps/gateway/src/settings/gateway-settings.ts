import type { AddressPolicySettings } from '@switchyard/outgoing';
import type { PublicJwk, SigningKey } from '@switchyard/settings';
import { type ConnectionLimits, defaultConnectionLimits, type TlsSettings } from './connection-settings.ts';
import type { AuthSettings } from './identity-settings.ts';
import {
  defaultRateSettings,
  defaultResourceSettings,
  type RateSettings,
  type ResourceSettings,
} from './limit-settings.ts';

/** The audit trail. Size and retention are settings of the store. */
export interface AuditSettings {
  /** `changes`: everything except reads. */
  readonly events: 'changes' | 'all' | 'off';
}

const defaultAuditSettings: AuditSettings = { events: 'changes' };

/** The operators' port and its key. */
export interface AdminSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** At least 16 characters. */
  readonly key: string;
  /** For `/metrics` and `/admin/load` only; unset: the operators' key is needed. */
  readonly metricsKey?: string | undefined;
  /** Serves the console, and the clients' paths to operators. Unset: no. */
  readonly hasConsole?: boolean;
  /** How the console signs in, besides keys. */
  readonly oidc?: OidcSettings | undefined;
}

/** An issuer of tokens for the console. */
export interface OidcSettings {
  readonly issuer: string;
  /** Of a public client, which has no secret. */
  readonly clientId: string;
  /** The audience of the tokens. */
  readonly audience: string;
  /** Separated by spaces. */
  readonly scopes: string;
}

/** Where the gRPC binding listens. */
export interface GrpcSettings {
  /** 0: any free port. */
  readonly port: number;
  /** `host:port` for agent cards; `auto`: the host of the card's URLs, and the port; unset: cards do not name gRPC. */
  readonly publicAddress?: string | undefined;
  /** Unset: without TLS, for example behind a proxy that terminates it. */
  readonly tls?: TlsSettings | undefined;
}

/** Limits of one gRPC connection. */
export interface GrpcLimits {
  /** Concurrent calls. */
  readonly streams: number;
  /** Bytes queued for sending, headers included. Beyond it the connection accepts no new calls. */
  readonly bytes: number;
  /** A call whose message has not arrived in this time is refused. */
  readonly messageMs: number;
  /** How long a connection stays open without a call. */
  readonly idleMs: number;
  /** A connection of this age accepts no new calls. */
  readonly ageMs: number;
  /** How long calls of such a connection may continue. */
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

/** The gateway's settings of push notifications; workers deliver them. */
export interface PushSettings {
  /** The allowed addresses of webhooks. */
  readonly policy: AddressPolicySettings;
  /** Public keys of the signatures of deliveries. */
  readonly publicKeys: readonly PublicJwk[];
  /**
   * Stores tokens and credentials in clear text, instead of refusing them, if callers authenticate but there is no
   * secret.
   */
  readonly allowsClear: boolean;
  /** Asks a webhook for its consent before it is stored. */
  readonly asksConsent: boolean;
}

const defaultPushSettings: PushSettings = {
  policy: { allowHttp: false, allowHosts: [] },
  publicKeys: [],
  allowsClear: false,
  asksConsent: false,
};

/** Where files are, and how large they may be, in bytes. */
export interface FileSettings {
  /** Of their folder or bucket. */
  readonly url: string;
  /** They are encrypted with the first secret, and decrypted with any of them. None: they are stored in clear. */
  readonly secrets?: readonly string[];
  readonly maxFileBytes: number;
  readonly maxBytesPerPrincipal: number;
  /** What parts have as `raw` with more bytes is stored there. Unset: it stays in its task. */
  readonly inlineBytes?: number | undefined;
}

/** The version of a request that names none: that of its method or path, or 0.3, as in A2A 3.6.2. */
export type MissingVersion = 'by-shape' | '0.3';

/** The settings of a gateway. Times in milliseconds, sizes in bytes, unless the name says otherwise. */
export interface GatewaySettings {
  /** Address to listen on. Other than loopback needs authentication or `allowAnonymous`. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Unset: plain HTTP, for example behind a proxy that terminates TLS. */
  readonly tls?: TlsSettings | undefined;
  readonly connections: ConnectionLimits;
  /** Unset: no gRPC. */
  readonly grpc?: GrpcSettings | undefined;
  readonly grpcLimits: GrpcLimits;
  /** Undefined: no push notifications. */
  readonly push: PushSettings | undefined;
  /** Unset: no files outside of tasks. */
  readonly files?: FileSettings | undefined;
  /** Serves clients of A2A 0.3, too, at the same URLs. */
  readonly legacyV03: boolean;
  /** Serves requests of A2A 1.1, too, as far as implemented: docs/a2a-1-1.md. */
  readonly preview: boolean;
  /** Serves agents as tools of the Model Context Protocol at `/mcp`. */
  readonly mcp: boolean;
  /** The version of a request without one: `by-shape`, that of the method or path; `0.3`, as in A2A 3.6.2. */
  readonly missingVersion: MissingVersion;
  /** Fields of a message's configuration that its version does not have: `ignore` names them in a header. */
  readonly unknownConfiguration: 'ignore' | 'refuse';
  /** Base URL for clients, in agent cards; unset: the Host of the request. */
  readonly publicUrl?: string | undefined;
  /** The default agent, served at the root; unset: the first announced one by name. */
  readonly defaultAgent?: string | undefined;
  /** Unset: no operators' port, and no metrics. */
  readonly admin?: AdminSettings | undefined;
  readonly auth: AuthSettings;
  readonly audit: AuditSettings;
  /** What SendMessage does by default (`blocking` in A2A 3.2.2). */
  readonly sendMode: 'blocking' | 'immediate';
  /**
   * Maximum wait of a blocking SendMessage, below the 60 s after which most proxies give up. Infinity: the strict
   * reading of A2A 3.2.2.
   */
  readonly blockingWaitMs: number;
  /**
   * How long a stream holds a new task back for the agent's first event: if that is a plain message, there is no task
   * (A2A 3.1.2).
   */
  readonly messageHoldMs: number;
  /** Shortest time between two tasks of one schedule. */
  readonly minCronIntervalMs: number;
  /**
   * Whether an agent's acknowledgement releases the waiting caller. False: only an outcome or a question does (A2A
   * 3.2.2).
   */
  readonly acknowledgedIsAnswered: boolean;
  /** How long CancelTask waits for a running turn to stop before it answers with the current task. */
  readonly cancelWaitMs: number;
  /** Maximum wait for `Prefer: wait`, or `currentGeneration` of A2A 1.1. */
  readonly maxPollWaitMs: number;
  /** A request that waits for Redis longer than this gets 503. */
  readonly storeTimeoutMs: number;
  /** A stream without an event for this long gets a comment, so that proxies do not close it. */
  readonly heartbeatMs: number;
  /** A client that reads nothing for this long is disconnected. */
  readonly clientStallMs: number;
  /** Interval for reading the announced agents again, besides notifications. */
  readonly agentRefreshMs: number;
  /** How long `stop()` lets requests finish before it closes their connections. */
  readonly drainMs: number;
  readonly maxBodyBytes: number;
  /** Maximum number of values in a request: see `hasMoreValues`. */
  readonly maxBodyValues: number;
  readonly resources: ResourceSettings;
  readonly rates: RateSettings;
  /** Agents in ARD's manifest; unset: all without authentication, otherwise the default agent. */
  readonly ard?: 'all' | 'default-agent' | 'off' | undefined;
  /** How long clients may cache an agent card. */
  readonly cardMaxAgeSeconds: number;
  /** Each signs every agent card: none for unsigned cards, two during a rotation. Requires `publicUrl`. */
  readonly cardSigningKeys: readonly SigningKey[];
  /** Allowed Host names, with or without a port. Unset: see `Origins`. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins whose pages may send requests and read answers; `*`: any, with authentication. */
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
  unknownConfiguration: 'ignore',
  auth: { allowAnonymous: false },
  audit: defaultAuditSettings,
  sendMode: 'blocking',
  blockingWaitMs: 50_000,
  acknowledgedIsAnswered: true,
  messageHoldMs: 2_000,
  minCronIntervalMs: 60_000,
  cancelWaitMs: 2_000,
  maxPollWaitMs: 50_000,
  storeTimeoutMs: 5_000,
  heartbeatMs: 15_000,
  clientStallMs: 60_000,
  agentRefreshMs: 5_000,
  drainMs: 3_000,
  maxBodyBytes: 5 * 1024 * 1024,
  maxBodyValues: 50_000,
  resources: defaultResourceSettings,
  rates: defaultRateSettings,
  cardMaxAgeSeconds: 60,
  cardSigningKeys: [],
  allowedOrigins: [],
  trustProxy: false,
};
