import type { Priority, TaskState } from '@switchyard/protocol';
import { stateOf } from '@switchyard/store/inside';
import type { TaskDelivery } from './task-deliveries.ts';
import { type Failure, isOfAttempt } from './task-failures.ts';
import type { TaskRecord } from './task-record.ts';
import { type WaitEntry, waitsIn } from './timeline-waits.ts';
import { noteIn, type WorkEntry, workIn } from './timeline-work.ts';

/** The facts from which a timeline is made. */
export interface TimelineFacts {
  readonly record: TaskRecord;
  readonly deadLetter: boolean;
  /** `l<epoch>`, `e<epoch>` and `f<epoch>` of the record: see fields.lua. */
  readonly attempts: Readonly<Record<string, string>>;
  /** See note.lua. */
  readonly notes: readonly string[];
  readonly failures: readonly Failure[];
  readonly statuses: readonly StatusFact[];
  /** There are, or were, other notes or statuses. */
  readonly isPartial: boolean;
  /** Time of its status. */
  readonly statusMs: number;
  /** Since when its job waits; unset: it does not. */
  readonly waitsSinceMs: number | undefined;
  /** Remaining lease of the open turn. */
  readonly leaseMs: number;
  readonly deliveries: readonly TaskDelivery[];
  readonly listeningProcesses: number;
  readonly caller: string | undefined;
}

export interface StatusFact {
  readonly seq: number;
  readonly letter: string;
  /** A message was accepted: the task is submitted, and not again. */
  readonly isAcceptance: boolean;
  readonly atMs: number;
}

interface At {
  /** ISO time. */
  readonly at: string;
  readonly epoch?: number;
}

interface Queued {
  readonly kind: 'queued';
  readonly untilAt?: string;
  /** When the message is rejected if no worker has begun it, or was. */
  readonly beginBy?: string;
  /** Unset: normal. */
  readonly priority?: Priority;
}

/** One event in the life of a task. `untilAt` unset: it goes on. */
export type TimelineEntry =
  | (At & { readonly kind: 'accepted'; readonly number: number; readonly from: string })
  | (At & Queued)
  | (At & {
      readonly kind: 'attempt';
      readonly attempt: number;
      readonly worker: string;
      readonly waitedMs: number;
      readonly isTakenOver: boolean;
      readonly untilAt?: string;
      /** `failed`: the task has ended with a failure. */
      readonly end: 'settled' | 'failed' | 'given-back' | 'retried' | 'gave-up' | 'suspended' | 'taken-over' | 'open';
      readonly leaseMs?: number;
      /** Why it failed, or was interrupted. */
      readonly failure?: Failure;
    })
  | (At & { readonly kind: 'fenced'; readonly worker?: string })
  | WorkEntry
  | WaitEntry
  | (At & { readonly kind: 'late'; readonly beginBy: string })
  | (At & { readonly kind: 'status'; readonly seq: number; readonly state: TaskState });

export interface Timeline {
  /** Earliest first. */
  readonly entries: TimelineEntry[];
  /** Number of attempts before the first that is kept. */
  readonly earlierAttempts: number;
  /** It lacks the first steps and calls, or statuses in the middle: there are too many. */
  readonly isPartial: boolean;
  readonly deliveries: TaskDelivery[];
  /** Processes that listen to its events; on a Redis Cluster, as far as one node knows. */
  readonly listeningProcesses: number;
  /** Id of the task that called this one. */
  readonly calledBy?: string;
}

export function timelineOf(facts: TimelineFacts): Timeline {
  const { record, deliveries, caller } = facts;
  const attempts = attemptsOf(facts);
  const entries = [
    ...acceptances(facts),
    ...attempts.flatMap(({ began, waitedMs }) => queuedBefore(began, waitedMs)),
    ...queuedNow(facts),
    ...lateMessages(facts),
    ...attempts.map((attempt) => attemptEntry(facts, attempts, attempt)),
    ...lateWrites(facts, attempts),
    ...workIn(facts.notes, facts.failures),
    ...waitsIn(facts.notes, record.isTerminal ? facts.statusMs : undefined),
    ...facts.statuses.map(
      ({ seq, letter, atMs }) => ({ kind: 'status', at: iso(atMs), seq, state: stateOf(letter) }) as const,
    ),
  ];
  return {
    // Sorting keeps the order of entries with the same time.
    entries: entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
    earlierAttempts: record.epoch - attempts.length,
    isPartial: facts.isPartial,
    deliveries: [...deliveries],
    listeningProcesses: facts.listeningProcesses,
    ...(caller !== undefined && { calledBy: caller }),
  };
}

interface Attempt {
  readonly epoch: number;
  readonly began: number;
  readonly attempt: number;
  readonly waitedMs: number;
  readonly worker: string;
  readonly isTakenOver: boolean;
}

function attemptsOf({ attempts }: TimelineFacts): Attempt[] {
  const read = (name: string, text: string): Attempt => {
    const [began, attempt, waitedMs, worker = '', takenOver] = text.split(' ');
    const numbers = { began: Number(began), attempt: Number(attempt), waitedMs: Number(waitedMs) };
    return { epoch: Number(name.slice(1)), ...numbers, worker, isTakenOver: takenOver === 't' };
  };
  return Object.entries(attempts)
    .flatMap(([name, text]) => (name.startsWith('l') ? [read(name, text)] : []))
    .sort((a, b) => a.epoch - b.epoch);
}

function attemptEntry(facts: TimelineFacts, attempts: readonly Attempt[], one: Attempt): TimelineEntry {
  const { epoch, attempt, waitedMs, worker, isTakenOver } = one;
  const { end, untilMs } = endOf(facts, attempts, epoch);
  const failure = failureOf(facts, attempts, { ...one, end, untilMs });
  return {
    kind: 'attempt',
    at: iso(one.began),
    epoch,
    attempt,
    worker,
    waitedMs,
    isTakenOver,
    end: end === 'settled' && failure?.kind !== undefined && hasFailed(facts, epoch) ? 'failed' : end,
    ...(untilMs !== undefined && { untilAt: iso(untilMs) }),
    ...(end === 'open' && { leaseMs: facts.leaseMs }),
    ...(failure && { failure }),
  };
}

type End = Extract<TimelineEntry, { kind: 'attempt' }>['end'];
const ends: Readonly<Record<string, End>> = { s: 'settled', r: 'given-back', q: 'retried', w: 'suspended' };

function endOf(
  { record, attempts: fields, deadLetter, statusMs }: TimelineFacts,
  attempts: readonly Attempt[],
  epoch: number,
): { end: End; untilMs?: number } {
  const [ms, letter = ''] = fields[`e${epoch}`]?.split(' ') ?? [];
  if (ms !== undefined) return { end: ends[letter] ?? 'settled', untilMs: Number(ms) };
  const next = attempts.find((each) => each.epoch > epoch);
  if (next) return { end: 'taken-over', untilMs: next.began };
  if (record.openTurn === epoch) return { end: 'open' };
  return { end: deadLetter ? 'gave-up' : 'settled', untilMs: statusMs };
}

/** The task has ended with this attempt, and not well. */
function hasFailed({ record }: TimelineFacts, epoch: number): boolean {
  return record.epoch === epoch && (record.state === 'TASK_STATE_FAILED' || record.state === 'TASK_STATE_REJECTED');
}

interface AttemptEnd extends Attempt {
  readonly end: End;
  readonly untilMs: number | undefined;
}

/** Why an attempt failed: as its worker said last, or as others know of an attempt that could not say it. */
function failureOf(facts: TimelineFacts, attempts: readonly Attempt[], one: AttemptEnd): Failure | undefined {
  const { epoch, attempt, worker, untilMs = 0 } = one;
  const said = facts.failures.findLast((failure) => isOfAttempt(failure) && failure.epoch === epoch);
  if (said) return said;
  const known = derivedFailure(facts, attempts, one);
  return known && { ...known, at: iso(untilMs), epoch, attempt, worker };
}

function derivedFailure(
  { record }: TimelineFacts,
  attempts: readonly Attempt[],
  { epoch, end, worker }: AttemptEnd,
): Pick<Failure, 'kind' | 'message'> | undefined {
  const lost = { kind: 'worker-lost', message: `Worker ${worker} stopped while it ran the attempt.` } as const;
  if (end === 'gave-up') return lost;
  if (end === 'given-back')
    return { kind: 'shutdown', message: `Worker ${worker} gave the attempt back; it does not count.` };
  if (end === 'taken-over') {
    const isOwn = attempts.find((each) => each.epoch > epoch)?.worker === worker;
    return isOwn ? { kind: 'taken-over', message: `Worker ${worker} had lost Redis, and began again.` } : lost;
  }
  if (end !== 'settled' || record.epoch !== epoch || record.state !== 'TASK_STATE_CANCELED') return undefined;
  return { kind: 'canceled', message: 'The task was canceled while the attempt ran.' };
}

function acceptances({ record, statuses, caller }: TimelineFacts): TimelineEntry[] {
  const from = caller ?? `${record.tenant}/${record.subject}`;
  return statuses
    .filter(({ isAcceptance }) => isAcceptance)
    .map(({ atMs }, i) => ({ kind: 'accepted', at: iso(atMs), number: i + 1, from }));
}

function queuedBefore(began: number, waitedMs: number): TimelineEntry[] {
  return waitedMs > 0 ? [{ kind: 'queued', at: iso(began - waitedMs), untilAt: iso(began) }] : [];
}

function queuedNow({ waitsSinceMs, record: { beginBy, priority } }: TimelineFacts): TimelineEntry[] {
  if (waitsSinceMs === undefined) return [];
  return [{ kind: 'queued', at: iso(waitsSinceMs), ...(beginBy && { beginBy }), ...(priority && { priority }) }];
}

/** Messages that no worker began in their time to live: their waits, and their rejections. */
function lateMessages({ notes, statuses, record: { priority } }: TimelineFacts): TimelineEntry[] {
  return lateNotes(notes).flatMap(({ atMs, rest }): TimelineEntry[] => {
    const accepted = statuses.findLast(({ letter, atMs: ms }) => letter === 's' && ms < atMs);
    const [at, beginBy] = [iso(atMs), iso(Number(rest))];
    const wait = accepted && { at: iso(accepted.atMs), untilAt: at, beginBy, ...(priority && { priority }) };
    return [...(wait ? [{ kind: 'queued', ...wait } as const] : []), { kind: 'late', at, beginBy }];
  });
}

const lateNotes = (notes: readonly string[]) => notes.map(noteIn).filter(({ verb }) => verb === 'late');

function lateWrites({ attempts: fields }: TimelineFacts, attempts: readonly Attempt[]): TimelineEntry[] {
  return Object.entries(fields).flatMap(([name, ms]): TimelineEntry[] => {
    if (!name.startsWith('f')) return [];
    const epoch = Number(name.slice(1));
    const worker = attempts.find((each) => each.epoch === epoch)?.worker;
    return [{ kind: 'fenced', at: iso(Number(ms)), epoch, ...(worker !== undefined && { worker }) }];
  });
}

const iso = (ms: number): string => new Date(ms).toISOString();
