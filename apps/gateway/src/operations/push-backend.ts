import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AddressPolicy, type GuardedClient, guardedClient } from '@switchyard/outgoing';
import { A2AError, invalidParams } from '@switchyard/protocol';
import type { Webhooks } from '@switchyard/push';
import { LRUCache } from 'lru-cache';
import type { Call } from '../call/call.ts';
import type { GatewaySettings } from '../settings/gateway-settings.ts';
import { isAuthenticated } from '../settings/identity-settings.ts';
import type { Emit } from '../telemetry/events.ts';

/** The part of the store's webhooks that operations use. */
type WebhookStore = Pick<Webhooks, 'create' | 'get' | 'list' | 'delete'>;

/** What the operations on push notification configs need. */
export interface PushBackend {
  readonly webhooks: WebhookStore;
  readonly policy: Pick<AddressPolicy, 'problemOf'>;
  /** If false, webhooks with a token or credentials are refused, because they would be stored in clear text. */
  readonly takesSecrets: boolean;
  /** Unset: webhooks are not asked for their consent. */
  readonly consent: WebhookConsent | undefined;
  /** Call it before a config is stored: logs once that credentials are stored in clear text. */
  readonly warnIfClear: () => void;
}

interface PushBackendDependencies {
  readonly webhooks: WebhookStore & Pick<Webhooks, 'areEncrypted'>;
  readonly emit: Emit;
  /** Of all deployments: a host is asked no oftener because there are several. */
  readonly consent: WebhookConsent | undefined;
}

/** Undefined: push notifications are off. */
export function createPushBackend(
  { push, auth }: Pick<GatewaySettings, 'push' | 'auth'>,
  { webhooks, emit, consent }: PushBackendDependencies,
): PushBackend | undefined {
  if (!push) return undefined;
  return {
    webhooks,
    policy: new AddressPolicy(push.policy),
    takesSecrets: webhooks.areEncrypted || !isAuthenticated(auth) || push.allowsClear,
    consent,
    warnIfClear: clearStorageWarning(webhooks.areEncrypted, emit),
  };
}

/** Undefined: webhooks are not asked. */
export function webhookConsent({ push }: Pick<GatewaySettings, 'push'>): WebhookConsent | undefined {
  return push?.asksConsent ? new WebhookConsent(new AddressPolicy(push.policy)) : undefined;
}

function clearStorageWarning(areEncrypted: boolean, emit: Emit): () => void {
  let isSilent = areEncrypted;
  return () => {
    if (!isSilent) emit({ kind: 'push-in-clear' });
    isSilent = true;
  };
}

/** Time limit of a consent request. */
const TIMEOUT_MS = 3_000;
/** Maximum size of an answer; a token has 43 characters. */
const MAX_BYTES = 1_024;
/** Minimum time between two consent requests of a tenant to a host. */
const PAUSE_MS = 1_000;
/** Maximum number of tenants that may ask a host in this time. */
const MAX_TENANTS = 10;
/** How long consent is cached. */
const CACHED_MS = 10 * 60_000;
const MAX_CACHED = 10_000;

/**
 * Asks webhooks for their consent before they are stored, so that a client cannot make this deployment post to other
 * people's servers. To prevent floods of these requests, there is one GET per tenant, host and second, and ten per host
 * and second.
 */
export class WebhookConsent {
  readonly #client: GuardedClient;
  readonly #consented = new LRUCache<string, true>({ max: MAX_CACHED, ttl: CACHED_MS });
  /** Pending requests by URL: callers that register the same URL share one. */
  readonly #pending = new Map<string, Promise<boolean>>();
  /** Hosts that are being asked, or were within the last second, with the tenants. */
  readonly #recentlyAsked = new Map<string, Set<string>>();

  constructor(policy: AddressPolicy) {
    this.#client = guardedClient({ policy, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
  }

  /** Aborts pending requests. */
  stop(): void {
    void this.#client.destroy();
  }

  /**
   * The caller waits, which counts against its share of waiting requests. @param field of the URL in its request
   * @throws {A2AError} InvalidParams: no consent; RateLimited
   */
  async require(url: string, field: string, { admission }: Pick<Call, 'admission'>): Promise<void> {
    if (this.#consented.has(url)) return;
    using _ = admission.hold('wait');
    if (await (this.#pending.get(url) ?? this.#ask(url, admission.principal.tenant))) return;
    const answer = 'must answer GET <url>?validationToken=<token> with 200 and the token as its text';
    // The answer is not repeated, so that clients cannot use the gateway to probe other servers.
    throw invalidParams([{ field, description: `${answer}, within ${TIMEOUT_MS / 1_000} s` }]);
  }

  #ask(url: string, tenant: string): Promise<boolean> {
    const host = new URL(url).hostname.replace(/\.$/, '');
    const tenants = this.#recentlyAsked.get(host) ?? new Set();
    if (tenants.has(tenant) || tenants.size === MAX_TENANTS) throw tooOften(host);
    this.#recentlyAsked.set(host, tenants.add(tenant));
    const pending = this.#requestConsent(url).finally(() => this.#pending.delete(url));
    this.#pending.set(url, pending);
    const pause = delay(PAUSE_MS, undefined, { ref: false });
    void Promise.all([pending, pause]).finally(() => this.#forgetRequest(host, tenant));
    return pending;
  }

  #forgetRequest(host: string, tenant: string): void {
    const tenants = this.#recentlyAsked.get(host);
    tenants?.delete(tenant);
    if (tenants?.size === 0) this.#recentlyAsked.delete(host);
  }

  async #requestConsent(url: string): Promise<boolean> {
    const token = randomBytes(32).toString('base64url');
    try {
      const { status, body } = await this.#client.request(validationUrl(url, token), { headers });
      const pieces: Buffer[] = [];
      for await (const piece of body) pieces.push(piece);
      if (status !== 200 || Buffer.concat(pieces).toString().trim() !== token) return false;
      this.#consented.set(url, true);
      return true;
    } catch {
      return false; // Unreachable, too slow, too long, or at a forbidden address.
    }
  }
}

/** Connections are not kept, because a client could name many hosts. */
const headers = { accept: 'text/plain', connection: 'close' };

/** Keeps the URL's own query unchanged. */
function validationUrl(url: string, token: string): URL {
  const validation = new URL(url);
  validation.search += `${validation.search === '' ? '' : '&'}validationToken=${token}`;
  return validation;
}

function tooOften(host: string): A2AError {
  const message = `A webhook at ${host} was asked for its consent a moment ago`;
  return new A2AError('RateLimited', message, { retryAfterSeconds: 1 });
}
