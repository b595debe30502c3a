/**
 * The rules of turns as pure functions from the record of a task to a verdict, the new record and events. The model
 * (test/model) checks them in every interleaving of small worlds; tests compare the Lua scripts with them.
 *
 * Three facts shape them. A queue may give a job to a second worker while the first still runs it; a job may be lost or
 * late; and the client library sends a command again when its reply was lost. Therefore the turn's fence, not the job,
 * decides who may write; `job` names the one job whose runs may begin turns, and job numbers are never reused;
 * and a script that is sent twice takes effect once, with a second reply that lets the caller continue in the same way.
 *
 * Invariant of an open task: inbox not empty ⇔ job ≠ 0 ⇔ in the outbox. After its end: none of them.
 * A scheduled task that is not due has a message in its inbox, but no job and no entry in the outbox; so has a task
 * whose turn is suspended. The first message may have a time to live until a turn begins with it: it is begun in that
 * time, or rejected, and never both.
 */

/** How a message during a turn is handled: '' it waits, s the turn receives it, r it is refused. */
export type WhileWorking = '' | 's' | 'r';

/** The letters of states in the store: s w i a; capitals are terminal. */
export type Letter = 's' | 'w' | 'i' | 'a' | 'C' | 'F' | 'X' | 'R';

export interface TaskRecord {
  readonly state: Letter;
  /** messageId → fingerprint */
  readonly accepted: Readonly<Record<string, string>>;
  /** Accepted messages that no turn has settled. A turn works on the first. */
  readonly inbox: readonly string[];
  /** The number of the job whose runs may begin turns; 0 if there is none. */
  readonly job: number;
  readonly jobs: number;
  /** Whether the task is due in the outbox; undefined if it is not in the outbox. */
  readonly outbox: Due | undefined;
  readonly epoch: number;
  /** A random id of the begin of this epoch: after a fail-over that lost a begin, its epoch is given out again. */
  readonly run: string;
  /** The fence of the turn that may write; '' if no turn is open. */
  readonly turn: string;
  readonly token: string;
  readonly started: number;
  readonly turnSeq: number;
  readonly attempts: number;
  readonly cancel: boolean;
  /** The setting of the turn that began last. */
  readonly whileWorking: WhileWorking;
  /** Whether a scheduled task is due; undefined if the task is not scheduled, or has begun. */
  readonly waits: Due | undefined;
  /** Its turn waits for an event, or for its time. */
  readonly suspended: boolean;
  /** Such an event was given, and its turn has not ended since. */
  readonly event: boolean;
  /** Whether the time to live of the first message has ended; undefined if it has none, or has begun. */
  readonly beginBy: Due | undefined;
  /** The state in which the task waited for the message with a time to live; '' if that message made the task. */
  readonly answers: Letter | '';
}

export type Due = 'due' | 'later';

export interface Reply {
  readonly verdict: string;
  readonly record: TaskRecord | undefined;
  readonly events: readonly Letter[];
  /** The message whose outcome this is, and the steering messages that it answers. */
  readonly settled?: readonly string[] | undefined;
  /** The message of a turn without an outcome: the last event of the task answers it. */
  readonly answered?: readonly string[];
  /** Messages that the end of the task left without a turn. */
  readonly dropped?: readonly string[];
  readonly job?: number;
  readonly fence?: string;
  readonly message?: string | undefined;
  readonly attempt?: number;
  readonly cancel?: boolean;
  /** Steering messages that the turn receives. */
  readonly given?: readonly string[];
  /** The message whose time to live had ended. */
  readonly rejected?: string | undefined;
  /** The number of the job that leaves the queue, if it still waits. */
  readonly removed?: number | undefined;
}

export const isTerminal = (state: Letter): boolean => state === state.toUpperCase();
export const isWaiting = (state: Letter): boolean => state === 'i' || state === 'a';

const NEW: TaskRecord = {
  state: 's',
  accepted: {},
  inbox: [],
  job: 0,
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
  suspended: false,
  event: false,
  beginBy: undefined,
  answers: '',
};

/**
 * Accepts a message; without a record it creates the task.
 * @param message.waits for a scheduled task: whether it is due
 * @param message.ttl its time to live, and whether it has ended; it counts if no message waits before it, and from the
 * begin of a scheduled task on
 */
export function accept(
  record: TaskRecord | undefined,
  {
    messageId,
    fingerprint,
    lease,
    waits,
    ttl,
  }: { messageId: string; fingerprint: string; lease: Due; waits?: Due | undefined; ttl?: Due | undefined },
): Reply {
  const known = record?.accepted[messageId];
  if (known) return unchanged(record, known === fingerprint ? 'duplicate' : 'conflict');
  const refusal = record && refusalOf(record);
  if (refusal) return unchanged(record, refusal);

  const before = record ?? NEW;
  const next = {
    ...before,
    accepted: { ...before.accepted, [messageId]: fingerprint },
    inbox: [...before.inbox, messageId],
  };
  if (!record && waits) return { verdict: 'accepted', record: { ...next, waits, beginBy: ttl }, events: ['s'] };
  if (record?.suspended && record.whileWorking === 's') return resumed(next, 'accepted', lease);
  if (before.job || before.suspended) return { verdict: 'accepted', record: next, events: [] };
  const answers = record && ttl ? record.state : '';
  return schedule({ ...next, state: 's', beginBy: ttl, answers }, { verdict: 'accepted', lease, events: ['s'] });
}

/** Why the task takes no message; undefined: it does. */
function refusalOf(record: TaskRecord): string | undefined {
  if (isTerminal(record.state)) return 'terminal';
  if (record.waits) return 'waits';
  if (record.cancel) return 'canceling';
  const runs = record.turn !== '' || record.suspended;
  return record.whileWorking === 'r' && runs && !isWaiting(record.state) ? 'working' : undefined;
}

/** Begins a scheduled task if it is due. */
export function beginScheduled(record: TaskRecord, { lease }: { lease: Due }): Reply {
  if (!record.waits) return unchanged(record, 'gone');
  if (record.waits === 'later') return unchanged(record, 'early');
  return schedule({ ...record, waits: undefined }, { verdict: 'begun', lease, events: ['s'] });
}

/** Begins a turn for the first message, for a run of a job. */
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
  if (job !== record.job) return unchanged(record, 'stale');
  const isOwner = record.turn !== '' && token === record.token;
  if (isOwner && run === record.run) return turnOf(record, unchanged(record, 'turn'));
  if (!isOwner && (started < record.started || (record.turn && started === record.started)))
    return unchanged(record, 'stale');
  if (record.cancel) return finish(record, { verdict: 'canceled', state: 'X' });
  if (record.beginBy === 'due') return { ...reject(record), removed: undefined };
  // The owner has ended this turn, but a fail-over lost that: it runs again without spending an attempt.
  const attempts = record.attempts - (isOwner ? 1 : 0);
  if (attempts >= maxAttempts) return giveUp(record, 'exhausted');

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
    ...NO_TIME_TO_LIVE,
  };
  const withdrawn = withdrawQuestion(begun);
  return turnOf(withdrawn.record, { verdict: 'turn', ...withdrawn });
}

/** Rejects the first message if its time to live has ended before a turn began with it. */
export function rejectMessage(record: TaskRecord): Reply {
  return record.beginBy === 'due' && !record.waits ? reject(record) : unchanged(record, 'idle');
}

/** If the message made the task, the task ends; otherwise it waits for its client again, or the next message is first. */
function reject(record: TaskRecord): Reply {
  const [rejected] = record.inbox;
  const next = { ...pop(record, []), ...NO_TIME_TO_LIVE };
  const reply = { verdict: 'rejected', rejected, answered: record.inbox.slice(0, 1) };
  if (!record.answers) return { ...finish(next, { verdict: 'rejected', state: 'R' }), ...reply, removed: record.job };
  if (next.inbox.length) return { ...reply, record: { ...next, state: 's' }, events: ['s'] };
  const waiting = { ...next, state: record.answers, job: 0, started: 0, outbox: undefined };
  return { ...reply, record: waiting, events: [record.answers], removed: record.job };
}

const NO_TIME_TO_LIVE = { beginBy: undefined, answers: '' } as const;

export interface Append {
  readonly fence: string;
  readonly number: number;
  readonly state: Letter;
  readonly settles: boolean;
  readonly endsJobAfterTurn: boolean;
  readonly lease: Due;
  /** Steering messages that the turn has received: an outcome answers them, too. */
  readonly delivered: readonly string[];
}

/** The messages that wait behind the turn's own, without the first `after`. They stay in the inbox. */
export function steered(record: TaskRecord, { fence, after }: { fence: string; after: number }): Reply {
  if (fence !== record.turn) return unchanged(record, 'fenced');
  return { ...unchanged(record, 'given'), given: record.inbox.slice(1 + after) };
}

/** Appends an event of the open turn. It does not renew the lease of the process: a timer does. */
export function append(
  record: TaskRecord,
  { fence, number, state, settles, endsJobAfterTurn, lease, delivered }: Append,
): Reply {
  if (fence === lastFence(record) && number <= record.turnSeq)
    return { ...unchanged(record, record.turn ? 'appended' : 'more'), cancel: record.cancel };
  if (fence !== record.turn) return unchanged(record, 'fenced');
  // A fail-over lost events before this one, which it continues.
  if (number > record.turnSeq + 1) return unchanged(record, 'gap');
  if (!isNext(record, delivered)) return unchanged(record, 'gap');

  const next: TaskRecord = { ...record, state, turnSeq: number };
  if (state === 'C' && record.inbox.length > 1 + delivered.length && !record.cancel)
    return settle({ ...next, state: 'w' }, { events: ['w'], endsJobAfterTurn, lease, delivered });
  if (isTerminal(state))
    return finish(pop(next, delivered), { verdict: 'idle', state, settled: settledBy(record, delivered) });
  if (settles) return settle(next, { events: [state], endsJobAfterTurn, lease, delivered });
  return { verdict: 'appended', record: next, events: [state], cancel: record.cancel };
}

/** The number of events that a run has published: if the record has fewer, a fail-over lost some. */
export interface Published {
  readonly published: number;
}

/** Ends a turn whose last event left the task waiting. */
export function endTurn(
  record: TaskRecord,
  turn: Published & { fence: string; endsJobAfterTurn: boolean; lease: Due; delivered: readonly string[] },
): Reply {
  if (isOver(record, turn.fence)) return unchanged(record, 'more');
  if (turn.fence !== record.turn) return unchanged(record, 'fenced');
  if (turn.published > record.turnSeq) return unchanged(record, 'gap');
  if (!isWaiting(record.state)) return unchanged(record, 'unsettled');
  if (!isNext(record, turn.delivered)) return unchanged(record, 'gap');
  return settle(record, { events: [], ...turn });
}

/** Gives an unfinished turn back; its message stays first. */
export function handBackTurn(record: TaskRecord, turn: { fence: string; isSpent: boolean; lease: Due }): Reply {
  if (isOver(record, turn.fence)) return unchanged(record, 'given-back');
  if (turn.fence !== record.turn) return unchanged(record, 'fenced');
  if (record.cancel) return finish(record, { verdict: 'canceled', state: 'X' });
  const attempts = record.attempts - (turn.isSpent ? 0 : 1);
  return {
    verdict: 'given-back',
    ...withdrawQuestion({ ...record, turn: '', token: '', attempts, outbox: turn.lease }),
  };
}

/** Ends the run of a turn that waits for an event; it goes on with a new job. An event that was given ends the wait. */
export function suspendTurn(record: TaskRecord, turn: Published & { fence: string; lease: Due }): Reply {
  if (isOver(record, turn.fence)) return unchanged(record, 'suspended');
  if (turn.fence !== record.turn) return unchanged(record, 'fenced');
  if (turn.published > record.turnSeq) return unchanged(record, 'gap');
  if (record.cancel) return finish(record, { verdict: 'canceled', state: 'X' });
  const closed = { ...record, turn: '', token: '', attempts: record.attempts - 1 };
  if (record.event) {
    const { record: open, events } = withdrawQuestion(closed);
    return schedule(open, { verdict: 'suspended', lease: turn.lease, events });
  }
  const waiting = { ...closed, job: 0, started: 0, outbox: undefined, suspended: true, state: 'w' as const };
  return { verdict: 'suspended', record: waiting, events: ['w'] };
}

/** Gives the turn of the task an event; given again, it is the same one. */
export function giveEvent(record: TaskRecord, { lease }: { lease: Due }): Reply {
  if (isTerminal(record.state)) return unchanged(record, 'terminal');
  if (record.cancel) return unchanged(record, 'canceling');
  if (!record.inbox.length) return unchanged(record, 'idle');
  if (record.event) return unchanged(record, 'known');
  const given = { ...record, event: true };
  return record.suspended ? resumed(given, 'resumed', lease) : { verdict: 'given', record: given, events: [] };
}

/** Resumes a suspended turn whose time has come. */
export function resumeTurn(record: TaskRecord, { lease }: { lease: Due }): Reply {
  return record.suspended ? resumed(record, 'resumed', lease) : unchanged(record, 'idle');
}

const resumed = (record: TaskRecord, verdict: string, lease: Due): Reply =>
  schedule({ ...record, suspended: false, state: 'w' }, { verdict, lease, events: ['w'] });

/** Fails a task whose attempts are spent. */
export function giveUpTurn(record: TaskRecord, turn: Published & { fence: string }): Reply {
  if (isOver(record, turn.fence)) return unchanged(record, 'given-up');
  if (turn.fence !== record.turn) return unchanged(record, 'fenced');
  if (turn.published > record.turnSeq) return unchanged(record, 'gap');
  if (record.cancel) return finish(record, { verdict: 'canceled', state: 'X' });
  return giveUp(record, 'given-up');
}

export function cancel(record: TaskRecord | undefined): Reply {
  if (!record) return unchanged(record, 'missing');
  if (record.state === 'X') return unchanged(record, 'canceled');
  if (isTerminal(record.state)) return unchanged(record, 'terminal');
  if (!record.turn) return finish(record, { verdict: 'canceled', state: 'X' });
  return { verdict: 'requested', record: { ...record, cancel: true }, events: [] };
}

/** Sweeps a task whose entry in the outbox is due. */
export function sweep(record: TaskRecord, { lease }: { lease: Due }): Reply {
  if (record.outbox !== 'due') return unchanged(record, 'idle');
  if (record.cancel) return finish(record, { verdict: 'canceled', state: 'X' });
  return { verdict: 'add', job: record.job, record: { ...record, started: 0, outbox: lease }, events: [] };
}

function settle(
  record: TaskRecord,
  {
    events,
    endsJobAfterTurn,
    lease,
    delivered,
  }: { events: readonly Letter[]; endsJobAfterTurn: boolean; lease: Due; delivered: readonly string[] },
): Reply {
  const settled = settledBy(record, delivered);
  const next = pop(record, delivered);
  if (record.cancel) return finish(next, { verdict: 'canceled', state: 'X', events, settled });
  if (!next.inbox.length)
    return { verdict: 'idle', record: { ...next, job: 0, started: 0, outbox: undefined }, events, settled };
  const waiting = withdrawQuestion({ ...next, outbox: lease });
  const written = [...events, ...waiting.events];
  if (!endsJobAfterTurn) return { verdict: 'more', record: waiting.record, events: written, settled };
  return { ...schedule(waiting.record, { verdict: 'successor', lease, events: written }), settled };
}

const giveUp = (record: TaskRecord, verdict: string): Reply => ({
  ...finish(pop(record, []), { verdict, state: 'F' }),
  answered: record.inbox.slice(0, 1),
});

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
    job: 0,
    outbox: undefined,
    turn: '',
    token: '',
    started: 0,
    attempts: 0,
    cancel: false,
    waits: undefined,
    suspended: false,
    event: false,
    ...NO_TIME_TO_LIVE,
  };
  return {
    ...rest,
    verdict,
    record: { ...record, ...nothing, state },
    events: [...events, state],
    answered: record.turn ? record.inbox.slice(0, 1) : [],
    dropped: record.turn ? record.inbox.slice(1) : record.inbox,
  };
}

function schedule(record: TaskRecord, reply: { verdict: string; lease: Due; events: readonly Letter[] }): Reply {
  const job = record.jobs + 1;
  const { verdict, lease, events } = reply;
  return { verdict, job, events, record: { ...record, job: job, jobs: job, started: 0, outbox: lease } };
}

/** Whether the delivered messages are still next in the inbox: a fail-over may have lost some. */
const isNext = ({ inbox }: TaskRecord, delivered: readonly string[]): boolean =>
  delivered.every((messageId, i) => inbox[i + 1] === messageId);

const settledBy = ({ inbox }: TaskRecord, delivered: readonly string[]): readonly string[] =>
  inbox.slice(0, 1 + delivered.length);

const pop = (record: TaskRecord, delivered: readonly string[]): TaskRecord => ({
  ...record,
  inbox: record.inbox.slice(1 + delivered.length),
  turn: '',
  token: '',
  attempts: 0,
  event: false,
});

/** The fence of the turn that began last, open or not. */
export const lastFence = ({ epoch, run }: TaskRecord): string => `${epoch}.${run}`;

/** Whether this turn has ended, and none has begun since: then the command has been executed before. */
const isOver = (record: TaskRecord, fence: string): boolean => !record.turn && fence === lastFence(record);

const turnOf = (record: TaskRecord, reply: Reply): Reply => ({
  ...reply,
  fence: record.turn,
  message: record.inbox[0],
  attempt: record.attempts,
  cancel: record.cancel,
});

const unchanged = (record: TaskRecord | undefined, verdict: string): Reply => ({ verdict, record, events: [] });
