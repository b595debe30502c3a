/**
 * The rules of turns as pure functions: the record of one task in; verdict, new record and events out. They were
 * checked over every interleaving of a small world; here they are the reference that the Lua scripts are held against.
 *
 * Three facts shape them. A queue hands a job to a second worker while the first still runs; a job may vanish or come
 * late; and a client library sends a command again when its reply was lost. So the turn's fencing token, not the job,
 * decides who may write; `scheduled` names the one job whose runs may begin turns, and numbers are never used again;
 * and a script that is sent twice takes effect once, its second answer leading the caller to the same place.
 *
 * Invariant, while the task lives: inbox not empty ⇔ scheduled ≠ 0 ⇔ in the outbox. After the end: none of them.
 * While a task waits for its time, its inbox has a message, and the others are not.
 */

/** What becomes of a message that comes while the turn runs: '' it waits, s the turn gets it, r it is refused. */
export type WhileWorking = '' | 's' | 'r';

/** As in the store: s w i a, capitals terminal. */
export type Letter = 's' | 'w' | 'i' | 'a' | 'C' | 'F' | 'X' | 'R';

export interface TaskRecord {
  readonly state: Letter;
  /** messageId → fingerprint */
  readonly accepted: Readonly<Record<string, string>>;
  /** Accepted messages that no turn has settled; a turn works on the first. */
  readonly inbox: readonly string[];
  /** The job whose runs may begin turns; 0: none. */
  readonly scheduled: number;
  readonly jobs: number;
  /** `due` is a moment that has come, `later` one that has not; undefined: not in the outbox. */
  readonly outbox: Due | undefined;
  readonly epoch: number;
  /**
   * Drawn for the begin that gave out the epoch: a fail-over that forgets a begin lets its number be given out again.
   */
  readonly run: string;
  /** Fencing token of the turn that may write; '': none is open. */
  readonly turn: string;
  readonly token: string;
  readonly started: number;
  readonly turnSeq: number;
  readonly attempts: number;
  readonly cancel: boolean;
  /** Of the turn that began last. */
  readonly whileWorking: WhileWorking;
  /** Whether the time has come that it waits for; undefined: it waits for none. */
  readonly waits: Due | undefined;
}

export type Due = 'due' | 'later';

export interface Reply {
  readonly verdict: string;
  readonly record: TaskRecord | undefined;
  readonly events: readonly Letter[];
  /** The message whose outcome this is, and those that it has taken beside it. */
  readonly settled?: readonly string[] | undefined;
  /** Messages that the end of the task left without a turn. */
  readonly dropped?: readonly string[];
  readonly job?: number;
  readonly fence?: string;
  readonly message?: string | undefined;
  readonly attempt?: number;
  readonly cancel?: boolean;
  /** Messages that a turn is given beside its own. */
  readonly given?: readonly string[];
}

export const isTerminal = (state: Letter): boolean => state === state.toUpperCase();
export const isWaiting = (state: Letter): boolean => state === 'i' || state === 'a';

const NEW: TaskRecord = {
  state: 's',
  accepted: {},
  inbox: [],
  scheduled: 0,
  jobs: 0,
  outbox: undefined,
  epoch: 0,
  run: '',
  turn: '',
  token: '',
  started: 0,
  turnSeq: 0,
  attempts: 0,
  cancel: false,
  whileWorking: '',
  waits: undefined,
};

/** A message of a client; `undefined`: it makes the task. @param message.waits of one for later */
export function accept(
  record: TaskRecord | undefined,
  {
    messageId,
    fingerprint,
    lease,
    waits,
  }: { messageId: string; fingerprint: string; lease: Due; waits?: Due | undefined },
): Reply {
  const known = record?.accepted[messageId];
  if (known) return unchanged(record, known === fingerprint ? 'duplicate' : 'conflict');
  if (record && isTerminal(record.state)) return unchanged(record, 'terminal');
  if (record?.waits) return unchanged(record, 'waits');
  if (record?.cancel) return unchanged(record, 'canceling');
  if (record?.turn && record.whileWorking === 'r' && !isWaiting(record.state)) return unchanged(record, 'working');

  const before = record ?? NEW;
  const next = {
    ...before,
    accepted: { ...before.accepted, [messageId]: fingerprint },
    inbox: [...before.inbox, messageId],
  };
  if (!record && waits) return { verdict: 'scheduled', job: 0, record: { ...next, waits }, events: ['s'] };
  if (before.scheduled) return { verdict: 'queued', record: next, events: [] };
  return schedule({ ...next, state: 's' }, { verdict: 'scheduled', lease, events: ['s'] });
}

/** The time has come that a task waits for. */
export function beginLater(record: TaskRecord, { lease }: { lease: Due }): Reply {
  if (!record.waits) return unchanged(record, 'gone');
  if (record.waits === 'later') return unchanged(record, 'early');
  return schedule({ ...record, waits: undefined }, { verdict: 'begun', lease, events: ['s'] });
}

/** A run of a job asks for the first message. */
export function beginTurn(
  record: TaskRecord | undefined,
  begin: {
    job: number;
    started: number;
    token: string;
    run: string;
    maxAttempts: number;
    lease: Due;
    whileWorking: WhileWorking;
  },
): Reply {
  if (!record) return unchanged(record, 'missing');
  const { job, started, token, run, maxAttempts, lease, whileWorking } = begin;
  if (job !== record.scheduled) return unchanged(record, 'stale');
  const isOwner = record.turn !== '' && token === record.token;
  if (isOwner && run === record.run) return turnOf(record, unchanged(record, 'turn'));
  if (!isOwner && (started < record.started || (record.turn && started === record.started)))
    return unchanged(record, 'stale');
  if (record.cancel) return finish(record, { verdict: 'canceled', state: 'X' });
  // The owner has ended this turn, and a fail-over has forgotten that: it runs again, at no attempt's cost.
  const attempts = record.attempts - (isOwner ? 1 : 0);
  if (attempts >= maxAttempts) return finish(record, { verdict: 'exhausted', state: 'F' });

  const epoch = record.epoch + 1;
  const begun = {
    ...record,
    epoch,
    run,
    turn: `${epoch}.${run}`,
    token,
    started,
    turnSeq: 0,
    whileWorking,
    attempts: attempts + 1,
    outbox: lease,
  };
  const withdrawn = withdrawQuestion(begun);
  return turnOf(withdrawn.record, { verdict: 'turn', ...withdrawn });
}

export interface Append {
  readonly fence: string;
  readonly number: number;
  readonly state: Letter;
  readonly settles: boolean;
  readonly handsOver: boolean;
  readonly lease: Due;
  /** Messages that the turn was given beside its own: an outcome answers them, too. */
  readonly taken: readonly string[];
}

/** The messages that wait behind the turn's own, without the first `after`. They go on to wait. */
export function steered(record: TaskRecord, { fence, after }: { fence: string; after: number }): Reply {
  if (fence !== record.turn) return unchanged(record, 'fenced');
  return { ...unchanged(record, 'given'), given: record.inbox.slice(1 + after) };
}

/** An event of the open turn. It is no heartbeat: a timer renews the job's lease, not the event. */
export function append(record: TaskRecord, { fence, number, state, settles, handsOver, lease, taken }: Append): Reply {
  if (fence === lastFence(record) && number <= record.turnSeq)
    return { ...unchanged(record, record.turn ? 'appended' : 'more'), cancel: record.cancel };
  if (fence !== record.turn) return unchanged(record, 'fenced');
  // A fail-over of Redis lost events before this one: what it continues is not there.
  if (number > record.turnSeq + 1) return unchanged(record, 'gap');
  if (!isNext(record, taken)) return unchanged(record, 'gap');

  const next: TaskRecord = { ...record, state, turnSeq: number };
  if (state === 'C' && record.inbox.length > 1 + taken.length && !record.cancel)
    return settle({ ...next, state: 'w' }, { events: ['w'], handsOver, lease, taken });
  if (isTerminal(state)) return finish(pop(next, taken), { verdict: 'idle', state, settled: settledBy(record, taken) });
  if (settles) return settle(next, { events: [state], handsOver, lease, taken });
  return { verdict: 'appended', record: next, events: [state], cancel: record.cancel };
}

/** Ends a turn whose last event left the task waiting. */
export function endTurn(
  record: TaskRecord,
  turn: { fence: string; handsOver: boolean; lease: Due; taken: readonly string[] },
): Reply {
  if (isOver(record, turn.fence)) return unchanged(record, 'more');
  if (turn.fence !== record.turn) return unchanged(record, 'fenced');
  if (!isWaiting(record.state)) return unchanged(record, 'unsettled');
  if (!isNext(record, turn.taken)) return unchanged(record, 'gap');
  return settle(record, { events: [], ...turn });
}

/** Gives the turn back unfinished; the message stays first. */
export function releaseTurn(record: TaskRecord, turn: { fence: string; isSpent: boolean; lease: Due }): Reply {
  if (isOver(record, turn.fence)) return unchanged(record, 'released');
  if (turn.fence !== record.turn) return unchanged(record, 'fenced');
  if (record.cancel) return finish(record, { verdict: 'canceled', state: 'X' });
  const attempts = record.attempts - (turn.isSpent ? 0 : 1);
  return { verdict: 'released', ...withdrawQuestion({ ...record, turn: '', token: '', attempts, outbox: turn.lease }) };
}

/** The attempts are spent: the task fails. */
export function giveUpTurn(record: TaskRecord, turn: { fence: string }): Reply {
  if (isOver(record, turn.fence)) return unchanged(record, 'given-up');
  if (turn.fence !== record.turn) return unchanged(record, 'fenced');
  if (record.cancel) return finish(record, { verdict: 'canceled', state: 'X' });
  return finish(record, { verdict: 'given-up', state: 'F' });
}

export function cancel(record: TaskRecord | undefined): Reply {
  if (!record) return unchanged(record, 'missing');
  if (record.state === 'X') return unchanged(record, 'canceled');
  if (isTerminal(record.state)) return unchanged(record, 'terminal');
  if (!record.turn) return finish(record, { verdict: 'canceled', state: 'X' });
  return { verdict: 'requested', record: { ...record, cancel: true }, events: [] };
}

/** Neither a job nor an event of the task's turn was seen for a while. */
export function sweep(record: TaskRecord, { lease }: { lease: Due }): Reply {
  if (record.outbox !== 'due') return unchanged(record, 'idle');
  if (record.cancel) return finish(record, { verdict: 'canceled', state: 'X' });
  return { verdict: 'add', job: record.scheduled, record: { ...record, started: 0, outbox: lease }, events: [] };
}

function settle(
  record: TaskRecord,
  {
    events,
    handsOver,
    lease,
    taken,
  }: { events: readonly Letter[]; handsOver: boolean; lease: Due; taken: readonly string[] },
): Reply {
  const settled = settledBy(record, taken);
  const next = pop(record, taken);
  if (record.cancel) return finish(next, { verdict: 'canceled', state: 'X', events, settled });
  if (!next.inbox.length)
    return { verdict: 'idle', record: { ...next, scheduled: 0, started: 0, outbox: undefined }, events, settled };
  const waiting = withdrawQuestion({ ...next, outbox: lease });
  const written = [...events, ...waiting.events];
  if (!handsOver) return { verdict: 'more', record: waiting.record, events: written, settled };
  return { ...schedule(waiting.record, { verdict: 'successor', lease, events: written }), settled };
}

function withdrawQuestion(record: TaskRecord): { record: TaskRecord; events: readonly Letter[] } {
  return isWaiting(record.state) ? { record: { ...record, state: 's' }, events: ['s'] } : { record, events: [] };
}

function finish(
  record: TaskRecord,
  {
    verdict,
    state,
    events = [],
    ...rest
  }: Pick<Reply, 'verdict' | 'settled'> & { state: Letter; events?: readonly Letter[] },
): Reply {
  const nothing = {
    inbox: [],
    scheduled: 0,
    outbox: undefined,
    turn: '',
    token: '',
    started: 0,
    attempts: 0,
    cancel: false,
    waits: undefined,
  };
  return {
    ...rest,
    verdict,
    record: { ...record, ...nothing, state },
    events: [...events, state],
    dropped: record.inbox,
  };
}

function schedule(record: TaskRecord, reply: { verdict: string; lease: Due; events: readonly Letter[] }): Reply {
  const job = record.jobs + 1;
  const { verdict, lease, events } = reply;
  return { verdict, job, events, record: { ...record, scheduled: job, jobs: job, started: 0, outbox: lease } };
}

/** A fail-over may have lost messages that the turn was given. */
const isNext = ({ inbox }: TaskRecord, taken: readonly string[]): boolean =>
  taken.every((messageId, i) => inbox[i + 1] === messageId);

const settledBy = ({ inbox }: TaskRecord, taken: readonly string[]): readonly string[] =>
  inbox.slice(0, 1 + taken.length);

const pop = (record: TaskRecord, taken: readonly string[]): TaskRecord => ({
  ...record,
  inbox: record.inbox.slice(1 + taken.length),
  turn: '',
  token: '',
  attempts: 0,
});

/** Of the turn that began last, open or not. */
export const lastFence = ({ epoch, run }: TaskRecord): string => `${epoch}.${run}`;

/** The turn is closed and none has begun since: what is asked was done already. */
const isOver = (record: TaskRecord, fence: string): boolean => !record.turn && fence === lastFence(record);

const turnOf = (record: TaskRecord, reply: Reply): Reply => ({
  ...reply,
  fence: record.turn,
  message: record.inbox[0],
  attempt: record.attempts,
  cancel: record.cancel,
});

const unchanged = (record: TaskRecord | undefined, verdict: string): Reply => ({ verdict, record, events: [] });
