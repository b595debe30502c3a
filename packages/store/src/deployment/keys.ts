import { ownerOf, type Scope } from './scope.ts';

/** A key that has an owner in its name. */
export interface OwnedKey {
  readonly key: string;
  /** `x` tasks, `k` a memory, `y` conversations, `m` a message that was accepted. */
  readonly kind: string;
  /** As `ownerOf`; of conversations as `principalKey`. */
  readonly owner: string;
  /** What follows, such as the context. */
  readonly rest: string | undefined;
}

/** The keys of scripts that include record.lua, which describes them. */
export type RecordKeys = Readonly<Record<'task' | 'outbox' | 'indexRoot' | 'push', string>>;

/** The keys of scripts for several tasks. */
export type SharedKeys = Readonly<Record<'tasksRoot' | 'outbox' | 'indexRoot' | 'push', string>>;

/** All key names of one shard. Each has the shard's hash tag, so that one script may use all of them. */
export class ShardKeys {
  readonly #root: string;
  readonly #indexRoot: string;
  readonly outbox: string;
  /** Channel: ids of tasks whose running turn must be canceled, and `steer <id>` of those with new messages. */
  readonly cancels: string;
  /** Called tasks and conversations of ended tasks → when they can be claimed again. */
  readonly orphans: string;
  /** Scheduled tasks, each with its owner → when a worker checks it next. */
  readonly scheduledTasks: string;
  /** Schedules that go on, as `<owner> <id of its first task>`. */
  readonly schedules: string;
  /** Of each of them: its task in `scheduledTasks`, and `paused` if it is. */
  readonly tasksOfSchedules: string;
  /** Tasks that wait for their client → since when. */
  readonly interrupted: string;
  /** Tasks whose turn is suspended → when it resumes at the latest; see suspended.lua. */
  readonly suspended: string;
  /** Tasks whose next message has a time to live → when it must have begun; see begin-by.lua. */
  readonly beginBy: string;
  /** Prefix of the shard's BullMQ queues; itself: those that processes serve. */
  readonly queues: string;
  /** Processes that run jobs → ms until which their leases last; see running.lua. */
  readonly running: string;
  /** When a process last checked the shard for work that waits. */
  readonly checked: string;
  /** Webhooks with undelivered events → when their job is added again. */
  readonly push: string;
  /** Tasks that failed without attempts left → when. */
  readonly dead: string;
  /** Webhooks that were given up → when. */
  readonly deadPush: string;
  /** Prefix of the keys of tasks. */
  readonly tasks: string;
  /** Prefix of the keys of what was used of models in a day. */
  readonly usage: string;
  /** Written to check whether Redis accepts writes. */
  readonly writable: string;

  constructor(prefix: string, shard: number) {
    this.#root = `${prefix}{s${shard}}:`;
    this.#indexRoot = `${this.#root}x`;
    this.outbox = `${this.#root}outbox`;
    this.orphans = `${this.outbox}:orphans`;
    this.scheduledTasks = `${this.outbox}:later`;
    this.schedules = `${this.outbox}:schedules`;
    this.tasksOfSchedules = `${this.schedules}:tasks`;
    this.interrupted = `${this.outbox}:interrupted`;
    this.suspended = `${this.outbox}:suspended`;
    this.beginBy = `${this.outbox}:begin-by`;
    this.cancels = `${this.#root}cancels`;
    this.queues = `${this.#root}q`;
    this.running = `${this.#root}running`;
    this.checked = `${this.#root}checked`;
    this.dead = `${this.#root}dead`;
    this.push = `${this.#root}push`;
    this.deadPush = `${this.#root}push:dead`;
    this.tasks = `${this.#root}t:`;
    this.usage = `${this.#root}usage`;
    this.writable = `${this.#root}writable`;
  }

  /** Number of jobs that run, by the root of their queue's keys. */
  get runningByQueue(): string {
    return `${this.running}:queues`;
  }

  /** Number of tasks that have not ended, by tenant. */
  get openTasks(): string {
    return `${this.outbox}:open`;
  }

  /** What is nearly full: see quotas.lua and make-room.lua. */
  get room(): string {
    return `${this.outbox}:room`;
  }

  /** Time before which all ended tasks are in the archive, as in an index; see archiver.ts. */
  get archived(): string {
    return `${this.outbox}:archived`;
  }

  /** The bytes that a tenant has sent. */
  tenantBytes(tenant: string): string {
    return `${this.outbox}:bytes:${encodeURIComponent(tenant)}`;
  }

  /** Pattern of the keys that have an owner in their name. @param tenant unset: of all tenants */
  ownedPattern(tenant?: string): string {
    const name = tenant === undefined ? '' : `${encodeURIComponent(tenant)}/`;
    return `${globText(this.#root)}[xkym]:${globText(name)}*`;
  }

  ownedKey(key: string): OwnedKey {
    const [kind = '', owner = '', ...rest] = key.slice(this.#root.length).split(':');
    return { key, kind, owner, rest: rest.length > 0 ? rest.join(':') : undefined };
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
    const { outbox, push } = this;
    return { task: this.task(taskId), outbox, indexRoot: this.#indexRoot, push };
  }

  /** The keys of a script that only appends chunks. */
  chunkKeys(taskId: string): Readonly<Record<'task' | 'events' | 'push', string>> {
    const task = this.task(taskId);
    return { task, events: `${task}:e`, push: this.push };
  }

  /** As `record`, for scripts for several tasks, or that find their task themselves. */
  get shared(): SharedKeys {
    return { tasksRoot: this.tasks, outbox: this.outbox, indexRoot: this.#indexRoot, push: this.push };
  }

  /** The keys of scripts for a webhook. */
  webhooks(taskId: string): Readonly<Record<'task' | 'webhooks' | 'push', string>> {
    const task = this.task(taskId);
    return { task, webhooks: `${task}:w`, push: this.push };
  }

  /** Accepted messages of a principal: messageId → fingerprint and task. */
  messageId(scope: Scope, messageId: string): string {
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

  /** The conversations of all principals, for operators. */
  get allConversations(): string {
    return `${this.#root}v`;
  }

  /** The conversations of a context. @param owner as `principalKey` */
  conversations(owner: string, contextId: string): string {
    return `${this.#root}y:${owner}:${idText(contextId)}`;
  }

  /** The index of all tasks of an agent; `@remote`: of all agents that are called by the URL of their card. */
  agentIndex(agent: string): string {
    return `${this.#root}a:${encodeURIComponent(agent)}`;
  }

  /** The keys of scripts for the pace of a name: see ask-for-room.lua. */
  pace(name: string): Readonly<Record<'pace' | 'line' | 'asks' | 'open' | 'tenants', string>> {
    const pace = `${this.#root}pace:${idText(name)}`;
    return {
      pace,
      line: `${pace}:line`,
      asks: `${pace}:asks`,
      open: `${pace}:open`,
      tenants: `${pace}:tenants`,
    };
  }

  /** Prefix of the keys of an agent's places: see take-places.lua. No agent's queue has this name. */
  places(agent: string): string {
    return `${this.queues}:@places~${agent}:`;
  }

  /** The index of a scope's tasks, or of one of its contexts. */
  index(scope: Scope, contextId?: string): string {
    const owner = `${this.#indexRoot}:${ownerOf(scope)}`;
    return contextId === undefined ? owner : `${owner}:${idText(contextId)}`;
  }
}

/**
 * An id as keys, records and scripts contain it: escaped as in JSON, and its colons as well, so that no id can name
 * another key, such as `<task>:e`.
 */
export function idText(id: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
  if (id.isWellFormed() && !/[:"\\\u0000-\u001f]/.test(id)) return id;
  return JSON.stringify(id).slice(1, -1).replaceAll(':', '\\u003a');
}

/** A pattern that matches only this text. */
function globText(text: string): string {
  return text.replace(/[*?[\]\\]/g, '\\$&');
}
