import { type Channels, type DurableDependencies, defineScript, nothing, runDurably } from '@switchyard/redis';
import type { Page, PageQuery } from '@switchyard/store';
import { latestFirst, pageOf } from '@switchyard/store/inside';
import { type ApiKeyParts, apiKeyText, isSecretOf, newApiKey, secretHash } from './api-key.ts';

const writeCredentialScript = defineScript({
  file: 'write-credential.lua',
  from: import.meta.url,
  keys: ['credentials'],
  args: ['channel', 'id', 'entry'],
  reply: nothing,
});

/** What an operator sets when creating an API key. Times in ISO 8601. */
export interface CredentialDraft {
  readonly tenant: string;
  readonly subject: string;
  /** Empty: all but `admin`. */
  readonly scopes: readonly string[];
  /** The agents that its owner may use; unset: all. */
  readonly agents?: readonly string[] | undefined;
  /** The purpose of the key, for operators. */
  readonly note?: string | undefined;
  /** Unset: it does not expire. */
  readonly expiresAt?: string | undefined;
}

/** An API key as operators see it, without its secret. */
export interface Credential extends CredentialDraft {
  readonly id: string;
  readonly createdAt: string;
  readonly revokedAt?: string;
}

/** The entry in Redis: the secret is not in it. */
interface Entry extends Omit<Credential, 'id'> {
  readonly hash: string;
}

export interface CredentialsDependencies extends DurableDependencies {
  readonly settings: DurableDependencies['settings'] & { readonly prefix: string };
  readonly channels: Channels;
}

/** Keys that ended this long ago are deleted: until then an audit can tell whose they were. */
const KEPT_MS = 30 * 86_400_000;

/** The API keys of clients, which operators create and revoke while gateways run. */
export class Credentials {
  readonly #dependencies: DurableDependencies;
  readonly #channels: Channels;
  readonly #key: string;
  readonly #channel: string;

  constructor(dependencies: CredentialsDependencies) {
    this.#dependencies = dependencies;
    this.#channels = dependencies.channels;
    this.#key = `${dependencies.settings.prefix}{agents}:credentials`;
    this.#channel = `${this.#key}:changed`;
  }

  /** @returns `key`: the text that its owner sends, which cannot be read again */
  async create(draft: CredentialDraft): Promise<{ readonly key: string; readonly credential: Credential }> {
    const parts = newApiKey();
    const entry: Entry = { hash: secretHash(parts.secret), ...draft, createdAt: new Date().toISOString() };
    await this.#write(parts.id, entry);
    return { key: apiKeyText(parts), credential: credentialOf(parts.id, entry) };
  }

  /** Undefined for an unknown id or a wrong secret. Revoked and expired keys are returned, too. */
  async verify({ id, secret }: ApiKeyParts): Promise<Credential | undefined> {
    const entry = await this.#read(id);
    // An unknown id takes as long as a wrong secret.
    const isValid = isSecretOf(secret, entry?.hash ?? secretHash(''));
    return entry && isValid ? credentialOf(id, entry) : undefined;
  }

  async find(id: string): Promise<Credential | undefined> {
    const entry = await this.#read(id);
    return entry && credentialOf(id, entry);
  }

  /** All keys, latest first. Deletes those that ended long ago. */
  async list(): Promise<Credential[]> {
    const all = Object.entries(await this.#dependencies.redis.hgetall(this.#key)).map(([id, json]) =>
      credentialOf(id, entryOf(json)),
    );
    const isOld = (each: Credential): boolean => endOf(each) < Date.now() - KEPT_MS;
    const old = all.filter(isOld).map(({ id }) => id);
    if (old.length > 0) await this.#dependencies.redis.hdel(this.#key, ...old);
    return all.filter((each) => !isOld(each)).sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  }

  /** As `list`. @throws {InvalidPageToken} */
  async page(query: PageQuery): Promise<Page<Credential>> {
    const positionOf = ({ createdAt, id }: Credential): string => latestFirst(Date.parse(createdAt), id);
    return pageOf(await this.list(), query, { list: 'credentials', positionOf });
  }

  /**
   * Revokes a key for all gateways at once; waits for replicas if the deployment demands it.
   * @returns the revoked key, also if it was revoked before; undefined: no such key
   * @throws {NotReplicated}
   */
  async revoke(id: string): Promise<Credential | undefined> {
    const entry = await this.#read(id);
    if (!entry) return undefined;
    const revoked = { ...entry, revokedAt: entry.revokedAt ?? new Date().toISOString() };
    await this.#write(id, revoked);
    return credentialOf(id, revoked);
  }

  /** Revokes all keys of a tenant. @returns the number of its keys */
  async revokeTenant(tenant: string): Promise<number> {
    const theirs = (await this.list()).filter((each) => each.tenant === tenant);
    await Promise.all(theirs.filter((each) => each.revokedAt === undefined).map(({ id }) => this.revoke(id)));
    return theirs.length;
  }

  /**
   * @param listener gets the id of a changed key; undefined: any key may have changed, as notifications may be lost
   * @returns ends the subscription
   */
  async onChange(listener: (id: string | undefined) => void): Promise<() => void> {
    this.#channels.onReconnect((isLost) => isLost(this.#channel) && listener(undefined));
    await this.#channels.subscribe(this.#channel, listener);
    return () => this.#channels.unsubscribe(this.#channel, listener);
  }

  async #read(id: string): Promise<Entry | undefined> {
    const json = await this.#dependencies.redis.hget(this.#key, id);
    return json === null ? undefined : entryOf(json);
  }

  /** @throws {NotReplicated} */
  async #write(id: string, entry: Entry): Promise<void> {
    await runDurably(this.#dependencies, writeCredentialScript, {
      keys: { credentials: this.#key },
      args: { channel: this.#channel, id, entry: JSON.stringify(entry) },
    });
  }
}

/** No key matches a damaged entry. It is listed, so that operators can revoke it, and keeps no other key from them. */
const damaged: Entry = {
  hash: secretHash(''),
  tenant: '',
  subject: '',
  scopes: [],
  note: 'The entry of this key in Redis is damaged: the key is refused.',
  createdAt: new Date(0).toISOString(),
};

function entryOf(json: string): Entry {
  try {
    return JSON.parse(json);
  } catch {
    return damaged;
  }
}

function credentialOf(id: string, { hash: _, ...entry }: Entry): Credential {
  return { id, ...entry };
}

/** In ms since 1970; Infinity if it has no end. */
function endOf({ expiresAt, revokedAt }: Credential): number {
  return Date.parse(revokedAt ?? expiresAt ?? '') || Number.POSITIVE_INFINITY;
}
