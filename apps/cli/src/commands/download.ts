import { existsSync } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { shortFileName, unusedFileName } from '@switchyard/protocol';
import type { GatewayPaths } from '../agent/gateway.ts';
import type { Artifact, Part, Task } from '../agent/objects.ts';
import { CommandFailure } from '../failures/failure.ts';
import { bounded } from './bounded-download.ts';

export interface DownloadOptions {
  readonly dir: string;
  /** Only this artifact. Default: all. */
  readonly artifact?: string;
  readonly force?: boolean;
  /** Of one file; default: 1 GiB. */
  readonly maxBytes?: number;
  /** Of the agent: its files need the credentials. */
  readonly gateway?: Pick<GatewayPaths, 'base' | 'request'> | undefined;
  /** Aborts the download of a part that is a URL. */
  readonly signal?: AbortSignal;
  /** Called every few seconds while a file is downloaded. */
  readonly onProgress?: (text: string) => void;
}

interface Download {
  /** Paths of the written files. */
  readonly files: readonly string[];
  /** The others: one that is missing does not end the download. */
  readonly failed: readonly { readonly name: string; readonly reason: string }[];
}

const MAX_BYTES = 2 ** 30;

/**
 * Writes each part of a task's artifacts to a file, and the files in the agent's messages.
 * @throws {CommandFailure} there is nothing to write, or a file exists
 */
export async function download(task: Task, options: DownloadOptions): Promise<Download> {
  const { dir, artifact } = options;
  const artifacts = task.artifacts?.filter(({ artifactId }) => artifact === undefined || artifactId === artifact) ?? [];
  const parts = artifacts.flatMap(partsOf);
  if (artifact === undefined) parts.push(...filesInMessages(task));
  if (parts.length === 0)
    throw new CommandFailure(
      'SWITCHYARD_ERR_NO_ARTIFACT',
      artifact ? `The task has no artifact ${artifact}` : 'The task has no artifacts, and no files of its agent',
    );
  await mkdir(dir, { recursive: true });
  const files: string[] = [];
  const failed: { name: string; reason: string }[] = [];
  // Artifacts of several turns often have the same name.
  const names = new Set<string>();
  for (const { part, title } of parts) {
    const name = unusedFileName(safeName(title), names);
    try {
      files.push(await save(join(dir, name), part, options));
    } catch (error) {
      if (options.signal?.aborted || error instanceof CommandFailure) throw error;
      failed.push({ name, reason: reasonOf(error) });
    }
  }
  return { files, failed };
}

function partsOf({ artifactId = 'artifact', name, parts = [] }: Artifact) {
  return parts.map((part, at) => ({
    part,
    title: part.filename ?? titleOf(name ?? artifactId, part, parts.length > 1 ? `-${at + 1}` : ''),
  }));
}

/** The status has the last message again, and an agent often answers with a file that is an artifact, too. */
function filesInMessages({ artifacts = [], history = [], status }: Task): ReturnType<typeof partsOf> {
  const contentIn = ({ url, raw }: Part): string | undefined => url ?? raw;
  const known = new Set(artifacts.flatMap(({ parts = [] }) => parts.map(contentIn)));
  const messages = [...history, ...(status?.message ? [status.message] : [])];
  return messages.flatMap(({ role, parts = [] }) => {
    const files = parts.filter((part) => {
      const content = contentIn(part);
      if (role !== 'ROLE_AGENT' || content === undefined || known.has(content)) return false;
      return known.add(content);
    });
    return partsOf({ name: 'message', parts: files });
  });
}

/** Artifacts are often named like files: such a name keeps its extension. */
function titleOf(name: string, part: Part, number: string): string {
  const own = extname(name);
  if (!/^\.[a-z][a-z\d]{0,9}$/i.test(own)) return name + number + extensionOf(part);
  return name.slice(0, -own.length) + number + own;
}

/** @throws {CommandFailure} if the file exists or cannot be written. @throws {Error} if the part cannot be fetched */
async function save(path: string, part: Part, options: DownloadOptions): Promise<string> {
  const flag = options.force ? 'w' : 'wx';
  if (part.text === undefined && part.raw === undefined && part.url !== undefined)
    return saveUrl(path, part.url, { ...options, flag });
  await writeFile(path, contentOf(part), { flag }).catch((error: unknown) => {
    throw unwritten(path, error);
  });
  return path;
}

function contentOf({ text, raw, data }: Part): string | Uint8Array {
  if (text !== undefined) return text;
  return raw === undefined ? `${JSON.stringify(data, undefined, 2)}\n` : Buffer.from(raw, 'base64');
}

/** Files of the agent's gateway are fetched with the credentials, other URLs without. */
async function saveUrl(path: string, url: string, options: DownloadOptions & { flag: string }): Promise<string> {
  const { gateway, signal, maxBytes = MAX_BYTES, onProgress } = options;
  if (!gateway || !url.startsWith(`${gateway.base}/files/`)) return saveOther(path, url, options);
  if (!options.force && existsSync(path)) throw existing(path);
  const { saveStoredFile } = await import('./stored-file.ts');
  const file = url.slice(gateway.base.length);
  await saveStoredFile(path, { gateway, file }, { maxBytes, signal, onProgress });
  return path;
}

async function saveOther(path: string, url: string, options: DownloadOptions & { flag: string }): Promise<string> {
  const { signal, flag, maxBytes = MAX_BYTES, onProgress } = options;
  const response = await fetch(url, { signal: signal ?? null });
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    throw new Error(`HTTP ${response.status} at ${url}`);
  }
  const file = await open(path, flag).catch((error: unknown) => {
    throw unwritten(path, error);
  });
  try {
    const count = bounded({ maxBytes, name: path, onProgress, headers: response.headers });
    await pipeline(response.body, count, file.createWriteStream(), { ...(signal && { signal }) });
    return path;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

function unwritten(path: string, error: unknown): CommandFailure {
  return isExisting(error)
    ? existing(path)
    : new CommandFailure('A2ACLI_ERR_INTERNAL', `${path} cannot be written: ${reasonOf(error)}`, { cause: error });
}

function existing(path: string): CommandFailure {
  return new CommandFailure('A2ACLI_ERR_USAGE', `${path} already exists`, { hint: 'Use --force to overwrite it.' });
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

/** fetch's own message says only that it failed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/**
 * The agent chooses file names: none may leave the folder or be hidden. Letters of many scripts have combining marks,
 * and need joiners.
 */
function safeName(name: string): string {
  const clean = name.replaceAll(/(?!\u200c|\u200d)[^\p{L}\p{M}\p{N}._ -]/gu, '_').replace(/^[. ]+/, '_');
  return shortFileName(clean, maxNameBytes) || '_';
}

/** File systems allow 255 bytes; a number may be added. */
const maxNameBytes = 200;

function extensionOf({ text, data, mediaType }: Part): string {
  if (mediaType === 'text/markdown') return '.md';
  if (text !== undefined) return '.txt';
  return data === undefined ? '' : '.json';
}
