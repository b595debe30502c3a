import { BatchesByShard, togetherOrAlone } from '../redis/batches.ts';
import { settingsArguments } from '../redis/record-arguments.ts';
import { Script } from '../redis/script.ts';
import { type Chunks, chunksOf } from './chunks.ts';
import type { EncodedEvent } from './encoded-event.ts';
import type { TurnsPort } from './turns-port.ts';

export const appendScript = new Script('append.lua', import.meta.url);
export const appendChunksScript = new Script('append-chunks.lua', import.meta.url);

const LIMITS = { questions: 16, messages: 1 };

/** Events of one turn, in their order. */
export interface Append {
  readonly taskId: string;
  /** Of the queue of its job. */
  readonly queueRoot: string;
  /** Fencing token of the turn. */
  readonly fence: string;
  /** Of the first event within the turn: 1, 2, … */
  readonly number: number;
  /** Options of the job that takes over if a message waits; empty: this one goes on. */
  readonly successor: string;
  readonly events: readonly EncodedEvent[];
}

/** How a turn ended, or that it goes on; and whether its task's cancel waits ('1'). See append.lua. */
export type AppendReply = readonly [verdict: string, cancel: string];

/** What append-chunks.lua returned. */
export function chunksReply(returned: unknown): AppendReply | null {
  if (returned === null) return null;
  const [verdict = '', cancel = ''] = String(returned).split(' ');
  return [verdict, cancel];
}

/**
 * What turns write. The outcomes of those that end together leave together: what a script needs to write one serves all of
 * them. Those that come while others are under way wait for these: Redis takes turns between them and what others ask of it.
 */
export class Appends {
  readonly #port: TurnsPort;
  readonly #outcomes = new BatchesByShard<Append, AppendReply>((appends) => this.#writeTogether(appends), LIMITS);

  constructor(port: TurnsPort) {
    this.#port = port;
  }

  async write(append: Append): Promise<AppendReply> {
    const chunks = chunksOf(append.events);
    const written = chunks && (await this.#writeChunks(append, chunks));
    if (written) return written;
    const [reply] = await this.#run([append]);
    return reply;
  }

  /** As `write`, together with others that are written so. Each is an outcome, with what the turn said before it. */
  writeOutcome(append: Append): Promise<AppendReply> {
    const { taskId, fence, number } = append;
    return this.#outcomes.of(this.#port.shards.of(taskId)).ask(`${taskId} ${fence} ${number}`, append);
  }

  /** Those that were written before one is refused are known by their numbers. */
  #writeTogether(appends: readonly Append[]): Promise<readonly (AppendReply | Promise<AppendReply>)[]> {
    return togetherOrAlone(appends, (some) => this.#run(some));
  }

  /** @returns null, and has written nothing, if they need the longer way */
  async #writeChunks({ taskId, fence, number }: Append, chunks: Chunks): Promise<AppendReply | null> {
    const { redis, shards, settings } = this.#port;
    const { artifact, first, growth, json } = chunks;
    const args = [
      taskId,
      settings.keptEvents,
      settings.inlineTextBytes,
      fence,
      number,
      artifact,
      first,
      growth,
      ...json,
    ];
    return chunksReply(await appendChunksScript.run(redis, shards.of(taskId).growing(taskId), args));
  }

  /** @param appends of one shard */
  async #run(appends: readonly Append[]): Promise<[AppendReply, ...AppendReply[]]> {
    const { redis, shards, settings } = this.#port;
    const keys = shards.of(appends[0]?.taskId ?? '').anyRecord;
    const args = [...settingsArguments(settings), ...appends.flatMap(argumentsOf)];
    return (await appendScript.run(redis, keys, args)) as [AppendReply, ...AppendReply[]];
  }
}

function argumentsOf({ taskId, queueRoot, fence, number, successor, events }: Append): (string | number)[] {
  const args = events.flatMap((event) => event.args);
  return [taskId, queueRoot, fence, number, successor, events.length, args.length, ...args];
}
