import { parseDeliveryQueue } from '../queue/job.ts';
import { integer, list, text, tuple, word } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import { type DeadLetterDetails, parseCursor } from './delivery-queue.ts';
import { type PushPort, webhookKeys } from './push-port.ts';

const from = import.meta.url;
const storedLetter = tuple(text, integer, text, text);
const listScript = defineScript({
  file: 'list-dead-letters.lua',
  from,
  keys: ['deadPush', 'tasksRoot'],
  args: ['most'],
  reply: list(storedLetter),
});
const redriveScript = defineScript({
  file: 'redrive-dead-letter.lua',
  from,
  keys: webhookKeys,
  args: ['taskId', 'number'],
  reply: word('redriven', 'unknown'),
});
const dropScript = defineScript({
  file: 'drop-dead-letter.lua',
  from,
  keys: webhookKeys,
  args: ['taskId', 'number'],
  reply: word('dropped', 'unknown'),
});

/** A webhook to which deliveries were given up; its events are kept for as long as its task. */
export interface DeadLetter extends DeadLetterDetails {
  readonly id: string;
  readonly taskId: string;
  /** ISO time. */
  readonly diedAt: string;
  /** Of the last event that it received. */
  readonly lastSeq: number;
}

/** Webhooks to which deliveries were given up, for operators: of all principals. */
export class DeadLetters {
  readonly #port: PushPort;

  constructor(port: PushPort) {
    this.#port = port;
  }

  /** The earliest first. */
  async list(limit = 100): Promise<DeadLetter[]> {
    const { redis, shards } = this.#port;
    const replies = await Promise.all(
      shards.all.map(({ deadPush, tasks: tasksRoot }) =>
        listScript.run(redis, { keys: { deadPush, tasksRoot }, args: { most: limit } }),
      ),
    );
    return replies
      .flat()
      .sort((a, b) => a[1] - b[1])
      .slice(0, limit)
      .map(deadLetter);
  }

  /** Tries again, from where it stopped: order is kept. @returns false: there is no such dead letter */
  async redrive(id: string): Promise<boolean> {
    return (await redriveScript.run(this.#port.redis, this.#call(id))) === 'redriven';
  }

  /** Deletes the webhook, with its deliveries. @returns false: there is no such dead letter */
  async drop(id: string): Promise<boolean> {
    return (await dropScript.run(this.#port.redis, this.#call(id))) === 'dropped';
  }

  #call(id: string) {
    const { taskId, number } = parseDeliveryQueue(id);
    return { keys: this.#port.shards.of(taskId).webhooks(taskId), args: { taskId, number } };
  }
}

function deadLetter([id, ms, reason, cursor]: ReturnType<typeof storedLetter>): DeadLetter {
  const details: DeadLetterDetails = JSON.parse(reason);
  return {
    id,
    taskId: parseDeliveryQueue(id).taskId,
    ...details,
    diedAt: new Date(ms).toISOString(),
    lastSeq: parseCursor(cursor).seq,
  };
}
