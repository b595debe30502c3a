import type { BlockedNotes } from './blocked-notes.ts';
import { BEAT_EVERY_MS, type Heartbeat } from './heartbeat.ts';

/**
 * After this time the agent and its operators are told. A little later the leases of the worker expire, and other workers
 * take its turns: the attempt must have its reason before that.
 */
const NOTICED_AFTER_MS = 2_500;

export interface CheckDependencies {
  readonly heartbeat: Pick<Heartbeat, 'beats' | 'isOff'>;
  readonly notes: Pick<BlockedNotes, 'noticed' | 'answersAgain' | 'end'>;
}

/** Finds out whether the main thread is blocked. Its time counts in looks: a process that was suspended looked no more. */
export class MainThreadCheck {
  readonly #maxBlockedMs: number;
  readonly #port: CheckDependencies;
  #beats = -1;
  #blockedMs = 0;
  #isNoticed = false;
  /** One note after the other. */
  #notes = Promise.resolve();

  /** @param maxBlockedMs 0: it never ends the process */
  constructor(maxBlockedMs: number, port: CheckDependencies) {
    this.#maxBlockedMs = maxBlockedMs;
    this.#port = port;
  }

  /** Call it every `BEAT_EVERY_MS`. */
  look(): void {
    const { heartbeat, notes } = this.#port;
    const { beats, isOff } = heartbeat;
    const wasMs = this.#blockedMs;
    const isBlocked = beats === this.#beats && !isOff;
    const blockedMs = isBlocked ? wasMs + BEAT_EVERY_MS : 0;
    this.#beats = beats;
    this.#blockedMs = blockedMs;
    if (!isBlocked && this.#isNoticed) this.#write(() => notes.answersAgain(wasMs));
    if (!isBlocked) this.#isNoticed = false;
    const isOver = this.#maxBlockedMs > 0 && blockedMs >= this.#maxBlockedMs;
    if (isOver && wasMs < this.#maxBlockedMs) this.#write(() => notes.end(blockedMs));
    else if (isBlocked && !isOver && !this.#isNoticed && blockedMs >= NOTICED_AFTER_MS) {
      this.#isNoticed = true;
      this.#write(() => notes.noticed(blockedMs, this.#maxBlockedMs));
    }
  }

  get blockedMs(): number {
    return this.#blockedMs;
  }

  /** Resolves when all notes are written. */
  get settled(): Promise<void> {
    return this.#notes;
  }

  #write(note: () => Promise<void>): void {
    this.#notes = this.#notes.then(note);
  }
}
