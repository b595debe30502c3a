import { defineScript, readStream, word } from '@switchyard/redis';
import type { DeliveryQueueId, EventId, FeedEvent, Webhook } from '@switchyard/store';
import { decryptWebhook, parseEvent, readWhole } from '@switchyard/store/inside';
import {
  cursorText,
  type DeadLetterDetails,
  type DeliveryCursor,
  type DeliveryFailure,
  type DeliveryQueueState,
  type FailedAttempt,
  type PushDependencies,
  webhookKeys,
} from './delivery-queue.ts';

const from = import.meta.url;
const keys = webhookKeys;
/** Arguments of every script of a run. */
const runArgNames = ['taskId', 'number', 'token'] as const;
const advanceScript = defineScript({
  file: 'advance-cursor.lua',
  from,
  keys,
  args: [...runArgNames, 'from', 'to', 'reclaimAfterMs'],
  reply: word('more', 'idle', 'fenced'),
});
const postponeScript = defineScript({
  file: 'postpone-delivery.lua',
  from,
  keys,
  args: [...runArgNames, 'attempts', 'delayMs', 'reclaimAfterMs', 'failure'],
  reply: word('postponed', 'fenced'),
});
const deadLetterScript = defineScript({
  file: 'dead-letter.lua',
  from,
  keys,
  args: [...runArgNames, 'reason', 'failure'],
  reply: word('dead-lettered', 'fenced'),
});
const removeScript = defineScript({
  file: 'remove-webhook.lua',
  from,
  keys,
  args: runArgNames,
  reply: word('removed', 'fenced'),
});

/** Limits of one read of the stream: a process serves many webhooks, and events may be large. */
const PAGE = { limit: 50, bytes: 1_024 * 1_024 };

/** The current task of a delivery queue. */
export interface TaskSnapshot extends EventId {
  /** JSON of the task. */
  readonly json: string;
  /** Its caller was given a plain message instead. */
  readonly isWithdrawn: boolean;
}

/** A delivery queue that this run delivers: each of its commands is refused once another run has opened it. */
export class OpenDeliveryQueue {
  readonly id: DeliveryQueueId;
  readonly configId: string;
  readonly #dependencies: PushDependencies;
  readonly #state: DeliveryQueueState;
  #cursor: DeliveryCursor;
  #isFirst = true;

  constructor(dependencies: PushDependencies, state: DeliveryQueueState) {
    this.#dependencies = dependencies;
    this.#state = state;
    this.#cursor = state.cursor;
    this.id = state.id;
    this.configId = state.configId;
  }

  /** Failed attempts at the next delivery. */
  get attempts(): number {
    return this.#isFirst ? this.#state.attempts : 0;
  }

  /** Milliseconds since the first of them. */
  get ageMs(): number {
    return this.#isFirst ? this.#state.ageMs : 0;
  }

  get cursor(): DeliveryCursor {
    return this.#cursor;
  }

  /** @throws {Unreadable} */
  webhook(): Webhook {
    return decryptWebhook(this.#dependencies.encryption, this.id.taskId, this.#state.encrypted);
  }

  /**
   * The next events. `trimmed`: the stream no longer has them, or a fail-over lost the event that was delivered last:
   * deliver the current task instead.
   */
  async events(): Promise<readonly FeedEvent[] | 'trimmed'> {
    const { redis, shards } = this.#dependencies;
    const { seq, incarnation } = this.#cursor;
    const channel = shards.of(this.id.taskId).events(this.id.taskId);
    const stored = await readStream(redis, channel, { from: `${incarnation ? seq : seq + 1}-0`, ...PAGE });
    const events = stored.map(parseEvent);
    const last = incarnation ? events.shift() : this.#cursor;
    const isKept = last?.seq === seq && last.incarnation === incarnation;
    return isKept && events[0]?.seq === seq + 1 ? events : 'trimmed';
  }

  /** The current task; undefined: it has expired. */
  async task(): Promise<TaskSnapshot | undefined> {
    const reading = await readWhole(this.#dependencies, this.id.taskId);
    if (reading?.task === undefined) return undefined;
    const { seq, incarnation, task, isWithdrawn } = reading;
    return { seq, incarnation, json: task.toString(), isWithdrawn };
  }

  /**
   * Advances the cursor to `to`. `idle`: all events are delivered, the job is done. `fenced`: another run delivers, or
   * the webhook is gone.
   */
  advance(to: DeliveryCursor): Promise<'more' | 'idle' | 'fenced'> {
    const reclaimAfterMs = this.#dependencies.settings.reclaimAfterMs;
    const args = { ...this.#run, from: cursorText(this.#cursor), to: cursorText(to), reclaimAfterMs };
    this.#cursor = to;
    this.#isFirst = false;
    return advanceScript.run(this.#dependencies.redis, { keys: this.#keys, args });
  }

  /** @param attempts at the next delivery so far; 0: it was not tried yet. @param failed the last of them */
  postpone(
    { delayMs, attempts }: { readonly delayMs: number; readonly attempts: number },
    failed?: FailedAttempt,
  ): Promise<'postponed' | 'fenced'> {
    const reclaimAfterMs = this.#dependencies.settings.reclaimAfterMs;
    const failure = failureJson(failed);
    const args = { ...this.#run, attempts, delayMs: Math.ceil(delayMs), reclaimAfterMs, failure };
    return postponeScript.run(this.#dependencies.redis, { keys: this.#keys, args });
  }

  /** Gives up the deliveries, until an operator retries them. */
  deadLetter(failure: DeliveryFailure, failed?: FailedAttempt): Promise<'dead-lettered' | 'fenced'> {
    const details: DeadLetterDetails = { configId: this.configId, ...failure };
    const args = { ...this.#run, reason: JSON.stringify(details), failure: failureJson(failed) };
    return deadLetterScript.run(this.#dependencies.redis, { keys: this.#keys, args });
  }

  /** Deletes the webhook, because its receiver answered 410 Gone. */
  remove(): Promise<'removed' | 'fenced'> {
    return removeScript.run(this.#dependencies.redis, { keys: this.#keys, args: this.#run });
  }

  get #keys() {
    return this.#dependencies.shards.of(this.id.taskId).webhooks(this.id.taskId);
  }

  get #run() {
    return { ...this.id, token: this.#state.token };
  }
}

const failureJson = (failed: FailedAttempt | undefined): string => (failed ? JSON.stringify(failed) : '');
