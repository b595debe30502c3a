import { mediaRangesMeet, type Part } from '@switchyard/protocol';
import { described, nameOf } from '../messages/described-part.ts';
import type { FileContent } from '../port/file-port.ts';
import { AgentError, RefusedError } from '../port/turn-errors.ts';
import type { Turn } from '../turn/turn.ts';

/** What a model gets of files. */
export interface FileOptionsOfModels {
  /**
   * Media types of the client's files whose content the model gets, such as `image/*`; `[]`: of none. Default: PNG, JPEG,
   * GIF, WebP, PDF, and as text `text/plain`, `text/markdown`, `text/csv` and `application/json`. Of other files, and of
   * those without a media type, it gets the name.
   */
  readonly files?: readonly string[] | undefined;
  /**
   * Most bytes of all files in a request together, those of the latest messages first. Of the others the model gets the
   * name, and that they are too large. Default: 20 MiB.
   */
  readonly maxFileBytes?: number | undefined;
  /**
   * What happens to a file of the turn's message whose content the model does not get. `by-name` (default): the model
   * gets its name, and the log has a warning. `fail`: the task fails, and its message says which file and why.
   */
  readonly otherFiles?: 'by-name' | 'fail' | undefined;
}

/** A file in a message for a model. */
export interface DialogueFile {
  /** `image/png` */
  readonly mediaType: string;
  readonly filename?: string | undefined;
  readonly base64: string;
}

/** What a message for a model has of a part. */
export interface ReadPart {
  readonly text: string;
  readonly file?: DialogueFile;
}

/** Of which the model gets the content as text. */
const TEXT_TYPES = ['text/*', 'application/json'];
const DEFAULT_TYPES = [
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'],
  ...['text/plain', 'text/markdown', 'text/csv', 'application/json'],
];
const MAX_FILE_BYTES = 20 * 1024 * 1024;
/** Of a file that the model gets as text: some 64,000 tokens. */
const MAX_TEXT_BYTES = 256 * 1024;

/** Why the model does not get the content of a file. */
interface LeftOut {
  /** For the log, and for a client whose task fails: follows the name of the file. */
  readonly why: string;
  /** What the model gets instead. */
  readonly text: string;
}

/** Reads the parts of the messages for one request, the latest message first. */
export class DialogueFiles {
  readonly #turn: Turn;
  readonly #types: readonly string[];
  readonly #maxBytes: number;
  readonly #failsForOthers: boolean;
  #bytesLeft: number;

  constructor(
    turn: Turn,
    { files = DEFAULT_TYPES, maxFileBytes = MAX_FILE_BYTES, otherFiles = 'by-name' }: FileOptionsOfModels,
  ) {
    this.#turn = turn;
    this.#types = files;
    this.#maxBytes = maxFileBytes;
    this.#bytesLeft = maxFileBytes;
    this.#failsForOthers = otherFiles === 'fail';
  }

  /**
   * @param isRequired the turn cannot go on without it: it is of the message that is answered
   * @throws {AgentError} the file does not exist, or may not be read
   * @throws {RefusedError} the model does not get it, and the author wants the task to fail then
   * @throws {RetryableError} it cannot be read now
   */
  async read(part: Part, { isRequired }: { readonly isRequired: boolean }): Promise<ReadPart> {
    if ((part.raw ?? part.url) === undefined) return { text: described(part) };
    const read = await this.#content(part, isRequired);
    if (!('why' in read)) return read;
    const { why, text } = read;
    if (isRequired && this.#failsForOthers)
      throw new RefusedError('file-refused', `The ${nameOf(part)} cannot be read: ${why}.`, { code: 'not-for-model' });
    const { filename, url, mediaType = 'none' } = part;
    // A file of an earlier message was in the log of its own turn.
    const level = isRequired ? 'warn' : 'debug';
    this.#turn.log[level]('The model does not get a file of the client', { file: filename ?? url, mediaType, why });
    return { text };
  }

  async #content(part: Part, isRequired: boolean): Promise<ReadPart | LeftOut> {
    const { filename, mediaType = '' } = part;
    if (!meetsOne(this.#types, mediaType)) return { why: this.#whyNot(mediaType), text: described(part) };
    const isText = meetsOne(TEXT_TYPES, mediaType);
    try {
      const file = await this.#turn.file(part);
      const bytes = await upTo(Math.min(this.#bytesLeft, isText ? MAX_TEXT_BYTES : Number.POSITIVE_INFINITY), file);
      if (!bytes) return { why: this.#whyTooLarge(isText), text: `[${nameOf(part)}: too large to be read here]` };
      this.#bytesLeft -= bytes.length;
      if (isText) return { text: `[${nameOf(part)}]\n${bytes.toString()}` };
      const type = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
      return { text: `[${nameOf(part)}]`, file: { mediaType: type, filename, base64: bytes.toString('base64') } };
    } catch (error) {
      if (isRequired || !(error instanceof AgentError)) throw error;
      return { why: error.message, text: `[${nameOf(part)}: ${error.message}]` };
    }
  }

  #whyNot(mediaType: string): string {
    if (this.#types.length === 0) return 'no files are read here';
    const [has, read] = [mediaType ? 'its media type is not' : 'it has no media type, so it is not', this.#types];
    return `${has} among those that are read here: ${read.join(', ')}`;
  }

  #whyTooLarge(isText: boolean): string {
    const ofText = isText ? `a text may have at most ${MAX_TEXT_BYTES} bytes, and ` : '';
    return `it is too large: ${ofText}all files that are read at a time at most ${this.#maxBytes} bytes`;
  }
}

const meetsOne = (ranges: readonly string[], type: string): boolean =>
  type !== '' && ranges.some((range) => mediaRangesMeet(range, type));

/** @returns undefined: there is more */
async function upTo(most: number, { stream, sizeBytes = 0 }: FileContent): Promise<Buffer | undefined> {
  if (sizeBytes > most) {
    await stream.cancel();
    return undefined;
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    // Leaving the loop cancels the stream.
    if (bytes > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
