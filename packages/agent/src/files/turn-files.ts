import { buffer } from 'node:stream/consumers';
import { type Part, withContent } from '@switchyard/protocol';
import type { TurnJournal } from '../journal/turn-journal.ts';
import type { FileContent, FileOptions } from '../port/file-port.ts';
import { RefusedError, TurnMisuseError } from '../port/turn-errors.ts';
import type { TurnPort } from '../port/turn-port.ts';

/** The content of a new file: a text, bytes, or a stream of both, such as one of `node:fs` or the body of a response. */
export type FileSource = string | Uint8Array | AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** The files that a turn reads and writes. Neither is ever whole in memory, unless the part is. */
export class TurnFiles {
  readonly #port: TurnPort;
  readonly #journal: TurnJournal;

  constructor(port: TurnPort, journal: TurnJournal) {
    this.#port = port;
    this.#journal = journal;
  }

  /** Opens the content of a part, whatever form it has. */
  async open(part: Part): Promise<FileContent> {
    const { filename, mediaType, url } = part;
    const named = { ...(filename !== undefined && { filename }), ...(mediaType !== undefined && { mediaType }) };
    if (url === undefined) return { ...inlineContent(part), ...named };
    const { signal } = this.#journal;
    signal.throwIfAborted();
    if (!this.#port.files) throw new TurnMisuseError('This worker reads no URLs.');
    return { ...(await this.#port.files.open({ url, filename }, signal)), ...named };
  }

  /** The parts with the content of files of this deployment, instead of their URLs. */
  async inline(parts: readonly Part[], maxBytes: number): Promise<Part[]> {
    const inlined: Part[] = [];
    let bytes = 0;
    for (const part of parts) {
      this.#journal.signal.throwIfAborted();
      const stored = part.url === undefined ? undefined : await this.#port.files?.openStored(part.url);
      bytes += stored?.sizeBytes ?? 0;
      if (stored && bytes > maxBytes) {
        await stored.stream.cancel();
        const last = part.filename ?? stored.filename ?? part.url;
        throw new RefusedError(
          'file-refused',
          `With "${last}" the files of the message have more than ${maxBytes} bytes, the most that this agent takes.`,
          { code: 'too-large' },
        );
      }
      inlined.push(stored ? withContent(part, { raw: (await buffer(stored.stream)).toString('base64') }) : part);
    }
    return inlined;
  }

  /** Stores a file. A turn that has lost its task stores nothing. */
  async write(source: FileSource, options: FileOptions): Promise<Part> {
    const { signal } = this.#journal;
    await this.#journal.runEffect(() => this.#port.confirm());
    const { files } = this.#port;
    if (!files) throw new TurnMisuseError('This worker stores no files.');
    // Not as an effect of the journal: it would take an error of the source for one of the store.
    return files.write(untilAborted(chunksOf(source), signal), options);
  }
}

function inlineContent({ text, raw, data }: Part): Pick<FileContent, 'stream' | 'sizeBytes'> {
  const bytes = raw === undefined ? Buffer.from(text ?? JSON.stringify(data)) : Buffer.from(raw, 'base64');
  return { stream: new Blob([bytes]).stream(), sizeBytes: bytes.length };
}

async function* chunksOf(source: FileSource): AsyncGenerator<Uint8Array> {
  if (typeof source === 'string' || source instanceof Uint8Array) return yield bytesOf(source);
  for await (const chunk of source) yield bytesOf(chunk);
}

function bytesOf(chunk: string | Uint8Array): Uint8Array {
  if (typeof chunk === 'string') return Buffer.from(chunk);
  if (chunk instanceof Uint8Array) return chunk;
  throw new TurnMisuseError(`A file is written from texts and bytes, not from ${typeof chunk}.`);
}

/** A source that waits for its next chunk is left when the turn must stop. */
async function* untilAborted(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  let leave: (reason: unknown) => void = () => undefined;
  const abort = (): void => leave(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  let hasEnded = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        leave = reject;
        iterator.next().then(resolve, reject);
      });
      hasEnded = done === true;
      if (hasEnded) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    // It may never answer.
    if (!hasEnded) iterator.return?.(undefined)?.catch(() => undefined);
  }
}
