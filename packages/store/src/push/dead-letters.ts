import { parseLane } from '../queue/lane-id.ts';
import { Script } from '../redis/script.ts';
import type { DeathNote } from './open-lane.ts';
import { parsePlace } from './place.ts';
import { type PushPort, runOnLane } from './push-port.ts';

const listDeadLanesScript = new Script('list-dead-lanes.lua', import.meta.url);
const redriveLaneScript = new Script('redrive-lane.lua', import.meta.url);
const dropLaneScript = new Script('drop-lane.lua', import.meta.url);

/** A webhook that was given up; what it was not told is kept for as long as its task. */
export interface DeadLetter extends DeathNote {
  readonly id: string;
  readonly taskId: string;
  /** ISO time. */
  readonly diedAt: string;
  /** Of the last event that it was told. */
  readonly lastSeq: number;
}

type Reply = [lane: string, ms: number, why: string, place: string][];

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
      shards.all.map((keys) => listDeadLanesScript.run(redis, [keys.deadPush], [keys.tasks, limit]) as Promise<Reply>),
    );
    return replies
      .flat()
      .sort((a, b) => a[1] - b[1])
      .slice(0, limit)
      .map(deadLetter);
  }

  /** Tries again, from where it stopped: order is kept. @returns false: there is no such dead letter */
  async redrive(id: string): Promise<boolean> {
    return (await runOnLane(this.#port, redriveLaneScript, parseLane(id))) === 'redriven';
  }

  /** Deletes the webhook, with all that it was not told. @returns false: there is no such dead letter */
  async drop(id: string): Promise<boolean> {
    return (await runOnLane(this.#port, dropLaneScript, parseLane(id))) === 'dropped';
  }
}

function deadLetter([lane, ms, why, place]: Reply[number]): DeadLetter {
  const note: DeathNote = JSON.parse(why);
  return {
    id: lane,
    taskId: parseLane(lane).taskId,
    ...note,
    diedAt: new Date(ms).toISOString(),
    lastSeq: parsePlace(place).seq,
  };
}
