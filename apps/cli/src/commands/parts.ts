import { readFile, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import type { Part } from '../agent/objects.ts';
import { CommandFailure } from '../failures/failure.ts';

/** Default media type of files. */
const mediaTypes: Readonly<Record<string, string>> = {
  '.txt': 'text/plain',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.html': 'text/html',
  '.xml': 'application/xml',
  '.json': 'application/json',
  '.yaml': 'application/yaml',
  '.pdf': 'application/pdf',
  '.zip': 'application/zip',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.svg': 'image/svg+xml',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.mp4': 'video/mp4',
};

/** A part as given: `--text`, `--file` or `--data`. */
interface TypedPart {
  readonly kind: 'text' | 'file' | 'data';
  readonly value: string;
  mediaType?: string;
}

/** A smaller file is sent within the message, as before: it fits into MAX_BODY_BYTES, and some agents read no URLs. */
const UPLOAD_FROM_BYTES = 3.5 * 1024 ** 2;

/** A large file that is stored beside the message. */
export interface LargeFile {
  readonly path: string;
  readonly filename: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
}

/** Where the parts come from, besides files. */
interface PartSources {
  readonly stdin: Readable;
  /** Unset: large files are sent within the message, too. */
  readonly upload?: ((file: LargeFile) => Promise<Part>) | undefined;
  /** Tells the user something about a part. */
  readonly note: (text: string) => void;
}

/** The parts of a message in the order of the options. */
export class TypedParts {
  readonly #parts: TypedPart[] = [];

  add(kind: TypedPart['kind'], value: string): void {
    this.#parts.push({ kind, value });
  }

  /** Applies to the part before it. @throws {CommandFailure} */
  setMediaType(mediaType: string): void {
    const last = this.#parts.at(-1);
    if (!last) throw new CommandFailure('A2ACLI_ERR_USAGE', '--media-type has no --text, --file or --data before it');
    if (last.mediaType !== undefined)
      throw new CommandFailure('A2ACLI_ERR_USAGE', '--media-type is given twice for one part');
    last.mediaType = mediaType;
  }

  /** @throws {CommandFailure} if a file cannot be read */
  async read(sources: PartSources): Promise<Part[]> {
    const parts: Part[] = [];
    // One upload after the other: each of them can use the whole connection.
    for (const part of this.#parts) parts.push(await partOf(part, sources));
    return parts;
  }
}

async function partOf({ kind, value, mediaType }: TypedPart, sources: PartSources): Promise<Part> {
  const given = mediaType === undefined ? {} : { mediaType };
  if (kind === 'text') return { text: value, ...given };
  if (kind === 'data') return { data: await dataIn(value, sources.stdin), ...given };
  return /^https?:\/\//i.test(value) ? linkTo(value, mediaType, sources) : fileAt(value, mediaType, sources);
}

function linkTo(url: string, given: string | undefined, { note }: PartSources): Part {
  if (!URL.canParse(url)) throw new CommandFailure('A2ACLI_ERR_USAGE', `--file ${url} is no URL`);
  const filename = basename(new URL(url).pathname);
  const mediaType = given ?? typeOf(filename);
  if (mediaType === undefined) note(`${unknownType(filename || url)}: ${untypedUrl}`);
  return { url, ...(filename !== '' && { filename }), ...(mediaType !== undefined && { mediaType }) };
}

async function fileAt(path: string, given: string | undefined, { upload, note }: PartSources): Promise<Part> {
  const filename = basename(path);
  const known = given ?? typeOf(filename);
  const sizeBytes = await sizeOf(path);
  if (known === undefined) note(`${unknownType(filename)}: ${untypedFile}`);
  const file = { filename, mediaType: known ?? 'application/octet-stream' };
  if (upload && sizeBytes >= UPLOAD_FROM_BYTES) return upload({ path, ...file, sizeBytes });
  return { raw: await readable(path, () => readFile(path, 'base64')), ...file };
}

const unknownType = (name: string): string => `warning: the type of ${name} is not known from its name`;
/** Its server may say the type to an agent that reads it; a model gets only files with a type. */
const untypedUrl = 'it is sent without one; give it with --media-type';
const untypedFile = 'it is sent as application/octet-stream; give it with --media-type';

function typeOf(name: string): string | undefined {
  return mediaTypes[extname(name).toLowerCase()];
}

function sizeOf(path: string): Promise<number> {
  return readable(path, async () => (await stat(path)).size);
}

async function readable<T>(path: string, look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure('A2ACLI_ERR_USAGE', `${path} cannot be read: ${reason}`, { cause: error });
  }
}

/** An object or a list itself, `-` for stdin, or the path of a file. */
async function dataIn(value: string, stdin: Readable): Promise<unknown> {
  if (/^\s*[[{]/.test(value)) return jsonIn(value, 'this text');
  if (value === '-') return jsonIn(await readAll(stdin), 'stdin');
  const text = await readFile(value, 'utf8').catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const problem = `--data ${value} is neither a JSON object or list, nor a file that can be read: ${reason}`;
    throw new CommandFailure('A2ACLI_ERR_USAGE', problem, { cause });
  });
  return jsonIn(text, value);
}

function jsonIn(text: string, from: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw new CommandFailure('A2ACLI_ERR_USAGE', `--data: ${from} is not JSON: ${why}`, { cause: error });
  }
}
