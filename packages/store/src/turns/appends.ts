import type { ShardKeys } from '../redis/keys.ts';
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

interface Gathered extends PromiseWithResolvers<AppendReply> {
  readonly append: Append;
}

/** What turns write. The outcomes of those that end together leave together: what a script needs to write one serves all of them. */
export class Appends {
  readonly #port: TurnsPort;
  readonly #gathering = new Map<ShardKeys, Gathered[]>();

  constructor(port: TurnsPort) {
    this.#port = port;
  }

  async write(append: Append): Promise<AppendReply> {
    const [verdict, cancel] = await this.#run(this.#port.shards.of(append.taskId), [append]);
    return [verdict, cancel];
  }

  /** As `write`, together with others that are written so in the same turn of the event loop. Each is an outcome, with what the turn said before it. */
  writeOutcome(append: Append): Promise<AppendReply> {
    const keys = this.#port.shards.of(append.taskId);
    const gathered = { append, ...Promise.withResolvers<AppendReply>() };
    const others = this.#gathering.get(keys);
    if (others) others.push(gathered);
    else {
      this.#gathering.set(keys, [gathered]);
      queueMicrotask(() => this.#leave(keys));
    }
    return gathered.promise;
  }

  #leave(keys: ShardKeys): void {
    const all = this.#gathering.get(keys) ?? [];
    this.#gathering.delete(keys);
    for (let i = 0; i < all.length; i += MOST_AT_ONCE) void this.#writeTogether(keys, all.slice(i, i + MOST_AT_ONCE));
  }

  async #writeTogether(keys: ShardKeys, batch: readonly Gathered[]): Promise<void> {
    try {
      const replies = await this.#run(
        keys,
        batch.map(({ append }) => append),
      );
      for (const [i, { resolve }] of batch.entries()) resolve([replies[2 * i] ?? '', replies[2 * i + 1] ?? '']);
    } catch (error) {
      // It may be the fault of one of them. Those that were written already are known by their numbers.
      const isRefused = error instanceof Error && error.name === 'ReplyError';
      if (isRefused && batch.length > 1) for (const { append, resolve } of batch) resolve(this.write(append));
      else for (const { reject } of batch) reject(error);
    }
  }

  /** @returns of each of them verdict and cancel, one after the other */
  async #run(keys: ShardKeys, appends: readonly Append[]): Promise<[string, string, ...string[]]> {
    const { redis, settings } = this.#port;
    const args = [...settingsArguments(settings), ...appends.flatMap(argumentsOf)];
    return (await appendScript.run(redis, keys.anyRecord, args)) as [string, string, ...string[]];
  }
}

function argumentsOf({ taskId, queueRoot, epoch, number, successor, events }: Append): (string | number)[] {
  const args = events.flat();
  return [taskId, queueRoot, epoch, number, successor, events.length, args.length, ...args];
}
