import { defineScript, list, optional, runDurably, text, word } from '@switchyard/redis';
import { type Scope, Unreadable, type Webhook, type WebhookDraft } from '@switchyard/store';
import {
  decodePageToken,
  decryptWebhook,
  encodePageToken,
  encryptWebhook,
  ownerOf,
  withId,
} from '@switchyard/store/inside';
import { type PushDependencies, webhookKeys } from './delivery-queue.ts';

const from = import.meta.url;
const createWebhookScript = defineScript({
  file: 'create-webhook.lua',
  from,
  keys: webhookKeys,
  args: ['taskId', 'owner', 'configId', 'encrypted', 'max'],
  reply: word('created', 'missing', 'too-many'),
});
const readWebhooksScript = defineScript({
  file: 'read-webhooks.lua',
  from,
  keys: ['task', 'webhooks'],
  args: ['owner'],
  reply: optional(list(text)),
});
const deleteWebhookScript = defineScript({
  file: 'delete-webhook.lua',
  from,
  keys: webhookKeys,
  args: ['taskId', 'owner', 'configId'],
  reply: word('deleted', 'missing'),
});

export interface WebhookQuery {
  readonly pageSize: number;
  readonly pageToken?: string | undefined;
}

export interface WebhookPage {
  /** The oldest first. */
  readonly webhooks: readonly Webhook[];
  /** '' after the last page. */
  readonly nextPageToken: string;
}

/** `missing`: no such task in this scope, or no longer. `too-many`: the task has as many as it may have. */
export type WebhookCreation = Webhook | 'missing' | 'too-many';

interface StoredWebhook {
  readonly id: string;
  /** Number of its delivery queue. */
  readonly number: number;
  readonly encrypted: string;
}

/** The webhooks of tasks, for clients. They are kept as long as their task. */
export class Webhooks {
  readonly #dependencies: PushDependencies;

  constructor(dependencies: PushDependencies) {
    this.#dependencies = dependencies;
  }

  /** False: no secret is set, so credentials are stored in clear. */
  get areEncrypted(): boolean {
    return !this.#dependencies.encryption.isOff;
  }

  /**
   * Creates a webhook, which gets every later event of the task. If the task has a webhook with this id, it replaces
   * it and continues at its cursor.
   * @throws {NotReplicated}
   */
  async create(scope: Scope, taskId: string, draft: WebhookDraft): Promise<WebhookCreation> {
    const { shards, encryption, settings } = this.#dependencies;
    const webhook = withId(draft, taskId);
    const encrypted = encryptWebhook(encryption, taskId, webhook);
    const args = { taskId, owner: ownerOf(scope), configId: webhook.id, encrypted, max: settings.maxWebhooks };
    const keys = shards.of(taskId).webhooks(taskId);
    const verdict = await runDurably(this.#dependencies, createWebhookScript, { keys, args });
    return verdict === 'created' ? webhook : verdict;
  }

  /** @returns undefined: no such task in this scope, or no such webhook. @throws {Unreadable} */
  async get(scope: Scope, taskId: string, id: string): Promise<Webhook | undefined> {
    const stored = (await this.#read(scope, taskId))?.find((each) => each.id === id);
    return stored && this.#open(taskId, stored);
  }

  /** @returns undefined: no such task in this scope. @throws {InvalidPageToken} @throws {Unreadable} */
  async list(scope: Scope, taskId: string, { pageSize, pageToken }: WebhookQuery): Promise<WebhookPage | undefined> {
    const after = Number(decodePageToken(pageToken, ['webhooks', taskId]) ?? 0);
    const rest = (await this.#read(scope, taskId))?.filter(({ number }) => number > after);
    if (!rest) return undefined;
    const page = rest.slice(0, pageSize);
    const last = page.at(-1);
    return {
      webhooks: page.map((stored) => this.#open(taskId, stored)),
      nextPageToken: last && rest.length > pageSize ? encodePageToken(String(last.number), ['webhooks', taskId]) : '',
    };
  }

  /** All webhooks of a task that can be decrypted, the oldest first, and why the others cannot. */
  async readable(scope: Scope, taskId: string): Promise<{ webhooks: Webhook[]; errors: Unreadable[] }> {
    const [webhooks, errors]: [Webhook[], Unreadable[]] = [[], []];
    for (const stored of (await this.#read(scope, taskId)) ?? []) {
      try {
        webhooks.push(this.#open(taskId, stored));
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        errors.push(new Unreadable(`Webhook ${stored.id} of task ${taskId}: ${error.message}`, { cause: error }));
      }
    }
    return { webhooks, errors };
  }

  /** Idempotent. @returns `missing`: no such task in this scope. @throws {NotReplicated} */
  delete(scope: Scope, taskId: string, configId: string): Promise<'deleted' | 'missing'> {
    const keys = this.#dependencies.shards.of(taskId).webhooks(taskId);
    return runDurably(this.#dependencies, deleteWebhookScript, {
      keys,
      args: { taskId, owner: ownerOf(scope), configId },
    });
  }

  #open(taskId: string, { encrypted }: StoredWebhook): Webhook {
    return decryptWebhook(this.#dependencies.encryption, taskId, encrypted);
  }

  async #read(scope: Scope, taskId: string): Promise<StoredWebhook[] | undefined> {
    const { redis, shards } = this.#dependencies;
    const { task, webhooks } = shards.of(taskId).webhooks(taskId);
    const reply = await readWebhooksScript.run(redis, { keys: { task, webhooks }, args: { owner: ownerOf(scope) } });
    return reply ? storedIn(reply) : undefined;
  }
}

/** @param reply names and values of the fields, in turn: see delivery-queues.lua */
function storedIn(reply: readonly string[]): StoredWebhook[] {
  const fields = new Map<string, string>();
  for (let i = 0; i < reply.length; i += 2) fields.set(reply[i] ?? '', reply[i + 1] ?? '');
  return [...fields]
    .filter(([name]) => name.startsWith('id:'))
    .map(([name, number]) => ({
      id: name.slice(3),
      number: Number(number),
      encrypted: fields.get(`${number}:config`) ?? '',
    }))
    .sort((a, b) => a.number - b.number);
}
