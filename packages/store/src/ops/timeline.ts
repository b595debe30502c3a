import type { TaskState } from '@switchyard/protocol';
import { agentOf } from '../redis/scope.ts';
import { stateOf } from '../tasks/state-letters.ts';
import type { TaskDelivery } from './task-deliveries.ts';
import type { TaskRecord } from './task-record.ts';

/** The facts from which a timeline is made. */
export interface TimelineFacts {
  readonly record: TaskRecord;
  readonly deadLetter: boolean;
  /** `l<epoch>`, `e<epoch>` and `f<epoch>` of the record: see fields.lua. */
  readonly attempts: Readonly<Record<string, string>>;
  /** See note.lua. */
  readonly notes: readonly string[];
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
  readonly atMs: number;
}

interface At {
  /** ISO time. */
  readonly at: string;
  readonly epoch?: number;
}

/** One event in the life of a task. `untilAt` unset: it goes on. */
export type TimelineEntry =
  | (At & { readonly kind: 'accepted'; readonly number: number; readonly from: string })
  | (At & { readonly kind: 'queued'; readonly untilAt?: string })
  | (At & {
      readonly kind: 'attempt';
      readonly attempt: number;
      readonly worker: string;
      readonly waitedMs: number;
      readonly isTakenOver: boolean;
      readonly untilAt?: string;
      readonly end: 'settled' | 'released' | 'retried' | 'gave-up' | 'taken-over' | 'open';
      readonly leaseMs?: number;
    })
  | (At & { readonly kind: 'fenced'; readonly worker?: string })
  | (At & { readonly kind: 'step'; readonly name: string; readonly untilAt?: string; readonly isRemembered: boolean })
  | (At & { readonly kind: 'call'; readonly taskId: string; readonly agent: string; readonly isDetached: boolean })
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
    ...acceptances(facts, attempts),
    ...attempts.flatMap(({ began, waitedMs }) => queuedBefore(began, waitedMs)),
    ...queuedNow(facts),
    ...attempts.map((attempt) => attemptEntry(facts, attempts, attempt)),
    ...lateWrites(facts, attempts),
    ...notedEntries(facts.notes),
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
  return {
    kind: 'attempt',
    at: iso(one.began),
    epoch,
    attempt,
    worker,
    waitedMs,
    isTakenOver,
    end,
    ...(untilMs !== undefined && { untilAt: iso(untilMs) }),
    ...(end === 'open' && { leaseMs: facts.leaseMs }),
  };
}

type End = Extract<TimelineEntry, { kind: 'attempt' }>['end'];
const ends: Readonly<Record<string, End>> = { s: 'settled', r: 'released', q: 'retried' };

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

/**
 * The times when messages were accepted. A message sets the state to SUBMITTED. An attempt that is given back or begins
 * again does so as well, at the time when it ends or begins: these statuses are left out.
 */
function acceptances(facts: TimelineFacts, attempts: readonly Attempt[]): TimelineEntry[] {
  const { record, statuses, caller, attempts: fields } = facts;
  const again = attempts.filter(({ attempt }) => attempt > 1).map(({ began }) => began);
  const others = new Set([...again, ...attempts.flatMap(({ epoch }) => givenBackAt(fields[`e${epoch}`]))]);
  const submitted = statuses.filter(({ letter, atMs }) => letter === 's' && !others.has(atMs));
  const from = caller ?? `${record.tenant}/${record.subject}`;
  return submitted.map(({ atMs }, i) => ({ kind: 'accepted', at: iso(atMs), number: i + 1, from }));
}

/** @param end `<ms> <letter>` */
function givenBackAt(end = ''): number[] {
  const [ms, letter = ''] = end.split(' ');
  return letter === 'r' || letter === 'q' ? [Number(ms)] : [];
}

function queuedBefore(began: number, waitedMs: number): TimelineEntry[] {
  return waitedMs > 0 ? [{ kind: 'queued', at: iso(began - waitedMs), untilAt: iso(began) }] : [];
}

function queuedNow({ waitsSinceMs }: TimelineFacts): TimelineEntry[] {
  return waitsSinceMs === undefined ? [] : [{ kind: 'queued', at: iso(waitsSinceMs) }];
}

function lateWrites({ attempts: fields }: TimelineFacts, attempts: readonly Attempt[]): TimelineEntry[] {
  return Object.entries(fields).flatMap(([name, ms]): TimelineEntry[] => {
    if (!name.startsWith('f')) return [];
    const epoch = Number(name.slice(1));
    const worker = attempts.find((each) => each.epoch === epoch)?.worker;
    return [{ kind: 'fenced', at: iso(Number(ms)), epoch, ...(worker !== undefined && { worker }) }];
  });
}

interface Note {
  readonly atMs: number;
  readonly epoch: number;
  readonly verb: string;
  readonly rest: string;
}

/** Each note once: a command that was sent twice is noted twice. */
function notesIn(notes: readonly string[]): Note[] {
  const known = new Map<string, Note>();
  for (const text of notes) {
    const [, ms = '', what = '', epoch = '', verb = '', rest = ''] = /^(\d+) ((\d*) (\S+) (.*))$/s.exec(text) ?? [];
    if (!known.has(what)) known.set(what, { atMs: Number(ms), epoch: Number(epoch), verb, rest });
  }
  return [...known.values()];
}

/** Steps and calls, in the order in which they were begun. */
function notedEntries(notes: readonly string[]): TimelineEntry[] {
  const all = notesIn(notes);
  const stepOf = ({ epoch, rest }: Note): string => `${epoch} ${rest}`;
  const ended = new Map(all.filter(({ verb }) => verb === 'step-').map((note) => [stepOf(note), note.atMs]));
  return all.flatMap((note): TimelineEntry[] => {
    const { epoch, verb, rest } = note;
    const at = iso(note.atMs);
    if (verb === 'step=') return [{ kind: 'step', at, untilAt: at, epoch, name: rest, isRemembered: true }];
    if (verb === 'step+') {
      const untilMs = ended.get(stepOf(note));
      const until = untilMs !== undefined && { untilAt: iso(untilMs) };
      return [{ kind: 'step', at, epoch, name: rest, isRemembered: false, ...until }];
    }
    if (verb !== 'call') return [];
    const [taskId = '', mode, agent = ''] = rest.split(' ');
    return [{ kind: 'call', at, epoch, taskId, agent: agentOf(agent), isDetached: mode === 'd' }];
  });
}

const iso = (ms: number): string => new Date(ms).toISOString();
