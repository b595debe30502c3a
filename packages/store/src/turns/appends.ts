import { Batches, defineScript, list, only, type Parser, text, tuple, word } from '@switchyard/redis';
import type { DeploymentDependencies } from '../deployment/deployment.ts';
import type { Observer } from '../deployment/observer.ts';
import { PerShard } from '../deployment/shards.ts';
import { settingsArgNames, settingsArgValues, sharedKeyNames } from '../record/record-args.ts';
import type { Chunk, EncodedEvent } from './encoded-event.ts';

const appendVerdict = word('appended', 'fenced', 'gap', 'more', 'successor', 'idle', 'canceled');
const appendReply = tuple(appendVerdict, text);

/** The verdict of append.lua, and '1' if the task is to be canceled. */
export type AppendReply = ReturnType<typeof appendReply>;

/** A verdict, and after a blank '1' if the task is to be canceled. */
const chunksReply: Parser<AppendReply | null> = (reply) => {
  if (reply === null) return null;
  const [verdict, cancel = ''] = text(reply).split(' ');
  return [appendVerdict(verdict), cancel];
};

export const appendScript = defineScript({
  file: 'append.lua',
  from: import.meta.url,
  keys: sharedKeyNames,
  args: [...settingsArgNames, 'turns*'],
  reply: list(appendReply),
});
export const appendChunksScript = defineScript({
  file: 'append-chunks.lua',
  from: import.meta.url,
  keys: ['task', 'events', 'push'],
  args: ['taskId', 'keptEvents', 'inlineBytes', 'fence', 'number', 'artifact', 'first', 'growth', 'json*'],
  reply: chunksReply,
});

export const endTasksScript = defineScript({
  file: 'end-tasks.lua',
  from: import.meta.url,
  keys: ['tasksRoot', 'outbox', 'indexRoot'],
  args: ['keptEvents', 'replayMs', 'retentionMs', 'inlineBytes'],
  each: ['taskId', 'queueRoot', 'fence', 'number', 'works', 'state', 'message', 'isReply'],
  reply: list(word('idle', 'not-plain')),
});

/** What turns need. */
export interface TurnsDependencies extends DeploymentDependencies {
  readonly observer: Observer;
}

/** An outcome that is sent again, because Redis refused one beside it, is recognized by its event numbers. */
const OUTCOMES = { requests: 16, messages: 1, afterFailure: 'each', gather: 'microtask' } as const;

/** Events of one turn, in their order. */
export interface Append {
  readonly taskId: string;
  /** Prefix of the keys of its agent's own queue. */
  readonly queueRoot: string;
  /** Fencing token of the turn. */
  readonly fence: string;
  /** Of the first event within the turn: 1, 2, … */
  readonly number: number;
  /** `1`: a message that waits gets another job; empty: this job runs its turn, too. */
  readonly endsJob: '1' | '';
  readonly events: readonly EncodedEvent[];
}

/**
 * Writes the events of turns. One script writes the outcomes that arrive at the same time, which costs less than a
 * script each. Later outcomes wait for its reply, so that Redis serves other clients in between.
 */
export class Appends {
  readonly #dependencies: TurnsDependencies;
  readonly #outcomes = new PerShard(
    () => new Batches<Append, AppendReply>({ ...OUTCOMES, send: (appends) => this.#writeOutcomes(appends) }),
  );

  constructor(dependencies: TurnsDependencies) {
    this.#dependencies = dependencies;
  }

  async write(append: Append): Promise<AppendReply> {
    const chunks = chunksOf(append.events);
    const begun = performance.now();
    const written = chunks && (await this.#writeChunks(append, chunks));
    if (!written) return only(await this.#run([append]));
    this.#dependencies.observer.appended(performance.now() - begun);
    return written;
  }

  /** As `write`, in one script with other outcomes. @param append an outcome, with the events before it */
  writeOutcome(append: Append): Promise<AppendReply> {
    return this.#outcomes.of(this.#dependencies.shards.of(append.taskId)).send(append);
  }

  /** By end-tasks.lua; those that it declines, and all others, by append.lua. */
  async #writeOutcomes(appends: readonly Append[]): Promise<readonly AppendReply[]> {
    const plain = appends.flatMap((append) => {
      const end = taskEnd(append);
      return end ? { append, end } : [];
    });
    const verdicts = plain.length > 0 ? await this.#end(plain.map(({ end }) => end)) : [];
    const ended = new Set(plain.filter((_, i) => verdicts[i] === 'idle').map(({ append }) => append));
    const rest = appends.filter((append) => !ended.has(append));
    const replies = rest.length > 0 ? await this.#run(rest) : [];
    return appends.map((append) => replies[rest.indexOf(append)] ?? ['idle', '']);
  }

  /** @param ends of one shard */
  async #end(ends: readonly TaskEnd[]): Promise<readonly ('idle' | 'not-plain')[]> {
    const { redis, shards, settings, observer } = this.#dependencies;
    const { tasksRoot, outbox, indexRoot } = shards.of(ends[0]?.taskId ?? '').shared;
    const { keptEvents, replayMs, retentionMs, inlineBytes } = settingsArgValues(settings);
    const begun = performance.now();
    const verdicts = await endTasksScript.run(redis, {
      keys: { tasksRoot, outbox, indexRoot },
      args: { keptEvents, replayMs, retentionMs, inlineBytes },
      each: ends,
    });
    observer.appended(performance.now() - begun);
    return verdicts;
  }

  /** @returns null if append.lua must write them; then nothing is written */
  #writeChunks({ taskId, fence, number }: Append, chunks: Chunks): Promise<AppendReply | null> {
    const { redis, shards, settings } = this.#dependencies;
    const { keptEvents, inlineTextBytes: inlineBytes } = settings;
    return appendChunksScript.run(redis, {
      keys: shards.of(taskId).chunkKeys(taskId),
      args: { taskId, keptEvents, inlineBytes, fence, number, ...chunks },
    });
  }

  /** @param appends of one shard */
  async #run(appends: readonly Append[]): Promise<readonly AppendReply[]> {
    const { redis, shards, settings, observer } = this.#dependencies;
    const begun = performance.now();
    const replies = await appendScript.run(redis, {
      keys: shards.of(appends[0]?.taskId ?? '').shared,
      args: { ...settingsArgValues(settings), turns: appends.flatMap(appendArguments) },
    });
    observer.appended(performance.now() - begun);
    return replies;
  }
}

const TERMINAL = /[A-Z]/;

/** The end of a task, as end-tasks.lua takes it. */
interface TaskEnd {
  readonly taskId: string;
  readonly queueRoot: string;
  readonly fence: string;
  readonly number: number;
  readonly works: '1' | '';
  readonly state: string;
  readonly message: string;
  readonly isReply: '1' | '';
}

/** Undefined if there is more than a terminal status, and before it `working` without a message. */
function taskEnd({ taskId, queueRoot, fence, number, events }: Append): TaskEnd | undefined {
  const [before, outcome] = events.length === 1 ? [undefined, events[0]] : events;
  if (events.length > 2 || !outcome?.status || !outcome.isOutcome || !TERMINAL.test(outcome.status.state))
    return undefined;
  if (before && (before.status?.state !== 'w' || before.status.message !== '')) return undefined;
  const { state, message, isReply } = outcome.status;
  return { taskId, queueRoot, fence, number, works: before ? '1' : '', state, message, isReply: isReply ? '1' : '' };
}

function appendArguments({ taskId, queueRoot, fence, number, endsJob, events }: Append): (string | number)[] {
  const args = events.flatMap((event) => event.args);
  return [taskId, queueRoot, fence, number, endsJob, events.length, args.length, ...args];
}

/** Several chunks of one artifact, as append-chunks.lua takes them. */
interface Chunks extends Omit<Chunk, 'json'> {
  readonly json: readonly string[];
}

/** The events as chunks of one artifact; undefined if they are anything else. */
function chunksOf(events: readonly EncodedEvent[]): Chunks | undefined {
  const [one] = events;
  if (!one?.chunk) return undefined;
  const { artifact, first } = one.chunk;
  const json: string[] = [];
  let growth = '';
  for (const { chunk } of events) {
    if (chunk?.artifact !== artifact || chunk.first !== first) return undefined;
    growth += chunk.growth;
    json.push(chunk.json);
  }
  return { artifact, first, growth, json };
}
