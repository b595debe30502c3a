import { ownerOf, type Scope } from './principal.ts';
import type { AnyRecordKeys, RecordKeys } from './record.ts';

/** The shard of an id: CRC16 as Redis Cluster computes it, modulo the number of shards. */
export function shardOf(id: string, shards: number): number {
  return shards === 1 ? 0 : crc16(id) % shards;
}

/** The names of all keys of one shard: each has the shard's hash tag, so that one script may touch all of them. */
export class ShardKeys {
  readonly #root: string;
  readonly #indexRoot: string;
  readonly outbox: string;
  /** Channel: ids of tasks whose cancel waits for the owner of the running turn. */
  readonly cancels: string;
  /** What tasks that ended had called for and still goes on → when; also the channel that says so. */
  readonly orphans: string;
  /** Tasks that wait for their client → since when. */
  readonly interrupted: string;
  /** Prefix of the shard's BullMQ queues. */
  readonly queues: string;
  /** Webhooks that have something to be told → when the sweeper may look after them; also the channel that says so. */
  readonly push: string;
  /** Tasks that ended because every attempt at a message died → when. */
  readonly dead: string;
  /** Webhooks that were given up → when. */
  readonly deadPush: string;
  /** What the keys of tasks begin with. */
  readonly tasks: string;
  /** Written to see whether Redis takes writes. */
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

  /** Clients name tasks, and may name anything: `<task>:e` is no task, but it is a key. */
  task(taskId: string): string {
    return this.tasks + idText(taskId);
  }

  /** The stream of a task's events; also the name of the channel on which they are published. */
  events(taskId: string): string {
    return `${this.task(taskId)}:e`;
  }

  /** Of every script that includes record.lua. */
  record(taskId: string): RecordKeys {
    const task = this.task(taskId);
    const { outbox, push } = this;
    return { task, events: `${task}:e`, inbox: `${task}:i`, outbox, indexRoot: this.#indexRoot, push };
  }

  /** Of a script that does nothing but let a task grow. */
  growing(taskId: string): Readonly<Record<'task' | 'events' | 'push', string>> {
    const task = this.task(taskId);
    return { task, events: `${task}:e`, push: this.push };
  }

  /** As `record`, for a script that is about several tasks, or finds out itself which one it is about. */
  get anyRecord(): AnyRecordKeys {
    return { tasksRoot: this.tasks, outbox: this.outbox, indexRoot: this.#indexRoot, push: this.push };
  }

  /** Of every script of a webhook. */
  webhooks(taskId: string): Readonly<Record<'task' | 'webhooks' | 'push', string>> {
    const task = this.task(taskId);
    return { task, webhooks: `${task}:w`, push: this.push };
  }

  /** What a principal sent before: messageId → fingerprint and task. */
  accepted(scope: Scope, messageId: string): string {
    return `${this.#root}m:${ownerOf(scope)}:${idText(messageId)}`;
  }

  /** What an agent keeps for a context of a principal. */
  memory(scope: Scope, contextId: string): string {
    return `${this.#root}k:${ownerOf(scope)}:${idText(contextId)}`;
  }

  conversation(id: string): string {
    return `${this.#root}v:${idText(id)}`;
  }

  /** The stream of a conversation's events; also the name of the channel that tells of them. */
  conversationEvents(id: string): string {
    return `${this.conversation(id)}:e`;
  }

  /** The conversations of a context. @param owner as `principalKey` */
  conversations(owner: string, contextId: string): string {
    return `${this.#root}y:${owner}:${idText(contextId)}`;
  }

  /** The index of a scope's tasks, or of those of one of its contexts. */
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
/** Tags lie that near to where they should. */
const NEAR = 16;

/**
 * The number in a shard's hash tag `{s<number>}`: the first one whose slot lies in the middle of the shard's part of
 * all slots. Masters share the slots evenly, as a rule, so that none has two shards more than another. A single shard
 * has 0.
 */
export function tagNumber(shard: number, shards: number): number {
  if (shards === 1) return 0;
  const middle = ((shard + 0.5) * SLOTS) / shards;
  for (let number = 0; ; number++) if (Math.abs((crc16(`s${number}`) % SLOTS) - middle) <= NEAR) return number;
}

/** How `{agents}:shards` says it. Several shards had tags that did not spread, once: then it was the number alone. */
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
