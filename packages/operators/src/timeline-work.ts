import { agentOf, type NotedModelCall } from '@switchyard/store/inside';
import type { Failure } from './task-failures.ts';

/** The beginning of a JSON text, and the length of the whole. */
export interface Preview {
  readonly text: string;
  readonly bytes: number;
}

interface Work {
  /** ISO time. */
  readonly at: string;
  /** Of the attempt that did it. */
  readonly epoch: number;
}

/** What an agent did besides its events: see note.lua. `untilAt` unset: it goes on. */
export type WorkEntry =
  | (Work & {
      readonly kind: 'step';
      readonly name: string;
      readonly untilAt?: string;
      readonly isRemembered: boolean;
      readonly failure?: Failure;
      readonly result?: Preview;
    })
  | (Work & {
      readonly kind: 'call';
      /** Unset: the call was refused. */
      readonly taskId?: string;
      readonly agent: string;
      readonly isDetached?: boolean;
      readonly failure?: Failure;
    })
  | (Work & { readonly kind: 'model'; readonly untilAt: string } & Omit<NotedModelCall, 'at' | 'durationMs'>);

type Step = Extract<WorkEntry, { kind: 'step' }>;

interface Note {
  readonly atMs: number;
  readonly epoch: number;
  readonly verb: string;
  readonly rest: string;
}

/** Steps and calls, in the order in which they began. @param notes as in note.lua; @param failures of all parts */
export function workIn(notes: readonly string[], failures: readonly Failure[]): WorkEntry[] {
  const entries = new Reading(failures).read(notes);
  return withFailedCalls(
    entries,
    failures.filter(({ of }) => of === 'call'),
  );
}

class Reading {
  readonly #entries: WorkEntry[] = [];
  /** Positions of the steps that have begun and not ended, by attempt and name. */
  readonly #open = new Map<string, number>();
  /** What was read already: a command that was sent twice is noted twice. */
  readonly #seen = new Set<string>();
  readonly #failures: Map<string, Failure[]>;

  constructor(failures: readonly Failure[]) {
    const ofSteps = failures.filter(({ of }) => of === 'step');
    this.#failures = Map.groupBy(ofSteps, ({ epoch, name }) => `${epoch} ${name}`);
  }

  read(notes: readonly string[]): WorkEntry[] {
    for (const note of notes) this.#add(noteIn(note));
    for (const key of [...this.#open.keys()]) this.#fail(key, Number.POSITIVE_INFINITY);
    // The task has more notes than are kept.
    const rest = [...this.#failures.values()].flat();
    return [...this.#entries, ...rest.map(failedStep)];
  }

  #add(note: Note): void {
    const { atMs, epoch, verb, rest } = note;
    const [at, key] = [new Date(atMs).toISOString(), `${epoch} ${rest}`];
    if (verb === 'step+') this.#begin(key, atMs, { kind: 'step', at, epoch, name: rest, isRemembered: false });
    if (verb === 'step-') this.#end(key, { untilAt: at });
    if (verb === 'step=') this.#once(note, { kind: 'step', at, untilAt: at, epoch, name: rest, isRemembered: true });
    if (verb === 'model') this.#once(note, modelEntry(epoch, rest));
    if (verb !== 'call') return;
    const [taskId = '', mode, agent = ''] = rest.split(' ');
    this.#once(note, { kind: 'call', at, epoch, taskId, agent: agentOf(agent), isDetached: mode === 'd' });
  }

  #once({ epoch, verb, rest }: Note, entry: WorkEntry): void {
    const text = `${verb} ${epoch} ${rest}`;
    if (!this.#seen.has(text)) this.#entries.push(entry);
    this.#seen.add(text);
  }

  /** A step that is open and has not failed was noted before. */
  #begin(key: string, atMs: number, step: Step): void {
    if (this.#seen.has(`ended ${key}`)) return;
    this.#fail(key, atMs);
    if (this.#open.has(key)) return;
    this.#open.set(key, this.#entries.push(step) - 1);
  }

  #end(key: string, end: Pick<Step, 'untilAt' | 'failure'>): void {
    const position = this.#open.get(key);
    const step = position === undefined ? undefined : this.#entries[position];
    if (position === undefined || step?.kind !== 'step') return;
    this.#entries[position] = { ...step, ...end };
    this.#open.delete(key);
    if (!end.failure) this.#seen.add(`ended ${key}`);
  }

  /** Ends an open step that failed before this time. */
  #fail(key: string, beforeMs: number): void {
    const failures = this.#failures.get(key);
    const [failure] = failures ?? [];
    if (!failure || !this.#open.has(key) || Date.parse(failure.at) > beforeMs) return;
    failures?.shift();
    this.#end(key, { untilAt: failure.at, failure });
  }
}

/** A call that failed gets its failure. One that was refused, or that an earlier attempt had made, is one more entry. */
function withFailedCalls(entries: WorkEntry[], failures: readonly Failure[]): WorkEntry[] {
  for (const failure of failures) {
    const { at, epoch, name: agent = '', calledTask: taskId } = failure;
    const position = entries.findLastIndex((entry) => isCallOf(entry, failure));
    const call = entries[position];
    if (call?.kind === 'call') entries[position] = { ...call, failure };
    else entries.push({ kind: 'call', at, epoch, agent, ...(taskId !== undefined && { taskId }), failure });
  }
  return entries;
}

function isCallOf(entry: WorkEntry, { at, epoch, calledTask }: Failure): boolean {
  if (entry.kind !== 'call' || entry.failure || calledTask === undefined) return false;
  return entry.taskId === calledTask && entry.epoch === epoch && entry.at <= at;
}

function modelEntry(epoch: number, json: string): WorkEntry {
  const { at: untilAt, durationMs, ...call }: NotedModelCall = JSON.parse(json);
  const at = new Date(Date.parse(untilAt) - durationMs).toISOString();
  return { kind: 'model', at, untilAt, epoch, ...call };
}

function failedStep(failure: Failure): Step {
  const { at, epoch, name = '' } = failure;
  return { kind: 'step', at, untilAt: at, epoch, name, isRemembered: false, failure };
}

export function noteIn(text: string): Note {
  const [, ms = '', epoch = '', verb = '', rest = ''] = /^(\d+) (\d*) (\S+) (.*)$/s.exec(text) ?? [];
  return { atMs: Number(ms), epoch: Number(epoch), verb, rest };
}
