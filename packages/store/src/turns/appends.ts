import { BatchesByShard, togetherOrSingly } from '../redis/batches.ts';
import { anyRecordKeys, settingsArgs, settingsArguments } from '../redis/record.ts';
import { list, only, type Parser, text, tuple, word } from '../redis/reply.ts';
import { defineScript } from '../redis/script.ts';
import { type Chunks, chunksOf } from './chunks.ts';
import type { EncodedEvent } from './encoded-event.ts';
import type { TurnsPort } from './turns-port.ts';

const appendVerdict = word('appended', 'fenced', 'lost', 'more', 'successor', 'drained', 'canceled');
const appendReply = tuple(appendVerdict, text);

/** How a turn ended, or that it goes on; and whether its task's cancel waits ('1'). See append.lua. */
export type AppendReply = ReturnType<typeof appendReply>;

/** A verdict, and behind a space '1' if a cancel waits. */
const chunksReply: Parser<AppendReply | null> = (reply) => {
  if (reply === null) return null;
  const [verdict, cancel = ''] = text(reply).split(' ');
  return [appendVerdict(verdict), cancel];
};

export const appendScript = defineScript({
  file: 'append.lua',
  from: import.meta.url,
  keys: anyRecordKeys,
  args: [...settingsArgs, 'turns*'],
  reply: list(appendReply),
});
export const appendChunksScript = defineScript({
  file: 'append-chunks.lua',
  from: import.meta.url,
  keys: ['task', 'events', 'push'],
  args: ['taskId', 'keptEvents', 'inlineBytes', 'fence', 'number', 'artifact', 'first', 'growth', 'json*'],
  reply: chunksReply,
});

const LIMITS = { requests: 16, messages: 1 };

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

/**
 * What turns write. The outcomes of those that end together leave together: what a script needs to write one serves all
 * of them. Those that come while others are under way wait for these: Redis takes turns between them and what others
 * ask of it.
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
    return only(await this.#run([append]));
  }

  /** As `write`, together with others that are written so. Each is an outcome, with what the turn said before it. */
  writeOutcome(append: Append): Promise<AppendReply> {
    const { taskId, fence, number } = append;
    return this.#outcomes.of(this.#port.shards.of(taskId)).send(`${taskId} ${fence} ${number}`, append);
  }

  /** Those that were written before one is refused are known by their numbers. */
  #writeTogether(appends: readonly Append[]): Promise<readonly (AppendReply | Promise<AppendReply>)[]> {
    return togetherOrSingly(appends, (some) => this.#run(some));
  }

  /** @returns null, and has written nothing, if they need the longer way */
  #writeChunks({ taskId, fence, number }: Append, chunks: Chunks): Promise<AppendReply | null> {
    const { redis, shards, settings } = this.#port;
    const { keptEvents, inlineTextBytes: inlineBytes } = settings;
    return appendChunksScript.run(redis, {
      keys: shards.of(taskId).growing(taskId),
      args: { taskId, keptEvents, inlineBytes, fence, number, ...chunks },
    });
  }

  /** @param appends of one shard */
  async #run(appends: readonly Append[]): Promise<readonly AppendReply[]> {
    const { redis, shards, settings } = this.#port;
    return appendScript.run(redis, {
      keys: shards.of(appends[0]?.taskId ?? '').anyRecord,
      args: { ...settingsArguments(settings), turns: appends.flatMap(argumentsOf) },
    });
  }
}

function argumentsOf({ taskId, queueRoot, fence, number, successor, events }: Append): (string | number)[] {
  const args = events.flatMap((event) => event.args);
  return [taskId, queueRoot, fence, number, successor, events.length, args.length, ...args];
}
