import { type FeedEvent, parseEntry } from '../feed/feed-item.ts';
import type { LaneId } from '../queue/lane-id.ts';
import { word } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import { readWhole } from '../tasks/read.ts';
import { openWebhook } from '../vault/sealed-webhook.ts';
import type { Webhook } from '../vault/webhook.ts';
import { type Place, placeText } from './place.ts';
import { type PushPort, webhookKeys } from './push-port.ts';

const from = import.meta.url;
const keys = webhookKeys;
/** Arguments of every script of a run. */
const runArgs = ['taskId', 'lane', 'token'] as const;
const advanceLaneScript = defineScript({
  file: 'advance-lane.lua',
  from,
  keys,
  args: [...runArgs, 'from', 'to', 'leaseMs'],
  reply: word('more', 'idle', 'fenced'),
});
const postponeLaneScript = defineScript({
  file: 'postpone-lane.lua',
  from,
  keys,
  args: [...runArgs, 'attempts', 'delayMs', 'leaseMs'],
  reply: word('postponed', 'fenced'),
});
const buryLaneScript = defineScript({
  file: 'bury-lane.lua',
  from,
  keys,
  args: [...runArgs, 'why'],
  reply: word('buried', 'fenced'),
});
const removeLaneScript = defineScript({
  file: 'remove-lane.lua',
  from,
  keys,
  args: runArgs,
  reply: word('removed', 'fenced'),
});

const EVENTS_PER_READ = 50;

export interface LaneState {
  readonly id: LaneId;
  /** The lock of the run. */
  readonly token: string;
  readonly configId: string;
  readonly sealed: string;
  readonly place: Place;
  /** At the next delivery, so far. */
  readonly attempts: number;
  /** Milliseconds since the first of them. */
  readonly ageMs: number;
}

/** The task of a lane as it is. */
export interface LaneTask {
  readonly seq: number;
  /** JSON of the task. */
  readonly json: string;
  /** Its caller was given a plain message instead. */
  readonly isWithdrawn: boolean;
}

/** Why a webhook was given up. */
export interface DeathNote {
  readonly configId: string;
  /** Scheme, host and port: the rest of the address may be secret. '' if it cannot be read. */
  readonly origin: string;
  readonly reason: string;
  readonly attempts: number;
}

/** What the run knows of a death; the store adds whose it was. */
export type DeathCause = Omit<DeathNote, 'configId'>;

/** A lane that this run delivers: each of its commands is refused once another run has opened it. */
export class OpenLane {
  readonly id: LaneId;
  readonly configId: string;
  readonly #port: PushPort;
  readonly #state: LaneState;
  #place: Place;
  #isFirst = true;

  constructor(port: PushPort, state: LaneState) {
    this.#port = port;
    this.#state = state;
    this.#place = state.place;
    this.id = state.id;
    this.configId = state.configId;
  }

  /** At the next delivery, so far. */
  get attempts(): number {
    return this.#isFirst ? this.#state.attempts : 0;
  }

  /** Milliseconds since the first of them. */
  get ageMs(): number {
    return this.#isFirst ? this.#state.ageMs : 0;
  }

  get place(): Place {
    return this.#place;
  }

  /** @throws {Unreadable} */
  webhook(): Webhook {
    return openWebhook(this.#port.vault, this.id.taskId, this.#state.sealed);
  }

  /** The next events; `trimmed`: the stream no longer reaches back to them, tell the task as it is instead. */
  async events(): Promise<readonly FeedEvent[] | 'trimmed'> {
    const { redis, shards } = this.#port;
    const next = this.#place.seq + 1;
    const channel = shards.of(this.id.taskId).events(this.id.taskId);
    const entries = await redis.xrange(channel, `${next}-0`, '+', 'COUNT', EVENTS_PER_READ);
    const events = entries.map(parseEntry);
    return events[0]?.seq === next ? events : 'trimmed';
  }

  /** The task as it is; undefined: it has expired. */
  async task(): Promise<LaneTask | undefined> {
    const reading = await readWhole(this.#port, this.id.taskId);
    if (reading?.task === undefined) return undefined;
    const { seq, task, isWithdrawn } = reading;
    return { seq, json: task.toString(), isWithdrawn };
  }

  /**
   * What lies before `to` was told. `idle`: that was all, the job is done. `fenced`: another run delivers, or nobody
   * need.
   */
  advance(to: Place): Promise<'more' | 'idle' | 'fenced'> {
    const leaseMs = this.#port.settings.pushLeaseMs;
    const args = { ...this.#run, from: placeText(this.#place), to: placeText(to), leaseMs };
    this.#place = to;
    this.#isFirst = false;
    return advanceLaneScript.run(this.#port.redis, { keys: this.#keys, args });
  }

  /** @param attempts at the next delivery so far; 0: it was not even tried */
  postpone(delayMs: number, attempts: number): Promise<'postponed' | 'fenced'> {
    const leaseMs = this.#port.settings.pushLeaseMs;
    const args = { ...this.#run, attempts, delayMs: Math.ceil(delayMs), leaseMs };
    return postponeLaneScript.run(this.#port.redis, { keys: this.#keys, args });
  }

  /** Nothing more is tried until an operator says so. */
  bury(cause: DeathCause): Promise<'buried' | 'fenced'> {
    const note: DeathNote = { configId: this.configId, ...cause };
    const args = { ...this.#run, why: JSON.stringify(note) };
    return buryLaneScript.run(this.#port.redis, { keys: this.#keys, args });
  }

  /** The receiver wants no more: the webhook is deleted. */
  remove(): Promise<'removed' | 'fenced'> {
    return removeLaneScript.run(this.#port.redis, { keys: this.#keys, args: this.#run });
  }

  get #keys() {
    return this.#port.shards.of(this.id.taskId).webhooks(this.id.taskId);
  }

  get #run() {
    return { ...this.id, token: this.#state.token };
  }
}
