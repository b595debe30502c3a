import { mkdir, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type { Part, Task } from '../agent/objects.ts';
import { Failure } from '../failures/failure.ts';

export interface DownloadOptions {
  readonly dir: string;
  /** Only this artifact. Default: all. */
  readonly artifact?: string;
  readonly force?: boolean;
  /** Aborts the download of a part that is a URL. */
  readonly signal?: AbortSignal;
}

/** Writes each part of a task's artifacts to a file. @returns their paths. @throws {Failure} */
export async function download(task: Task, options: DownloadOptions): Promise<readonly string[]> {
  const { dir, artifact } = options;
  const artifacts = task.artifacts?.filter(({ artifactId }) => artifact === undefined || artifactId === artifact) ?? [];
  if (artifacts.length === 0)
    throw new Failure(
      'A2ACLI_ERR_USAGE',
      artifact ? `The task has no artifact ${artifact}` : 'The task has no artifacts',
    );
  await mkdir(dir, { recursive: true });
  const files: string[] = [];
  const names = new Set<string>();
  for (const { artifactId = 'artifact', name, parts = [] } of artifacts)
    for (const [at, part] of parts.entries()) {
      const title = part.filename ?? `${name ?? artifactId}${parts.length > 1 ? `-${at + 1}` : ''}${extensionOf(part)}`;
      files.push(await save(join(dir, unusedName(safeName(title), names)), part, options));
    }
  return files;
}

async function save(path: string, part: Part, { force = false, signal }: DownloadOptions): Promise<string> {
  try {
    await writeFile(path, await contentOf(part, signal), { flag: force ? 'w' : 'wx' });
    return path;
  } catch (error) {
    if (signal?.aborted) throw error;
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const reason = error instanceof Error ? error.message : String(error);
    throw exists
      ? new Failure('A2ACLI_ERR_USAGE', `${path} already exists`, { hint: 'Use --force to overwrite it.' })
      : new Failure('A2ACLI_ERR_INTERNAL', `${path} cannot be written: ${reason}`, { cause: error });
  }
}

/** URLs are fetched without credentials. */
async function contentOf({ text, raw, url, data }: Part, signal?: AbortSignal): Promise<string | Uint8Array> {
  if (text !== undefined) return text;
  if (raw !== undefined) return Buffer.from(raw, 'base64');
  if (url === undefined) return `${JSON.stringify(data, undefined, 2)}\n`;
  const response = await fetch(url, { signal: signal ?? null });
  if (!response.ok) throw new Error(`HTTP ${response.status} at ${url}`);
  return response.bytes();
}

/** Artifacts of several turns often have the same name: the second one becomes `Report-2.txt`. */
function unusedName(name: string, used: Set<string>): string {
  const { name: stem, ext } = parse(name);
  let unused = name;
  for (let number = 2; used.has(unused); number++) unused = `${stem}-${number}${ext}`;
  used.add(unused);
  return unused;
}

/** The agent chooses file names: none may leave the folder or be hidden. */
function safeName(name: string): string {
  const clean = name.replaceAll(/[^\p{L}\p{N}._ -]/gu, '_').replace(/^[. ]+/, '_');
  const { name: stem, ext } = parse(clean);
  const whole = ext.length > 20 ? cut(clean, maxNameBytes) : cut(stem, maxNameBytes - Buffer.byteLength(ext)) + ext;
  return whole || '_';
}

/** File systems allow 255 bytes; a number may be added. */
const maxNameBytes = 200;

/** The beginning of the text, in whole characters. */
function cut(text: string, maxBytes: number): string {
  // A decoder of a stream keeps back the bytes of a character that is cut.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes), { stream: true });
}

function extensionOf({ text, data, mediaType }: Part): string {
  if (mediaType === 'text/markdown') return '.md';
  if (text !== undefined) return '.txt';
  return data === undefined ? '' : '.json';
}
