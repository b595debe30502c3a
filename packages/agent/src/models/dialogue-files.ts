import { mediaRangesMeet, type Part } from '@switchyard/protocol';
import type { FileContent } from '../port/file-port.ts';
import { AgentError } from '../port/turn-errors.ts';
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

/** Reads the parts of the messages for one request, the latest message first. */
export class DialogueFiles {
  readonly #turn: Turn;
  readonly #types: readonly string[];
  #bytesLeft: number;

  constructor(turn: Turn, { files = DEFAULT_TYPES, maxFileBytes = MAX_FILE_BYTES }: FileOptionsOfModels) {
    this.#turn = turn;
    this.#types = files;
    this.#bytesLeft = maxFileBytes;
  }

  /**
   * @param isRequired the turn cannot go on without it: it is of the message that is answered
   * @throws {AgentError} the file does not exist, or may not be read
   * @throws {RetryableError} it cannot be read now
   */
  async read(part: Part, { isRequired }: { readonly isRequired: boolean }): Promise<ReadPart> {
    const { filename, mediaType = '' } = part;
    const isText = meetsOne(TEXT_TYPES, mediaType);
    if ((part.raw ?? part.url) === undefined || !meetsOne(this.#types, mediaType)) return { text: described(part) };
    const most = Math.min(this.#bytesLeft, isText ? MAX_TEXT_BYTES : Number.POSITIVE_INFINITY);
    try {
      const bytes = await upTo(most, await this.#turn.file(part));
      if (!bytes) {
        this.#turn.log.warn('The model does not get a file of the client: it is too large', { file: nameOf(part) });
        return { text: `[${nameOf(part)}: too large to be read here]` };
      }
      this.#bytesLeft -= bytes.length;
      if (isText) return { text: `[${nameOf(part)}]\n${bytes.toString()}` };
      const type = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
      return { text: `[${nameOf(part)}]`, file: { mediaType: type, filename, base64: bytes.toString('base64') } };
    } catch (error) {
      if (isRequired || !(error instanceof AgentError)) throw error;
      return { text: `[${nameOf(part)}: ${error.message}]` };
    }
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

/** Text unchanged, data as JSON, files by name and type only. */
export function described(part: Part): string {
  if (part.text !== undefined) return part.text;
  if (part.raw !== undefined) return `[${nameOf(part)}, ${Buffer.byteLength(part.raw, 'base64')} bytes]`;
  if (part.url !== undefined) return `[${nameOf(part)}: ${part.url}]`;
  return JSON.stringify(part.data);
}

function nameOf({ filename, mediaType }: Part): string {
  return `file${filename ? ` ${filename}` : ''}${mediaType ? ` (${mediaType})` : ''}`;
}
