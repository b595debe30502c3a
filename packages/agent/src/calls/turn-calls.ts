import { check, type DataSchema } from '../data/data-schema.ts';
import type { TurnJournal } from '../journal/turn-journal.ts';
import { suppressUnhandled } from '../journal/turn-scope.ts';
import { withCaller } from '../journal/with-caller.ts';
import type { Content } from '../messages/content.ts';
import type { CallOutcome, OutgoingCall, PlacedCall } from '../port/call-port.ts';
import type { TurnPort } from '../port/turn-port.ts';
import { readResult, writeIfShort } from '../steps/step-result.ts';
import { longestTimeoutMs } from '../timeouts/timeouts.ts';
import { CallError } from './call-error.ts';
import {
  type CallReply,
  isDone,
  partsIn,
  type StoredReply,
  storedReply,
  type TaskReply,
  toReply,
  withParts,
} from './call-reply.ts';
import { type CallOptions, checkTimeout, outgoingCall } from './outgoing-call.ts';

/** The fields that `join` needs; a reply has them. */
export interface Joinable<Data = unknown>
  extends Pick<TaskReply, 'agent' | 'taskId'>,
    Partial<Pick<TaskReply, 'state'>> {
  /** Its type is that of the joined data. */
  readonly data?: Data | undefined;
}

/** Options of `join`. */
export interface JoinOptions extends Pick<CallOptions, 'timeoutMs'> {
  /** As that of the call. Default: that of the call, if this run of the turn made it. */
  readonly schema?: DataSchema<unknown>;
}

/** Of a reply that is not done: the schema of its call. A symbol, so that a copy has it and JSON does not. */
const schemaKey = Symbol('schema');

/** The calls of one turn. A reply, or that none came in time, is stored: a retried turn gets the same one. */
export class TurnCalls {
  readonly #port: TurnPort;
  readonly #journal: TurnJournal;

  constructor(port: TurnPort, journal: TurnJournal) {
    this.#port = port;
    this.#journal = journal;
  }

  call(agent: string, content: Content, options: CallOptions = {}): Promise<CallReply> {
    // Numbered before the first await: concurrent calls are numbered in the order of the code.
    const call = outgoingCall(this.#port, this.#journal.scope, { agent, content, options });
    return suppressUnhandled(this.noted(agent, withCaller(new Error(), this.#call(call, options))));
  }

  async #call(call: OutgoingCall, { wait, timeoutMs, schema }: CallOptions): Promise<CallReply> {
    return checked(
      await (wait === false ? this.#send(call) : this.replyTo(call, () => this.place(call), timeoutMs)),
      schema,
    );
  }

  join(call: Joinable, { timeoutMs, schema }: JoinOptions = {}): Promise<CallReply> {
    const { agent, taskId, state } = call;
    checkTimeout(timeoutMs);
    const { scope } = this.#journal;
    const key = `join ${taskId} ${scope.number('join', taskId)} ${scope.step}`;
    const placed = { agent, taskId, skipsAuth: state === 'TASK_STATE_AUTH_REQUIRED' };
    const ofCall: DataSchema<unknown> | undefined = Reflect.get(call, schemaKey);
    const stored = this.#storedOrNew(key, () => this.#outcome(key, placed, { timeoutMs }));
    const reply = stored.then((joined) => checked(joined, schema ?? ofCall));
    return suppressUnhandled(this.noted(agent, withCaller(new Error(), reply)));
  }

  /** Keeps for operators why a call failed, before the agent goes on without its reply. */
  async noted<T>(agent: string, call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      await this.#journal.runAlways(() => this.#port.calls.noteFailure(agent, error));
      throw error;
    }
  }

  /** Makes the call without waiting. @throws {CallError} */
  async place(call: OutgoingCall): Promise<PlacedCall> {
    const { calls, input } = this.#port;
    if ((input.caller?.depth ?? 0) >= calls.maxDepth) throw new CallError('too-deep', call.agent);
    await this.#journal.checkBudget('call');
    const placement = await this.#journal.runEffect(() => calls.place(call));
    if ('refused' in placement) throw new CallError(placement.refused, call.agent);
    return placement;
  }

  /** The reply to a call that is placed once; the same in every attempt. @throws {CallError} */
  replyTo(call: OutgoingCall, place: () => Promise<PlacedCall>, timeoutMs?: number): Promise<CallReply> {
    const key = `call ${call.message.messageId}`;
    return this.#placedOnce(key, { place, replyTo: (placed, keep) => this.#outcome(key, placed, { timeoutMs, keep }) });
  }

  #send(call: OutgoingCall): Promise<CallReply> {
    const replyTo = async (placed: PlacedCall): Promise<StoredReply> => {
      const outcome = await this.#journal.runEffect(() => this.#port.calls.read(placed));
      return storedReply(placed, this.#requireTask(placed, outcome));
    };
    return this.#placedOnce(`sent ${call.message.messageId}`, { place: () => this.place(call), replyTo });
  }

  /**
   * Stores the reply, or the placed call if the reply is too long, or if the turn is suspended before there is one: the
   * store need not know the messageId of the call for as long as the turn may be retried.
   */
  async #placedOnce(key: string, { place, replyTo }: NewCall): Promise<CallReply> {
    const stored = await this.#begin<Stored | Placed>(key);
    if (stored?.kind === 'placed') {
      // A message that was sent before may have been answered already: all events are read again.
      const placed = { ...stored.call, after: { seq: 0 } };
      return this.#storedOrNew(`reply to ${key}`, () => replyTo(placed, async () => undefined));
    }
    if (stored) return this.#toReply(stored);
    const placed = await place();
    const keep = (): Promise<void> => this.#end(key, { kind: 'placed', call: placed });
    const reply = await replyTo(placed, keep);
    if (!(await this.#endIfShort(key, reply))) await keep();
    return this.#toReply(reply);
  }

  /** A call that takes longer than a few seconds suspends the turn: another run of it gets the outcome. */
  async #outcome(key: string, placed: PlacedCall, { timeoutMs, keep }: Waiting): Promise<Stored> {
    const { signal, pending, scope } = this.#journal;
    const { calls } = this.#port;
    const patienceMs = scope.step === '' ? (calls.patienceMs ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
    const leftMs = await this.#leftOf(key, timeoutMs, patienceMs);
    const waitMs = leftMs > 0 ? Math.min(leftMs, patienceMs) : LAST_LOOK_MS;
    const until = waitMs > longestTimeoutMs ? signal : AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
    const { agent, taskId, skipsAuth = false } = placed;
    const found = await pending.during(async (): Promise<Stored | undefined> => {
      const outcome = await this.#journal.runEffect(() => calls.outcome(placed, until));
      if (outcome) return storedReply(placed, this.#requireTask(placed, outcome));
      signal.throwIfAborted();
      if (leftMs <= waitMs) return { kind: 'timed-out', agent, taskId };
      await keep?.();
      return undefined;
    });
    return found ?? pending.add({ call: { taskId, skipsAuth }, dueMs: Date.now() + leftMs - waitMs });
  }

  /** What is left of a call's time, which counts from the first run of the turn if a run may be suspended. */
  async #leftOf(key: string, timeoutMs = Number.POSITIVE_INFINITY, patienceMs: number): Promise<number> {
    if (timeoutMs <= patienceMs || timeoutMs === Number.POSITIVE_INFINITY) return timeoutMs;
    const { waits } = this.#port;
    const begun = await this.#journal.runEffect(() => waits.begin({ key: `timeout of ${key}`, delayMs: timeoutMs }));
    return begun.kind === 'done' ? 0 : begun.leftMs;
  }

  #requireTask({ agent, taskId }: PlacedCall, outcome: CallOutcome | 'missing'): CallOutcome {
    if (outcome === 'missing') throw new CallError('missing', agent, { taskId });
    return outcome;
  }

  /** Stores the reply for retried turns. If it is too long for that, a retried turn reads it from its task again. */
  async #storedOrNew(key: string, replyTo: () => Promise<Stored>): Promise<CallReply> {
    const stored = await this.#begin<Stored>(key);
    if (stored) return this.#toReply(stored);
    const reply = await replyTo();
    await this.#endIfShort(key, reply);
    return this.#toReply(reply);
  }

  /** @returns what was stored; undefined: nothing yet */
  async #begin<T>(key: string): Promise<T | undefined> {
    const beginning = await this.#journal.runEffect(() => this.#port.steps.begin(key));
    return beginning.kind === 'done' ? readResult<T>(beginning.result) : undefined;
  }

  async #endIfShort(key: string, reply: Stored): Promise<boolean> {
    const json = writeIfShort(reply);
    if (json !== undefined) await this.#journal.runEffect(() => this.#port.steps.end(key, json));
    return json !== undefined;
  }

  #end(key: string, placed: Placed): Promise<void> {
    return this.#journal.runEffect(() => this.#port.steps.end(key, JSON.stringify(placed)));
  }

  /** With what its parts had as `raw`, which is not stored again for retried turns. @throws {CallError} timed-out */
  async #toReply(stored: Stored): Promise<CallReply> {
    const { calls, files } = this.#port;
    if (stored.kind === 'timed-out') {
      // Again in a retried turn: the attempt that stored it may have ended before.
      await this.#journal.runEffect(() => calls.cancel(stored));
      throw new CallError('timed-out', stored.agent, { taskId: stored.taskId });
    }
    const restored = await files?.restoreRaw?.(partsIn(stored));
    return toReply(restored ? withParts(stored, restored) : stored);
  }
}

/** An outcome that is there is found, although the time of the call was over before the turn resumed. */
const LAST_LOOK_MS = 100;

/** No reply came in time, as stored for a retried turn: its task must be canceled. */
interface TimedOut {
  readonly kind: 'timed-out';
  readonly agent: string;
  readonly taskId: string;
}

/** What a retried turn gets. */
type Stored = StoredReply | TimedOut;

/** As stored while there is no reply, or instead of one that is too long. */
interface Placed {
  readonly kind: 'placed';
  readonly call: PlacedCall;
}

interface NewCall {
  readonly place: () => Promise<PlacedCall>;
  /** @param keep stores that the call is placed, before the turn is suspended */
  readonly replyTo: (placed: PlacedCall, keep: () => Promise<void>) => Promise<Stored>;
}

interface Waiting {
  readonly timeoutMs: number | undefined;
  /** As in `NewCall`; unset: the turn knows the called task by itself. */
  readonly keep?: () => Promise<void>;
}

/** The reply with its data as parsed by the schema, or with the schema for a later `join`. @throws {CallError} */
async function checked(reply: CallReply, schema: DataSchema<unknown> | undefined): Promise<CallReply> {
  if (!schema) return reply;
  const data = isDone(reply) ? await parsedData(schema, reply) : undefined;
  return Object.assign({ ...reply, data }, { [schemaKey]: schema });
}

/** The data of an answer, as parsed by the schema. @throws {CallError} */
async function parsedData<Data>(schema: DataSchema<Data>, { agent, taskId, data }: CallReply): Promise<Data> {
  const checked = await check(schema, data);
  if ('value' in checked) return checked.value;
  const why = `its data does not match the schema of the call: ${checked.problem}`;
  throw new CallError('unexpected-data', agent, { taskId, why });
}
