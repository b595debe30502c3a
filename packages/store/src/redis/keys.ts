import { hash, randomUUID } from 'node:crypto';
import type { Principal } from '@switchyard/protocol';
import type { StoreSettings } from './settings.ts';

/** All shards of a deployment, and the ids that land on them. */
export class Shards {
  readonly all: readonly ShardKeys[];

  constructor(prefix: string, count: number) {
    this.all = Array.from({ length: count }, (_, shard) => new ShardKeys(prefix, tagNumber(shard, count)));
  }

  /** The shard that an id (of a task or a context) lives on. */
  of(id: string): ShardKeys {
    return this.#at(shardOf(id, this.all.length));
  }

  /** A new id on the shard of `anchor`: for a task its context, for a new context its sender and message. */
  newId(anchor: string): string {
    const shard = shardOf(anchor, this.all.length);
    for (;;) {
      const id = randomUUID();
      if (shardOf(id, this.all.length) === shard) return id;
    }
  }

  /** An id on the shard of `anchor`, the same for the same seed. A UUID of version 8. */
  derivedId(anchor: string, seed: string): string {
    const shard = shardOf(anchor, this.all.length);
    for (let n = 0; ; n++) {
      const id = hash('sha256', `${n} ${seed}`).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
      if (shardOf(id, this.all.length) === shard) return id;
    }
  }

  #at(shard: number): ShardKeys {
    const keys = this.all[shard];
    if (!keys) throw new Error(`There is no shard ${shard}.`);
    return keys;
  }
}

/** The shard of an id: CRC16 as Redis Cluster computes it, modulo the number of shards. */
export function shardOf(id: string, shards: number): number {
  return shards === 1 ? 0 : crc16(id) % shards;
}

/** All key names of one shard. Each has the shard's hash tag, so that one script may use all of them. */
export class ShardKeys {
  readonly #root: string;
  readonly #indexRoot: string;
  readonly outbox: string;
  /** Channel: ids of tasks whose running turn is to be canceled. */
  readonly cancels: string;
  /** Called tasks and conversations of ended tasks → when claimed next. Also the channel for new ones. */
  readonly orphans: string;
  /** Tasks that wait for their client → since when. */
  readonly interrupted: string;
  /** Prefix of the shard's BullMQ queues. */
  readonly queues: string;
  /** Webhooks with undelivered events → when the sweeper adds their job again. Also the channel for new ones. */
  readonly push: string;
  /** Tasks that failed without attempts left → when. */
  readonly dead: string;
  /** Webhooks that were given up → when. */
  readonly deadPush: string;
  /** Prefix of the keys of tasks. */
  readonly tasks: string;
  /** Written to check whether Redis accepts writes. */
  readonly writable: string;

  constructor(prefix: string, shard: number) {
    this.#root = `${prefix}{s${shard}}:`;
    this.#indexRoot = `${this.#root}x`;
    this.outbox = `${this.#root}outbox`;
    this.orphans = `${this.outbox}:orphans`;
    this.interrupted = `${this.outbox}:interrupted`;
    this.cancels = `${this.#root}cancels`;
    this.queues = `${this.#root}q`;
    this.dead = `${this.#root}dead`;
    this.push = `${this.#root}push`;
    this.deadPush = `${this.#root}push:dead`;
    this.tasks = `${this.#root}t:`;
    this.writable = `${this.#root}writable`;
  }

  /** Task ids come from clients: `<task>:e` must not become the key of a stream. */
  task(taskId: string): string {
    return this.tasks + idText(taskId);
  }

  /** The stream of a task's events; also the name of the channel on which they are published. */
  events(taskId: string): string {
    return `${this.task(taskId)}:e`;
  }

  /** The keys of scripts that include record.lua. */
  record(taskId: string): RecordKeys {
    const task = this.task(taskId);
    const { outbox, push } = this;
    return { task, events: `${task}:e`, inbox: `${task}:i`, outbox, indexRoot: this.#indexRoot, push };
  }

  /** The keys of a script that only appends chunks. */
  growing(taskId: string): Readonly<Record<'task' | 'events' | 'push', string>> {
    const task = this.task(taskId);
    return { task, events: `${task}:e`, push: this.push };
  }

  /** As `record`, for scripts for several tasks, or that find their task themselves. */
  get anyRecord(): AnyRecordKeys {
    return { tasksRoot: this.tasks, outbox: this.outbox, indexRoot: this.#indexRoot, push: this.push };
  }

  /** The keys of scripts for a webhook. */
  webhooks(taskId: string): Readonly<Record<'task' | 'webhooks' | 'push', string>> {
    const task = this.task(taskId);
    return { task, webhooks: `${task}:w`, push: this.push };
  }

  /** Accepted messages of a principal: messageId → fingerprint and task. */
  accepted(scope: Scope, messageId: string): string {
    return `${this.#root}m:${ownerOf(scope)}:${idText(messageId)}`;
  }

  /** An agent's memory for a context of a principal. */
  memory(scope: Scope, contextId: string): string {
    return `${this.#root}k:${ownerOf(scope)}:${idText(contextId)}`;
  }

  conversation(id: string): string {
    return `${this.#root}v:${idText(id)}`;
  }

  /** The stream of a conversation's events; also the channel that announces them. */
  conversationEvents(id: string): string {
    return `${this.conversation(id)}:e`;
  }

  /** The conversations of a context. @param owner as `principalKey` */
  conversations(owner: string, contextId: string): string {
    return `${this.#root}y:${owner}:${idText(contextId)}`;
  }

  /** The index of a scope's tasks, or of one of its contexts. */
  index(scope: Scope, contextId?: string): string {
    const owner = `${this.#indexRoot}:${ownerOf(scope)}`;
    return contextId === undefined ? owner : `${owner}:${idText(contextId)}`;
  }
}

/**
 * An id as keys, records and scripts have it: as between the quotes of JSON, and its colons escaped as well, so that it
 * cannot pass for a key beside it, such as `<task>:e`.
 */
export function idText(id: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
  if (id.isWellFormed() && !/[:"\\\u0000-\u001f]/.test(id)) return id;
  return JSON.stringify(id).slice(1, -1).replaceAll(':', '\\u003a');
}

const SLOTS = 16_384;
/** Largest distance in slots of a tag from its place. */
const NEAR = 16;

/**
 * The number in a shard's hash tag `{s<number>}`: the first one whose slot is in the middle of the shard's part of all
 * slots, so that masters, which share the slots evenly, get equal numbers of shards. A single shard has 0.
 */
export function tagNumber(shard: number, shards: number): number {
  if (shards === 1) return 0;
  const middle = ((shard + 0.5) * SLOTS) / shards;
  for (let number = 0; ; number++) if (Math.abs((crc16(`s${number}`) % SLOTS) - middle) <= NEAR) return number;
}

/** The value of `{agents}:shards`. Without a version it is an older layout, whose tags did not spread. */
export function shardLayout(shards: number): string {
  return shards === 1 ? '1' : `${shards} spread`;
}

/** CRC-16/XMODEM, the hash of Redis Cluster. */
function crc16(text: string): number {
  let crc = 0;
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc;
}

/** KEYS and ARGV of every script that includes `record.lua`: `ShardKeys.record` and `recordArguments` give them. */
export const recordKeys = ['task', 'events', 'inbox', 'outbox', 'indexRoot', 'push'] as const;
/** The settings that every script of a turn needs. */
export const settingsArgs = ['sweepAfterMs', 'keptEvents', 'replayMs', 'retentionMs', 'inlineBytes'] as const;
export const recordArgs = ['taskId', ...settingsArgs] as const;
/** KEYS of a script for several tasks, or that finds its task itself: `ShardKeys.anyRecord` gives them. */
export const anyRecordKeys = ['tasksRoot', 'outbox', 'indexRoot', 'push'] as const;

type RecordKeys = Readonly<Record<(typeof recordKeys)[number], string>>;
type AnyRecordKeys = Readonly<Record<(typeof anyRecordKeys)[number], string>>;
export type SettingsArguments = Readonly<Record<(typeof settingsArgs)[number], number>>;

export function recordArguments(taskId: string, settings: StoreSettings): SettingsArguments & { taskId: string } {
  return { taskId, ...settingsArguments(settings) };
}

/** The same without the task, for a script that is about several. */
export function settingsArguments(settings: StoreSettings): SettingsArguments {
  const { sweepAfterMs, keptEvents, replayMs, retentionMs, inlineTextBytes: inlineBytes } = settings;
  return { sweepAfterMs, keptEvents, replayMs, retentionMs, inlineBytes };
}

/** A principal and an agent: a task exists only for the principal that made it, at its agent. */
export interface Scope {
  readonly principal: Principal;
  readonly agent: string;
}

/** A caller is the same object in all of its calls. */
const knownKeys = new WeakMap<Principal, string>();

/** A principal in keys and records: `tenant/subject`, each part URI-encoded. */
export function principalKey(principal: Principal): string {
  const known = knownKeys.get(principal);
  if (known !== undefined) return known;
  const key = `${encodeURIComponent(principal.tenant)}/${encodeURIComponent(principal.subject)}`;
  knownKeys.set(principal, key);
  return key;
}

/** A scope in keys and records: `tenant/subject/agent`, each part URI-encoded. */
export function ownerOf({ principal, agent }: Scope): string {
  return `${principalKey(principal)}/${encodeURIComponent(agent)}`;
}

/** The agent of an `ownerOf` text. */
export function agentOf(owner: string): string {
  return decodeURIComponent(owner.slice(owner.lastIndexOf('/') + 1));
}

/** The principal of an `ownerOf` text. @param scopes when it sent the message */
export function principalOf(owner: string, scopes: readonly string[]): Principal {
  const [tenant = '', subject = ''] = owner.split('/').map(decodeURIComponent);
  return { tenant, subject, scopes };
}

/** The scope of an `ownerOf` text. */
export function scopeOf(owner: string): Scope {
  return { principal: principalOf(owner, []), agent: agentOf(owner) };
}
