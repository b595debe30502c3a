import { StringDecoder } from 'node:string_decoder';
import type { Share } from './share.ts';

/** JSON as a string, or as the stored bytes. */
export type Json = string | TaskJson;

/** Smaller tasks are joined to one piece: one write costs less than three. */
const SMALL = 64 * 1_024;

const noBytes = Buffer.alloc(0);

const nothing: Disposable = { [Symbol.dispose]: () => undefined };

/**
 * JSON of a task as UTF-8, in pieces that are written one after another. All readers of the same version of a large
 * task share its bytes.
 */
export class TaskJson {
  readonly pieces: readonly Buffer[];
  readonly length: number;
  /** The task that holds the bytes. */
  readonly #origin: TaskJson;
  readonly #share: Share | undefined;
  #hasLineBreak: boolean | undefined;

  private constructor(pieces: readonly Buffer[], { origin, share }: { origin?: TaskJson; share?: Share } = {}) {
    this.pieces = pieces;
    this.length = pieces.reduce((sum, { length }) => sum + length, 0);
    this.#origin = origin ?? this;
    this.#share = share;
  }

  static of(pieces: readonly Buffer[]): TaskJson {
    return new TaskJson(pieces);
  }

  static large(pieces: readonly Buffer[], share: Share): TaskJson {
    return new TaskJson(pieces, { share });
  }

  /** Call it when the bytes may be sent again. @throws {AnswersTooLarge} */
  expect(): this {
    this.#origin.#share?.reserve();
    this.#origin.#share?.returnUnusedSoon();
    return this;
  }

  /** Holds the bytes while they are sent to a reader. Other readers can share them meanwhile. */
  retain(): Disposable {
    const origin = this.#origin;
    if (!origin.#share) return nothing;
    origin.#share.retain();
    return { [Symbol.dispose]: () => origin.#share?.release() };
  }

  /** Holds this many copies instead, while a translation is sent to a reader. @throws {AnswersTooLarge} */
  retainCopies(count: number): Disposable {
    return this.#origin.#share?.reserveInstead(count * this.length) ?? nothing;
  }

  /** The same bytes with a text on either side. */
  wrapped(before: string, after: string): TaskJson {
    const pieces = [Buffer.from(before), ...this.pieces, Buffer.from(after)];
    if (this.#origin.#share) return new TaskJson(pieces, { origin: this.#origin });
    return new TaskJson([Buffer.concat(pieces)]);
  }

  /** The same bytes with a text in between. @param at bytes before it */
  withText(at: number, text: string): TaskJson {
    const pieces: Buffer[] = [];
    let left = at;
    for (const piece of this.pieces) {
      if (left < 0 || left > piece.length) pieces.push(piece);
      else pieces.push(piece.subarray(0, left), Buffer.from(text), piece.subarray(left));
      left = left > piece.length ? left - piece.length : -1;
    }
    return new TaskJson(pieces, this.#origin.#share && { origin: this.#origin });
  }

  /** @param beginning ASCII, shorter than the first two pieces */
  startsWith(beginning: string): boolean {
    const [first = '', second = ''] = this.pieces.slice(0, 2).map((piece) => piece.toString('latin1', 0, 32));
    return (first + second).startsWith(beginning);
  }

  /** Whether all readers of this version share these bytes, because it is large. */
  get isShared(): boolean {
    return this.#origin.#share !== undefined;
  }

  /** @param text ASCII, shorter than any two pieces that follow each other */
  includes(text: string): boolean {
    const border = text.length - 1;
    return this.pieces.some((piece, i) => {
      const before = this.pieces[i - 1] ?? noBytes;
      return (
        piece.includes(text) || Buffer.concat([before.subarray(-border), piece.subarray(0, border)]).includes(text)
      );
    });
  }

  get hasLineBreak(): boolean {
    const origin = this.#origin;
    origin.#hasLineBreak ??= origin.pieces.some((piece) => piece.includes('\n'));
    return origin.#hasLineBreak;
  }

  toString(): string {
    const decoder = new StringDecoder();
    return this.pieces.map((piece) => decoder.write(piece)).join('') + decoder.end();
  }
}

export function wrapped(json: Json, before: string, after: string): Json {
  return typeof json === 'string' ? before + json + after : json.wrapped(before, after);
}

/** The JSON with `text` after the first of these beginnings that it has; unchanged if it has none of them. */
export function withTextAfter(json: Json, beginnings: readonly string[], text: string): Json {
  const beginning = beginnings.find((each) => json.startsWith(each));
  if (beginning === undefined) return json;
  if (typeof json !== 'string') return json.withText(beginning.length, text);
  return beginning + text + json.slice(beginning.length);
}

/** As `retain`; a string needs none: undefined saves an object for each event of a stream. */
export function retain(json: Json): Disposable | undefined {
  return typeof json === 'string' ? undefined : json.retain();
}

/** As `retainCopies`; a string needs none. @throws {AnswersTooLarge} */
export function retainCopies(json: Json, count: number): Disposable {
  return typeof json === 'string' ? nothing : json.retainCopies(count);
}

/** Whether a task of this size is shared by its readers. */
export const isLarge = (bytes: number): boolean => bytes >= SMALL;
