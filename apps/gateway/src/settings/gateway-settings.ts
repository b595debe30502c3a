import type { PublicJwk, SigningKey } from '@switchyard/settings';
import type { WebhookPolicySettings } from '@switchyard/store';
import type { MissingVersion } from '../call/service-parameters.ts';

/** Where operators reach a gateway, and the key that lets them in. */
export interface AdminSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** At least 16 characters. */
  readonly key: string;
}

/** Who may call. */
export type AuthSettings = NoAuthSettings | ApiKeySettings;

/** Everyone is one anonymous principal. */
export interface NoAuthSettings {
  readonly kind: 'none';
  /** Listen beyond loopback all the same: anyone who reaches the port sees and cancels everyone's tasks. */
  readonly allowAnonymous: boolean;
}

export interface ApiKeySettings {
  readonly kind: 'api-key';
  readonly keys: readonly ApiKey[];
}

/** A key, and whom it stands for. */
export interface ApiKey {
  readonly key: string;
  readonly subject: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
}

/** Of principals that name no tenant. */
export const defaultTenant = 'default';

/** How the gRPC binding listens. */
export interface GrpcSettings {
  /** 0: any free port. */
  readonly port: number;
  /**
   * `host:port` where clients reach it, as agent cards tell them; `auto`: the host of the card’s own URLs, and the
   * port; unset: on no card.
   */
  readonly publicAddress?: string | undefined;
  /** Unset: without TLS, as behind a proxy that ends it. */
  readonly tls?: TlsSettings | undefined;
}

/** What one connection of gRPC may hold, and for how long. */
export interface GrpcLimits {
  /** Calls at a time. */
  readonly streams: number;
  /** What is queued to be sent, and headers. Beyond it the connection gets no new calls. */
  readonly bytes: number;
  /** After so long a call whose message has not arrived is refused. */
  readonly messageMs: number;
  /** How long a connection stays open without a call. */
  readonly idleMs: number;
  /** After so long a connection takes no new calls. */
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

/** PEM texts. */
export interface TlsSettings {
  readonly certificate: Buffer;
  readonly privateKey: Buffer;
}

/** What a gateway has to know of push notifications; the workers deliver them. */
export interface PushSettings {
  /** Which addresses webhooks may have. */
  readonly policy: WebhookPolicySettings;
  /** Of the keys with which the workers sign deliveries. */
  readonly publicKeys: readonly PublicJwk[];
}

const defaultPushSettings: PushSettings = { policy: { allowHttp: false, allowHosts: [] }, publicKeys: [] };

/** Everything a gateway can be told. Times in milliseconds, sizes in bytes, unless the name says otherwise. */
export interface GatewaySettings {
  /** Address to listen on. Anything but loopback needs authentication, or `allowAnonymous`. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Unset: no gRPC. */
  readonly grpc?: GrpcSettings | undefined;
  readonly grpcLimits: GrpcLimits;
  /** Undefined: no push notifications. */
  readonly push: PushSettings | undefined;
  /** Serves clients that speak A2A 0.3 beside the others, at the same URLs. */
  readonly legacyV03: boolean;
  /**
   * What a request that names no version is in: `by-shape`, the version of its method or path; `0.3`, as A2A 3.6.2 has
   * it.
   */
  readonly missingVersion: MissingVersion;
  /**
   * Where clients reach this gateway, as agent cards tell them; unset: at the host that the request for the card names.
   */
  readonly publicUrl?: string | undefined;
  /** Agent served at the root; unset: the first announced one by name. */
  readonly defaultAgent?: string | undefined;
  /** Unset: no port for operators, and nothing is measured. */
  readonly admin?: AdminSettings | undefined;
  readonly auth: AuthSettings;
  /** What SendMessage does when the caller does not say (A2A 3.2.2 has `blocking`). */
  readonly sendMode: 'blocking' | 'immediate';
  /**
   * Longest wait of a blocking SendMessage. Below the 60 s after which most proxies give up. Infinity: A2A 3.2.2 to the
   * letter.
   */
  readonly blockingWaitMs: number;
  /**
   * How long a stream holds the new task back for the agent's first event: if that is a plain message, there is no task
   * (A2A 3.1.2).
   */
  readonly messageHoldMs: number;
  /**
   * An agent that acknowledges a message releases the caller who waits. False: only its outcome or a question does
   * (A2A 3.2.2).
   */
  readonly acknowledgedIsReleased: boolean;
  /** How long CancelTask waits for a running turn to stop before it answers the task as it is. */
  readonly cancelWaitMs: number;
  /** Longest wait that `Prefer: wait` can ask for. */
  readonly maxPollWaitMs: number;
  /** After so long without an answer from Redis, a request ends with 503. */
  readonly storeTimeoutMs: number;
  /** Silence on a stream after which a comment is sent, so that no proxy takes it for dead. */
  readonly heartbeatMs: number;
  /** After so long a client that takes nothing of what it is sent is disconnected. */
  readonly clientStallMs: number;
  /** How often the announced agents are read again, besides when they say that they changed. */
  readonly agentRefreshMs: number;
  /** How long `stop()` lets requests finish before it closes their connections. */
  readonly drainMs: number;
  readonly maxBodyBytes: number;
  /** Streams that may be open at once. */
  readonly maxStreams: number;
  /** How long clients may keep an agent card without asking again. */
  readonly cardMaxAgeSeconds: number;
  /**
   * Each signs every agent card: none for unsigned cards, two while one takes over from the other. They need
   * `publicUrl`.
   */
  readonly cardSigningKeys: readonly SigningKey[];
  /** Believe `X-Forwarded-Host` and `X-Forwarded-Proto`; only behind a proxy that sets them. */
  readonly trustProxy: boolean;
}

export const defaultGatewaySettings: GatewaySettings = {
  host: '127.0.0.1',
  port: 4000,
  grpcLimits: defaultGrpcLimits,
  push: defaultPushSettings,
  legacyV03: true,
  missingVersion: 'by-shape',
  auth: { kind: 'none', allowAnonymous: false },
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
  maxStreams: 20_000,
  cardMaxAgeSeconds: 60,
  cardSigningKeys: [],
  trustProxy: false,
};
