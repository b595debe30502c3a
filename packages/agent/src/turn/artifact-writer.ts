import { type ArtifactEvent, type ArtifactHeader, type Metadata, openingOfText, type Part } from '@switchyard/protocol';
import type { FileSource, TurnFiles } from '../files/turn-files.ts';
import type { TurnJournal } from '../journal/turn-journal.ts';
import type { TurnScope } from '../journal/turn-scope.ts';
import { suppressUnhandled } from '../journal/turn-scope.ts';
import { type PartContent, textPart, toParts } from '../messages/content.ts';
import type { FileOptions } from '../port/file-port.ts';
import { TurnMisuseError } from '../port/turn-errors.ts';

/** The fields of an artifact besides its content (A2A 4.1.7). */
export interface ArtifactOptions {
  readonly name: string;
  readonly description?: string;
  /** Media type of text that is written as a string. Default: none, which counts as text/plain. */
  readonly mediaType?: string;
  /**
   * Set it to the id of an artifact of an earlier turn to replace that one. Default: a new id, the same in every
   * attempt at this turn.
   */
  readonly artifactId?: string;
  readonly metadata?: Metadata;
  /** URIs of the extensions that the artifact uses. */
  readonly extensions?: readonly string[];
  /**
   * Stores each chunk as a part of its own. Default: false, text chunks extend one text part; subscribers get every
   * chunk in either case.
   */
  readonly keepsChunksApart?: boolean;
}

/** Chunks that `pipe` writes before the first one is accepted. */
const maxAhead = 64;

/**
 * Writes one artifact, chunk by chunk (A2A 4.2.2). The first write creates it, or replaces that of an earlier attempt.
 * Its methods resolve when more can be written: chunks are durable with the next status, the end of their step, or the
 * outcome.
 *
 *     const report: ArtifactWriter = turn.artifact({ name: 'Report' });
 *     await report.finish('All is well.');
 *
 * @throws {TurnMisuseError} after `finish`, and after the outcome of the turn
 * @throws {TurnEnded} when the turn no longer owns its task
 */
export class ArtifactWriter {
  readonly artifactId: string;
  readonly #options: ArtifactOptions;
  readonly #journal: TurnJournal;
  readonly #files: TurnFiles;
  #scope: TurnScope | undefined;
  #last: Part | undefined;
  #isFinished = false;

  constructor({ journal, files }: WriterDependencies, artifactId: string, options: ArtifactOptions) {
    this.#journal = journal;
    this.#files = files;
    this.artifactId = artifactId;
    this.#options = options;
  }

  /** Whether anything has been written. */
  get hasBegun(): boolean {
    return this.#last !== undefined;
  }

  /**
   * Adds to the end.
   *
   *     const report = turn.artifact({ name: 'Report' });
   *     for (const line of ['one', 'two']) await report.append(`${line}\n`);
   */
  append(content: PartContent): Promise<void> {
    return this.#write(() => ({ parts: this.#parts(content), append: this.hasBegun, lastChunk: false }));
  }

  /**
   * Appends every chunk of a stream. It writes a limited number of chunks ahead, so that they are batched and a fast
   * source is slowed down.
   *
   *     const response = await fetch('https://news.example/today', { signal: turn.signal });
   *     const news = turn.artifact({ name: 'News' });
   *     await news.pipe(response.body?.pipeThrough(new TextDecoderStream()) ?? []);
   */
  pipe(chunks: AsyncIterable<PartContent> | Iterable<PartContent>): Promise<void> {
    return suppressUnhandled(this.#pipe(chunks));
  }

  /**
   * Stores a file of any size outside of the task, and adds a part with its URL to the end. Only the task's principal
   * can read it, and it is removed with the last task that refers to it (docs/files.md). A retried turn stores it
   * again, unless this is in a step.
   *
   *     const response = await fetch('https://video.example/cat.mp4', { signal: turn.signal });
   *     const video = turn.artifact({ name: 'Video' });
   *     await video.file(response.body ?? '', { name: 'cat.mp4', mediaType: 'video/mp4' });
   *
   * @returns the part
   * @throws {TurnMisuseError} the deployment stores no files (FILES_URL), or the file is larger than MAX_FILE_BYTES
   * @throws {RetryableError} the store is full, or the principal has no room left
   */
  file(content: FileSource, options: FileOptions = {}): Promise<Part> {
    return suppressUnhandled(this.#file(content, options));
  }

  /**
   * Replaces everything written so far.
   *
   *     const score = turn.artifact({ name: 'Score' });
   *     await score.append('0 : 0');
   *     await score.replace('1 : 0');
   */
  replace(content: PartContent): Promise<void> {
    return this.#write(() => ({ parts: this.#parts(content), append: false, lastChunk: false }));
  }

  /**
   * Appends `content`, if there is any, as the last chunk (`lastChunk`).
   *
   *     await turn.artifact({ name: 'Price' }).finish({ data: { price: 9 } });
   */
  finish(content?: PartContent): Promise<void> {
    return this.#write(() => ({
      parts: content === undefined ? this.#nothing() : this.#parts(content),
      append: this.hasBegun,
      lastChunk: true,
    }));
  }

  async #pipe(chunks: AsyncIterable<PartContent> | Iterable<PartContent>): Promise<void> {
    const ahead: Promise<void>[] = [];
    for await (const chunk of chunks) {
      ahead.push(this.append(chunk));
      if (ahead.length >= maxAhead) await ahead.shift();
    }
    await Promise.all(ahead);
  }

  async #file(content: FileSource, options: FileOptions): Promise<Part> {
    if (this.#isFinished) throw this.#finishedAlready();
    const part = await this.#files.write(content, options);
    await this.append(part);
    return part;
  }

  #write(build: () => Chunk): Promise<void> {
    return this.#journal.write(() => {
      this.#check();
      const event = this.#event(build());
      this.#last = event.artifact.parts.at(-1) ?? this.#last;
      this.#isFinished = event.lastChunk;
      return event;
    });
  }

  /**
   * In a retried turn a finished step writes nothing, and everything else is written again: an artifact that is written
   * by both would lose a part.
   */
  #check(): void {
    const { scope } = this.#journal;
    this.#scope ??= scope;
    if (this.#scope !== scope && scope.step !== '' && this.#scope.step === scope.step) this.#restart(scope);
    if (this.#isFinished) throw this.#finishedAlready();
    if (this.#scope === scope) return;
    const begun = this.#scope.step ? `in the step "${this.#scope.step}"` : 'outside of any step';
    throw new TurnMisuseError(`The artifact "${this.#options.name}" was begun ${begun}: write all of it there.`);
  }

  #finishedAlready(): TurnMisuseError {
    return new TurnMisuseError(`The artifact "${this.#options.name}" is finished already.`);
  }

  /** The step is retried: writes the artifact from its beginning. */
  #restart(scope: TurnScope): void {
    this.#scope = scope;
    this.#last = undefined;
    this.#isFinished = false;
  }

  #event({ parts, append, lastChunk }: Chunk): ArtifactEvent {
    const header = append ? { artifactId: this.artifactId } : this.#header();
    const { keepsChunksApart = false } = this.#options;
    return {
      kind: 'artifact',
      artifact: { ...header, parts },
      append,
      lastChunk,
      ...(keepsChunksApart && { keepsChunksApart }),
    };
  }

  #header(): ArtifactHeader {
    const { name, description, metadata, extensions } = this.#options;
    return {
      artifactId: this.artifactId,
      name,
      ...(description !== undefined && { description }),
      ...(metadata && { metadata }),
      ...(extensions && { extensions: [...extensions] }),
    };
  }

  #parts(content: PartContent): Part[] {
    return toParts(content, this.#options.mediaType);
  }

  /**
   * The parts of a last chunk without content. An artifact has at least one part (A2A 4.1.7), so it is an empty text,
   * which the stored text absorbs. After a file or data it would stay as a part of its own, so there it is omitted.
   */
  #nothing(): Part[] {
    if (!this.#last) return this.#parts('');
    const isAbsorbed = openingOfText(this.#last) !== '' && !this.#options.keepsChunksApart;
    return isAbsorbed ? [textPart('', this.#last.mediaType)] : [];
  }
}

interface WriterDependencies {
  readonly journal: TurnJournal;
  readonly files: TurnFiles;
}

interface Chunk {
  readonly parts: Part[];
  readonly append: boolean;
  readonly lastChunk: boolean;
}
