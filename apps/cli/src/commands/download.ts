import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shortFileName, unusedFileName } from '@switchyard/protocol';
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
  // Artifacts of several turns often have the same name.
  const names = new Set<string>();
  for (const { artifactId = 'artifact', name, parts = [] } of artifacts)
    for (const [at, part] of parts.entries()) {
      const title = part.filename ?? `${name ?? artifactId}${parts.length > 1 ? `-${at + 1}` : ''}${extensionOf(part)}`;
      files.push(await save(join(dir, unusedFileName(safeName(title), names)), part, options));
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

/** The agent chooses file names: none may leave the folder or be hidden. */
function safeName(name: string): string {
  const clean = name.replaceAll(/[^\p{L}\p{N}._ -]/gu, '_').replace(/^[. ]+/, '_');
  return shortFileName(clean, maxNameBytes) || '_';
}

/** File systems allow 255 bytes; a number may be added. */
const maxNameBytes = 200;

function extensionOf({ text, data, mediaType }: Part): string {
  if (mediaType === 'text/markdown') return '.md';
  if (text !== undefined) return '.txt';
  return data === undefined ? '' : '.json';
}
