import { BatchesByShard } from '../redis/batches.ts';
import { settingsArguments } from '../redis/record-arguments.ts';
import { Script } from '../redis/script.ts';
import type { TurnsPort } from './turns-port.ts';

export const appendScript = new Script('append.lua', import.meta.url);

/** Turns whose outcomes one script writes: bounds the time that Redis spends in it. */
const MOST_AT_ONCE = 16;

/** Events of one turn, in their order, each as the encoder has it. */
export interface Append {
  readonly taskId: string;
  /** Of the queue of its job. */
  readonly queueRoot: string;
  readonly epoch: number;
  /** Of the first event within the epoch: 1, 2, … */
  readonly number: number;
  /** Options of the job that takes over if a message waits; empty: this one goes on. */
  readonly successor: string;
  readonly events: readonly (readonly (string | number)[])[];
}

/** How a turn ended, or that it goes on; and whether its task's cancel waits ('1'). See append.lua. */
export type AppendReply = readonly [verdict: string, cancel: string];

/**
 * What turns write. The outcomes of those that end together leave together: what a script needs to write one serves all of
 * them. Those that come while others are under way wait for these: Redis takes turns between them and what others ask of it.
 */
export class Appends {
  readonly #port: TurnsPort;
  readonly #outcomes = new BatchesByShard<Append, AppendReply>((appends) => this.#writeTogether(appends), MOST_AT_ONCE);

  constructor(port: TurnsPort) {
    this.#port = port;
  }

  async write(append: Append): Promise<AppendReply> {
    const [verdict, cancel] = await this.#run([append]);
    return [verdict, cancel];
  }

  /** As `write`, together with others that are written so. Each is an outcome, with what the turn said before it. */
  writeOutcome(append: Append): Promise<AppendReply> {
    const { taskId, epoch, number } = append;
    return this.#outcomes.of(this.#port.shards.of(taskId)).ask(`${taskId} ${epoch} ${number}`, append);
  }

  async #writeTogether(appends: readonly Append[]): Promise<(AppendReply | Promise<AppendReply>)[]> {
    try {
      const replies = await this.#run(appends);
      return appends.map((_, i) => [replies[2 * i] ?? '', replies[2 * i + 1] ?? '']);
    } catch (error) {
      // It may be the fault of one of them. Those that were written already are known by their numbers.
      const isRefused = error instanceof Error && error.name === 'ReplyError';
      if (isRefused && appends.length > 1) return appends.map((append) => this.write(append));
      throw error;
    }
  }

  /** @param appends of one shard. @returns of each of them verdict and cancel, one after the other */
  async #run(appends: readonly Append[]): Promise<[string, string, ...string[]]> {
    const { redis, shards, settings } = this.#port;
    const keys = shards.of(appends[0]?.taskId ?? '').anyRecord;
    const args = [...settingsArguments(settings), ...appends.flatMap(argumentsOf)];
    return (await appendScript.run(redis, keys, args)) as [string, string, ...string[]];
  }
}

function argumentsOf({ taskId, queueRoot, epoch, number, successor, events }: Append): (string | number)[] {
  const args = events.flat();
  return [taskId, queueRoot, epoch, number, successor, events.length, args.length, ...args];
}
