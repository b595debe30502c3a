import { noteIn } from './timeline-work.ts';

interface At {
  /** ISO time. */
  readonly at: string;
  /** Of the attempt that began the wait, or ran last. */
  readonly epoch: number;
}

/** What a turn waited for, and the events that it was given. `untilAt` unset: it goes on. */
export type WaitEntry =
  | (At & {
      readonly kind: 'wait';
      readonly what: 'time' | 'event' | 'step';
      /** Of the event, or of the step that is tried again. */
      readonly name: string;
      readonly untilAt?: string;
    })
  | (At & { readonly kind: 'event'; readonly name: string });

type Wait = Extract<WaitEntry, { kind: 'wait' }>;

/**
 * @param notes as in note.lua
 * @param endedMs when the task ended, and with it every wait; undefined: it goes on
 */
export function waitsIn(notes: readonly string[], endedMs: number | undefined): WaitEntry[] {
  const entries: WaitEntry[] = [];
  /** Positions of the waits that go on, by key. */
  const open = new Map<string, number>();
  for (const { atMs, epoch, verb, rest } of notes.map(noteIn)) {
    const at = iso(atMs);
    if (verb === 'event') entries.push({ kind: 'event', at, epoch, name: rest });
    if (verb === 'wait-') end(entries, open.get(rest), at);
    if (verb === 'wait-') open.delete(rest);
    const what = verb === 'wait+' ? whatIn(rest) : undefined;
    if (what) open.set(rest, entries.push({ kind: 'wait', at, epoch, ...what }) - 1);
  }
  if (endedMs !== undefined) for (const position of open.values()) end(entries, position, iso(endedMs));
  return entries;
}

function end(entries: WaitEntry[], position: number | undefined, untilAt: string): void {
  const wait = position === undefined ? undefined : entries[position];
  if (position !== undefined && wait?.kind === 'wait') entries[position] = { ...wait, untilAt };
}

/** @param key of the wait, as the agent's journal makes it @returns undefined: the time limit of a call, which has its row */
function whatIn(key: string): Pick<Wait, 'what' | 'name'> | undefined {
  const [, event] = /^event (\S+) /.exec(key) ?? [];
  if (event !== undefined) return { what: 'event', name: event };
  const [, step] = /^retry [\d.]+ (.*)$/s.exec(key) ?? [];
  if (step !== undefined) return { what: 'step', name: step };
  return key.startsWith('sleep ') ? { what: 'time', name: '' } : undefined;
}

const iso = (ms: number): string => new Date(ms).toISOString();
