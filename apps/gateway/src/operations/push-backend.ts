import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AddressPolicy, type GuardedClient, guardedClient } from '@switchyard/outgoing';
import { A2AError, invalidParams } from '@switchyard/protocol';
import type { Webhooks } from '@switchyard/store';
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
  /** Otherwise webhooks with a token or credentials are refused, as these would be stored in clear. */
  readonly takesSecrets: boolean;
  /** Unset: webhooks are not asked whether they want to be called. */
  readonly consent: WebhookConsent | undefined;
  /** Call it before a config is stored: logs once that credentials are stored in clear. */
  readonly warnIfClear: () => void;
}

interface Parts {
  readonly webhooks: WebhookStore & Pick<Webhooks, 'areEncrypted'>;
  readonly emit: Emit;
}

/** Undefined: push notifications are off. */
export function createPushBackend(
  { push, auth }: Pick<GatewaySettings, 'push' | 'auth'>,
  { webhooks, emit }: Parts,
): PushBackend | undefined {
  if (!push) return undefined;
  const policy = new AddressPolicy(push.policy);
  return {
    webhooks,
    policy,
    takesSecrets: webhooks.areEncrypted || !isAuthenticated(auth) || push.allowsClear,
    consent: push.asksConsent ? new WebhookConsent(policy) : undefined,
    warnIfClear: clearStorageWarning(webhooks.areEncrypted, emit),
  };
}

function clearStorageWarning(areEncrypted: boolean, emit: Emit): () => void {
  let isSaid = areEncrypted;
  return () => {
    if (!isSaid) emit({ kind: 'push-in-clear' });
    isSaid = true;
  };
}

/** From the request to the end of its answer. */
const TIMEOUT_MS = 3_000;
/** Of an answer: a token has 43. */
const MAX_BYTES = 1_024;
/** Between two questions of one tenant to one host. */
const PAUSE_MS = 1_000;
/** That may ask one host in that time. */
const MOST_TENANTS = 10;
/** How long a URL that has agreed is not asked again. */
const REMEMBERED_MS = 10 * 60_000;
const MAX_REMEMBERED = 10_000;

/**
 * Asks webhooks whether they want to be called, before they are stored: otherwise a client could have this deployment
 * post to anybody. The question itself is not worth a flood: one GET per tenant, host and second, ten per host and
 * second.
 */
export class WebhookConsent {
  readonly #client: GuardedClient;
  readonly #agreed = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: REMEMBERED_MS });
  /** Questions under way, by URL: callers that register the same one share it. */
  readonly #asking = new Map<string, Promise<boolean>>();
  /** Hosts that are being asked, or were within the last second, and the tenants for which. */
  readonly #resting = new Map<string, Set<string>>();

  constructor(policy: AddressPolicy) {
    this.#client = guardedClient({ policy, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
  }

  /** Breaks off the questions under way. */
  stop(): void {
    void this.#client.destroy();
  }

  /**
   * The caller waits, which its share of waiting requests bounds. @param field of the URL in its request
   * @throws {A2AError} InvalidParams: it does not agree; RateLimited
   */
  async require(url: string, field: string, { admission }: Pick<Call, 'admission'>): Promise<void> {
    if (this.#agreed.has(url)) return;
    using _ = admission.hold('wait');
    if (await (this.#asking.get(url) ?? this.#ask(url, admission.principal.tenant))) return;
    const answer = 'must answer GET <url>?validationToken=<token> with 200 and the token as its text';
    // No word of what it answered: nobody is to look around by means of this gateway.
    throw invalidParams([{ field, description: `${answer}, within ${TIMEOUT_MS / 1_000} s` }]);
  }

  #ask(url: string, tenant: string): Promise<boolean> {
    const host = new URL(url).hostname.replace(/\.$/, '');
    const tenants = this.#resting.get(host) ?? new Set();
    if (tenants.has(tenant) || tenants.size === MOST_TENANTS) throw tooOften(host);
    this.#resting.set(host, tenants.add(tenant));
    const asking = this.#agrees(url).finally(() => this.#asking.delete(url));
    this.#asking.set(url, asking);
    const pause = delay(PAUSE_MS, undefined, { ref: false });
    void Promise.all([asking, pause]).finally(() => this.#rested(host, tenant));
    return asking;
  }

  #rested(host: string, tenant: string): void {
    const tenants = this.#resting.get(host);
    tenants?.delete(tenant);
    if (tenants?.size === 0) this.#resting.delete(host);
  }

  async #agrees(url: string): Promise<boolean> {
    const token = randomBytes(32).toString('base64url');
    try {
      const { status, body } = await this.#client.request(question(url, token), { headers });
      const pieces: Buffer[] = [];
      for await (const piece of body) pieces.push(piece);
      if (status !== 200 || Buffer.concat(pieces).toString().trim() !== token) return false;
      this.#agreed.set(url, true);
      return true;
    } catch {
      return false; // not there, too slow, too long, or at an address that may not be called
    }
  }
}

/** A client that names many hosts is not to have as many connections kept open. */
const headers = { accept: 'text/plain', connection: 'close' };

/** What the URL has already stays as it is written. */
function question(url: string, token: string): URL {
  const asked = new URL(url);
  asked.search += `${asked.search === '' ? '' : '&'}validationToken=${token}`;
  return asked;
}

function tooOften(host: string): A2AError {
  const message = `A webhook at ${host} is being asked, or was a moment ago, whether it wants to be called`;
  return new A2AError('RateLimited', message, { retryAfterSeconds: 1 });
}
