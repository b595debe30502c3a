import { parseLane } from '../queue/lane-id.ts';
import { integer, list, text, tuple, word } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import type { DeathNote } from './open-lane.ts';
import { parsePlace } from './place.ts';
import { type PushPort, webhookKeys } from './push-port.ts';

const from = import.meta.url;
const deadLane = tuple(text, integer, text, text);
const listDeadLanesScript = defineScript({
  file: 'list-dead-lanes.lua',
  from,
  keys: ['deadPush', 'tasksRoot'],
  args: ['most'],
  reply: list(deadLane),
});
const redriveLaneScript = defineScript({
  file: 'redrive-lane.lua',
  from,
  keys: webhookKeys,
  args: ['taskId', 'lane'],
  reply: word('redriven', 'unknown'),
});
const dropLaneScript = defineScript({
  file: 'drop-lane.lua',
  from,
  keys: webhookKeys,
  args: ['taskId', 'lane'],
  reply: word('dropped', 'unknown'),
});

/** A webhook that was given up; what it was not told is kept for as long as its task. */
export interface DeadLetter extends DeathNote {
  readonly id: string;
  readonly taskId: string;
  /** ISO time. */
  readonly diedAt: string;
  /** Of the last event that it was told. */
  readonly lastSeq: number;
}

/** Webhooks that were given up, for operators: whoever asks here is not asked who it is. */
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
        listDeadLanesScript.run(redis, { keys: { deadPush, tasksRoot }, args: { most: limit } }),
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
    return (await redriveLaneScript.run(this.#port.redis, this.#call(id))) === 'redriven';
  }

  /** Deletes the webhook, with all that it was not told. @returns false: there is no such dead letter */
  async drop(id: string): Promise<boolean> {
    return (await dropLaneScript.run(this.#port.redis, this.#call(id))) === 'dropped';
  }

  #call(id: string) {
    const { taskId, lane } = parseLane(id);
    return { keys: this.#port.shards.of(taskId).webhooks(taskId), args: { taskId, lane } };
  }
}

function deadLetter([lane, ms, why, place]: ReturnType<typeof deadLane>): DeadLetter {
  const note: DeathNote = JSON.parse(why);
  return {
    id: lane,
    taskId: parseLane(lane).taskId,
    ...note,
    diedAt: new Date(ms).toISOString(),
    lastSeq: parsePlace(place).seq,
  };
}
