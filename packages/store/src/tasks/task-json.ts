import { StringDecoder } from 'node:string_decoder';
import type { ByteBudget } from './byte-budget.ts';

/** A text, or what is stored, as bytes. */
export type Json = string | TaskJson;

/** Below so many bytes pieces are joined: one write costs less than three. */
const SMALL = 64 * 1_024;

/** What a large task takes of the budget. Apart from the task, so that it can be given back when that is forgotten. */
class Share {
  readonly budget: ByteBudget;
  readonly #bytes: number;
  #isTaken = true;

  constructor(budget: ByteBudget, bytes: number) {
    this.budget = budget;
    this.#bytes = bytes;
  }

  /** @throws {AnswersTooLarge} */
  require(): void {
    if (!this.#isTaken) this.budget.require(this.#bytes);
    this.#isTaken = true;
  }

  take(): void {
    if (!this.#isTaken) this.budget.take(this.#bytes);
    this.#isTaken = true;
  }

  give(): void {
    if (this.#isTaken) this.budget.give(this.#bytes);
    this.#isTaken = false;
  }
}

const nothing: Disposable = { [Symbol.dispose]: () => undefined };

/** For readers that went away before they got what they had asked for. */
const forgotten = new FinalizationRegistry<Share>((share) => share.give());

/**
 * JSON of a task as UTF-8, in pieces that are written one after another. Everyone who reads the same version of a large
 * task has the same bytes. They count against the budget from when they are asked for until the last reader has them.
 */
export class TaskJson {
  readonly pieces: readonly Buffer[];
  readonly length: number;
  /** Whose bytes these are. */
  readonly #origin: TaskJson;
  readonly #share: Share | undefined;
  #readers = 0;
  #hasLineBreak: boolean | undefined;

  private constructor(pieces: readonly Buffer[], { origin, share }: { origin?: TaskJson; share?: Share } = {}) {
    this.pieces = pieces;
    this.length = pieces.reduce((sum, { length }) => sum + length, 0);
    this.#origin = origin ?? this;
    this.#share = share;
    if (share) forgotten.register(this, share);
  }

  static of(pieces: readonly Buffer[]): TaskJson {
    return new TaskJson(pieces);
  }

  /** @param bytes that have been taken of the budget for it */
  static large(pieces: readonly Buffer[], budget: ByteBudget, bytes: number): TaskJson {
    return new TaskJson(pieces, { share: new Share(budget, bytes) });
  }

  /** They are about to be sent again. @throws {AnswersTooLarge} */
  claim(): this {
    this.#origin.#share?.require();
    return this;
  }

  /** Whoever asked for it does without, and it is not counted for that. */
  drop(): void {
    if (this.#origin.#readers === 0) this.#origin.#share?.give();
  }

  /** For a reader that is being sent these bytes, until it has them. */
  retain(): Disposable {
    const origin = this.#origin;
    if (!origin.#share) return nothing;
    origin.#share.take();
    origin.#readers++;
    return { [Symbol.dispose]: () => origin.#release() };
  }

  /** For a reader that is being sent a translation, of which so many copies are made. @throws {AnswersTooLarge} */
  retainCopies(count: number): Disposable {
    const share = this.#origin.#share;
    if (!share) return nothing;
    this.drop();
    const bytes = count * this.length;
    share.budget.require(bytes);
    return { [Symbol.dispose]: () => share.budget.give(bytes) };
  }

  /** The same bytes with a text on either side. */
  within(before: string, after: string): TaskJson {
    const pieces = [Buffer.from(before), ...this.pieces, Buffer.from(after)];
    if (this.#origin.#share) return new TaskJson(pieces, { origin: this.#origin });
    return new TaskJson([Buffer.concat(pieces)]);
  }

  /** Whether all who read this version have these bytes: it is large. */
  get isShared(): boolean {
    return this.#origin.#share !== undefined;
  }

  get hasLineBreak(): boolean {
    const origin = this.#origin;
    origin.#hasLineBreak ??= origin.pieces.some((piece) => piece.includes('\n'));
    return origin.#hasLineBreak;
  }

  /** A copy: it no longer needs these bytes, unless others do. */
  toString(): string {
    const decoder = new StringDecoder();
    const text = this.pieces.map((piece) => decoder.write(piece)).join('') + decoder.end();
    this.drop();
    return text;
  }

  #release(): void {
    this.#readers--;
    if (this.#readers === 0) this.#share?.give();
  }
}

export function within(json: Json, before: string, after: string): Json {
  return typeof json === 'string' ? before + json + after : json.within(before, after);
}

/** As `retainCopies`; a text needs none. @throws {AnswersTooLarge} */
export function retainCopies(json: Json, count: number): Disposable {
  return typeof json === 'string' ? nothing : json.retainCopies(count);
}

/** Whether a task of so many bytes is held once for all its readers. */
export const isLarge = (bytes: number): boolean => bytes >= SMALL;
