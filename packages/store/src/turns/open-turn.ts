import type { FailureReport, Message, MessageTrace, TurnEvent, TurnInput, UsageAmounts } from '@switchyard/protocol';
import { Batches, defineScript, integer, Outage, text, tupleAnd, word } from '@switchyard/redis';
import { idText } from '../deployment/keys.ts';
import { queueName, queueRoot } from '../queue/queue-names.ts';
import { recordArgNames, recordKeyNames, turnCall } from '../record/record-args.ts';
import { parseInboxEntry } from '../tasks/accept/submission.ts';
import type { TextSizes } from '../tasks/read/pieces.ts';
import type { Appends, TurnsDependencies } from './appends.ts';
import type { EncodedEvent } from './encoded-event.ts';
import { Encoder, idLines } from './encoder.ts';
import { recordFailure, storedFailureText } from './failures.ts';
import { ModelNotes, type NotedModelCall } from './model-notes.ts';
import { type ModelUsage, type SpentTurnBudget, type TurnBudgets, TurnUsage } from './turn-usage.ts';

export const endTurnScript = defineScript({
  file: 'end-turn.lua',
  from: import.meta.url,
  keys: [...recordKeyNames, 'queueRoot'],
  args: [...recordArgNames, 'fence', 'published', 'endsJob', 'delivered'],
  reply: word('unsettled', 'fenced', 'gap', 'more', 'successor', 'idle', 'canceled'),
});
export const handBackTurnScript = defineScript({
  file: 'hand-back-turn.lua',
  from: import.meta.url,
  keys: recordKeyNames,
  args: [...recordArgNames, 'fence', 'isSpent', 'failure', 'notes'],
  reply: word('given-back', 'canceled', 'fenced'),
});
export const suspendTurnScript = defineScript({
  file: 'suspend-turn.lua',
  from: import.meta.url,
  keys: [...recordKeyNames, 'queueRoot'],
  args: [...recordArgNames, 'fence', 'published', 'wait', 'dueMs', 'waits', 'seen', 'notes', 'calls'],
  each: ['event', 'schema'],
  reply: word('suspended', 'canceled', 'fenced', 'gap'),
});
export const giveUpTurnScript = defineScript({
  file: 'give-up-turn.lua',
  from: import.meta.url,
  keys: [...recordKeyNames, 'dead', 'queueRoot'],
  args: [...recordArgNames, 'fence', 'published', 'reason', 'failure', 'notes'],
  reply: word('given-up', 'canceled', 'fenced', 'gap'),
});

export const readWaitingScript = defineScript({
  file: 'read-waiting.lua',
  from: import.meta.url,
  keys: ['task'],
  args: ['fence', 'after'],
  reply: tupleAnd([integer], text),
});

/**
 * How a turn ended, and what follows for its job.
 *
 * - `more`: the job begins the task's next turn.
 * - `idle`, `canceled`, `given-up`: the job has left the queue.
 * - `successor`: the job has left the queue, and another job runs the next turn.
 * - `suspended`: the job has left the queue, and the turn runs again later.
 * - `given-back`: the job is still in the queue, as it is if `handBack` found the task canceled.
 * - `fenced`: another run owns the task, or the task has ended.
 */
export type Ending = 'more' | 'idle' | 'canceled' | 'given-up' | 'successor' | 'suspended' | 'given-back' | 'fenced';

/** A suspended turn that waits for calls looks again after this time at the latest. */
const LOOK_AGAIN_MS = 600_000;

/** What a turn waits for. */
export interface Suspension {
  /** When the first of its waits ends, since 1970 by Redis' clock; Infinity: only events end them. */
  readonly dueMs: number;
  /** Names of the events that end one, and the JSON Schema of their data; unset: any data. */
  readonly events: readonly { readonly name: string; readonly schema?: string | undefined }[];
  /**
   * Tasks of other agents whose end or question ends one. `skipsAuth`: an authorization that the task waits for does not.
   */
  readonly calls?: readonly { readonly taskId: string; readonly skipsAuth: boolean }[];
  /** The same for clients: docs/extensions/suspended.md. */
  readonly waits: readonly { readonly event?: string; readonly task?: string; readonly until?: string }[];
}

/** The turn no longer owns its task: its later events are refused. */
export class TurnFenced extends Error {
  override readonly name = 'TurnFenced';

  constructor() {
    super('The turn has ended: nothing more can be published.');
  }
}

/** A fail-over lost acknowledged events of this turn: later events must not follow them. */
export class WritesLost extends Outage {
  override readonly name = 'WritesLost';

  constructor() {
    super('Redis lost earlier events of this turn in a fail-over.');
  }
}

export interface TurnStart extends TurnInput {
  readonly taskId: string;
  /** Every command carries this fencing token. No other turn gets it, even if a fail-over loses the begin of a turn. */
  readonly fence: string;
  /** Attempts of the task so far, over all its messages, this one included. */
  readonly epoch: number;
  /** The job has run its share of turns: a successor runs the messages that wait. */
  readonly endsJobAfterTurn: boolean;
  readonly cancelRequested: boolean;
  /** Of the task's texts; unset: unknown. */
  readonly sizes: TextSizes | undefined;
  /** The process whose turn was taken over: it died, or was presumed dead. */
  readonly takenOverFrom?: string;
  readonly trace: MessageTrace | undefined;
  /** Id of the request that brought the message; unset: no request did. */
  readonly requestId: string | undefined;
}

/** With this many waiting events, `publish` waits until its own is written. */
const MAX_WAITING = 64;
/**
 * While one batch is written, the next one fills: a slow stream is written event by event, a fast one in batches, and
 * no event waits for a timer. Those of one turn of the event loop are sent together, such as an agent's "working" and
 * its quick answer.
 */
const EVENTS = { requests: 32, messages: 1, afterFailure: 'none', gather: 'tick' } as const;
/** An outcome with more events is written by a script of its own: sixteen of them would block Redis for too long. */
const FEW_EVENTS = 4;

/** A turn that this process runs. Only it writes events, and every command carries its fencing token. */
export class OpenTurn {
  readonly start: TurnStart;
  /** Set once the turn has its outcome, or lost its task. */
  ending: Ending | undefined;
  /**
   * Key of the last result of a step or a wait that this run knows, '' none: a later one must not follow it if a
   * fail-over has lost it.
   */
  lastResult = '';
  /** Key of the last wait that this run began, or found; '' none: the turn is not suspended if it is lost. */
  lastWait = '';
  readonly #dependencies: TurnsDependencies;
  readonly #encoder: Encoder;
  readonly #appends: Appends;
  readonly #events: Batches<EncodedEvent, undefined>;
  /** Prefix of the keys of the agent's own queue. */
  readonly #queueRoot: string;
  readonly #onCancel: () => void;
  readonly #onFenced: () => void;
  readonly #onFirstEvent: (() => void) | undefined;
  readonly #onWaiting = new Set<() => void>();
  readonly #modelNotes = new ModelNotes();
  readonly #usage: TurnUsage;
  #number = 1;
  #messagesSeen: number | undefined;

  constructor(
    dependencies: TurnsDependencies & { readonly appends: Appends },
    start: TurnStart,
    hooks: { onCancel: () => void; onFenced: () => void; onFirstEvent?: () => void },
  ) {
    this.start = start;
    this.#dependencies = dependencies;
    this.#appends = dependencies.appends;
    this.#encoder = new Encoder(start.task, dependencies.settings, start.sizes);
    this.#events = new Batches({ ...EVENTS, send: (events) => this.#append(events) });
    this.#usage = new TurnUsage(dependencies, start);
    this.#queueRoot = queueRoot(queueName(start.agent), dependencies.shards.of(start.taskId));
    this.#onCancel = hooks.onCancel;
    this.#onFenced = hooks.onFenced;
    this.#onFirstEvent = hooks.onFirstEvent;
  }

  /**
   * Publishes events in order. Resolves for a status when it is written; if the status has a reason for a dead letter,
   * the turn's message is kept as one. Resolves for an artifact chunk at once while few events wait, so that chunks are
   * sent in batches; if one is refused, the next call rejects, and `onFenced` is called.
   * @param failure why the turn failed, if this event ends it so: kept for operators
   * @throws {TurnFenced}
   * @throws {WritesLost} give the turn back: it must run again
   * @throws {TooManyArtifacts}
   * @throws {TaskTooLarge}
   */
  publish(event: TurnEvent, failure?: FailureReport): Promise<void> {
    const text = failure && storedFailureText(failure);
    if (event.kind !== 'status') return this.#push(event, { isAwaited: false });
    if (event.deadLetterReason !== undefined) return this.#giveUp(event.deadLetterReason, text);
    return this.#push(event, { isAwaited: true, failure: text });
  }

  /**
   * As `publish`, but resolves at once while few events wait: a status without a message is sent with the next event.
   */
  announce(event: TurnEvent): Promise<void> {
    return this.#push(event, { isAwaited: false });
  }

  /** Resolves when everything published is written, or refused. */
  flush(): Promise<void> {
    return this.#events.settled().catch(() => undefined);
  }

  /** Resolves when everything published is written. @throws the error of a batch that was refused */
  written(): Promise<void> {
    return this.#events.settled();
  }

  /** Number of the task's messages that this turn knows of; undefined: it never asked for others than its own. */
  get messagesSeen(): number | undefined {
    return this.#messagesSeen;
  }

  /**
   * The messages that wait behind the turn's own, without the first `after`. They stay in the inbox until an outcome
   * names them in `delivered`.
   * @throws {TurnFenced}
   */
  async waiting(after: number): Promise<readonly Message[]> {
    const { redis, shards } = this.#dependencies;
    const { taskId, fence } = this.start;
    const [accepted, ...entries] = await readWaitingScript.run(redis, {
      keys: { task: shards.of(taskId).task(taskId) },
      args: { fence, after },
    });
    if (accepted < 0) {
      this.#onFenced();
      throw new TurnFenced();
    }
    this.#messagesSeen = accepted;
    return entries.map((entry) => parseInboxEntry(entry).message);
  }

  /** @param listener called when other messages may wait */
  onWaiting(listener: () => void): void {
    this.#onWaiting.add(listener);
  }

  /** Calls the listeners: other messages may wait. */
  notifyWaiting(): void {
    for (const listener of this.#onWaiting) listener();
  }

  /**
   * Ends a turn whose executor returned while the task waits for authorization. `unsettled`: there is no outcome.
   * @param delivered as in `StatusEvent`
   * @throws {WritesLost} @throws the error of an event that was refused: as `publish`
   */
  async end(delivered: readonly string[] = []): Promise<Ending | 'unsettled'> {
    const { keys, args } = await this.#callAtEnd();
    const verdict = await endTurnScript.run(this.#dependencies.redis, {
      keys,
      args: { ...args, endsJob: this.#endsJob, delivered: idLines(delivered) },
    });
    if (verdict === 'gap') throw new WritesLost();
    if (verdict !== 'unsettled') this.ending = verdict;
    return verdict;
  }

  /** Notes a request to a model; it is written with the next status, or when the turn is given back. */
  noteModelCall(call: NotedModelCall): void {
    this.#modelNotes.add(call);
  }

  /**
   * Counts what the turn has used of a model, also if it has lost its task. Resolves when it is stored; if it cannot be,
   * the next step or outcome tries again, and fails if it cannot, either.
   */
  recordUsage(usage: ModelUsage): Promise<void> {
    return this.#usage.record(usage);
  }

  /** What the task has used of models so far, with all tasks below it. */
  spent(): Promise<UsageAmounts> {
    return this.#usage.total();
  }

  /** As `TurnUsage.spentBudget`. @throws {TurnFenced} */
  async spentBudget(budgets: TurnBudgets): Promise<SpentTurnBudget | undefined> {
    const spent = await this.#usage.spentBudget(budgets);
    if (spent !== 'fenced') return spent;
    this.#onFenced();
    throw new TurnFenced();
  }

  /** As `TurnUsage.continueWork`. @throws {TurnFenced} */
  async continueWork(isAllowed: boolean): Promise<void> {
    if (await this.#usage.continueWork(isAllowed)) return;
    this.#onFenced();
    throw new TurnFenced();
  }

  /** Resolves when everything used is stored: call it before what follows from it is. */
  usageRecorded(): Promise<void> {
    return this.#usage.flush();
  }

  /**
   * Keeps for operators why a step or a call failed, or why code of the agent failed after the outcome.
   * @returns false: the task is gone
   */
  recordFailure(report: FailureReport): Promise<boolean> {
    return recordFailure(this.#dependencies, this.start, report);
  }

  /**
   * Gives the turn back unfinished.
   * @param isSpent false: the attempt does not count, as at a shutdown
   * @param failure why, kept for operators
   */
  async handBack(isSpent: boolean, failure?: FailureReport): Promise<'given-back' | 'canceled' | 'fenced'> {
    await this.flush();
    await this.#usage.flush();
    const { keys, args } = turnCall(this.#dependencies, this.start);
    const verdict = await handBackTurnScript.run(this.#dependencies.redis, {
      keys,
      args: {
        ...args,
        isSpent: isSpent ? '1' : '',
        failure: failure ? storedFailureText(failure) : '',
        notes: this.#modelNotes.take(),
      },
    });
    this.ending = verdict;
    return verdict;
  }

  /**
   * Ends this run of the turn, which waits: any worker runs it again from the top when its time has come or an event.
   * No attempt is spent.
   * @throws as `end`
   */
  async suspend({ dueMs, events, calls = [], waits }: Suspension): Promise<'suspended' | 'canceled' | 'fenced'> {
    const { keys, args } = await this.#callAtEnd();
    const { redis } = this.#dependencies;
    // A fail-over may have lost that a call wakes it.
    const nextMs = calls.length > 0 ? Math.min(dueMs, Date.now() + LOOK_AGAIN_MS) : dueMs;
    const verdict = await suspendTurnScript.run(redis, {
      keys,
      args: {
        ...args,
        wait: this.lastWait,
        dueMs: Number.isFinite(nextMs) ? nextMs : -1,
        waits: JSON.stringify(waits),
        seen: this.#messagesSeen ?? '',
        notes: this.#modelNotes.take(),
        calls: calls.map(({ taskId, skipsAuth }) => `${idText(taskId)} ${skipsAuth ? 1 : 0}`).join('\n'),
      },
      each: events.map(({ name, schema = '' }) => ({ event: name, schema })),
    });
    if (verdict === 'gap') throw new WritesLost();
    this.ending = verdict;
    return verdict;
  }

  async #push(event: TurnEvent, { isAwaited, failure }: { isAwaited: boolean; failure?: string | undefined }) {
    if (this.ending) throw new TurnFenced();
    // The event of an outcome says what the task has used.
    if (event.kind === 'status' && event.settles) await this.#usage.flush();
    const encoded = this.#encoder.encode(event);
    // append-chunks.lua and end-tasks.lua write no notes.
    const notes = event.kind === 'status' ? this.#modelNotes.take() : '';
    const besides = [...(notes ? ['notes', notes] : []), ...(failure === undefined ? [] : ['failure', failure])];
    const { args, isOutcome } = encoded;
    const written = besides.length > 0 ? { args: [...besides, ...args], isOutcome } : encoded;
    await (isAwaited ? this.#events.send(written) : this.#events.enqueue(written, MAX_WAITING));
  }

  async #giveUp(reason: string, failure = ''): Promise<void> {
    const { keys, args } = await this.#callAtEnd();
    const { redis, shards } = this.#dependencies;
    const verdict = await giveUpTurnScript.run(redis, {
      keys: { ...keys, dead: shards.of(this.start.taskId).dead },
      args: { ...args, reason: JSON.stringify(reason), failure, notes: this.#modelNotes.take() },
    });
    if (verdict === 'gap') throw new WritesLost();
    this.ending = verdict;
    if (verdict === 'fenced') throw new TurnFenced();
  }

  async #append(events: readonly EncodedEvent[]): Promise<undefined[]> {
    const { taskId, fence } = this.start;
    const [queueRoot, number, endsJob] = [this.#queueRoot, this.#number, this.#endsJob];
    const append = { taskId, queueRoot, fence, number, endsJob, events };
    const isShortOutcome = events.at(-1)?.isOutcome && events.length <= FEW_EVENTS;
    const reply = isShortOutcome ? this.#appends.writeOutcome(append) : this.#appends.write(append);
    const [verdict, cancel] = await reply;
    if (this.#number === 1 && verdict !== 'fenced' && verdict !== 'gap') this.#onFirstEvent?.();
    this.#number += events.length;
    if (cancel) this.#onCancel();
    const written = events.map(() => undefined);
    if (verdict === 'appended') return written;
    if (verdict === 'gap') throw new WritesLost();
    this.ending = verdict;
    if (verdict !== 'fenced') return written;
    this.#onFenced();
    throw new TurnFenced();
  }

  get #endsJob(): '1' | '' {
    return this.start.endsJobAfterTurn ? '1' : '';
  }

  /** What scripts get that end the turn, once everything is written that it has published and used. */
  async #callAtEnd() {
    await this.written();
    await this.#usage.flush();
    const { keys, args } = turnCall(this.#dependencies, this.start);
    return { keys: { ...keys, queueRoot: this.#queueRoot }, args: { ...args, published: this.#number - 1 } };
  }
}
