import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { type Turn, TurnMisuseError } from '@switchyard/agent';
import type { Artifact, Part } from '@switchyard/protocol';
import type { FileSettings } from './list-files.ts';
import { isText, mediaTypeOf } from './media-type.ts';
import type { Workspace } from './workspace.ts';

/** Metadata key of an artifact: the path of its file. */
const fileKey = 'switchyard.file';

export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

interface Attached {
  readonly files: string[];
  readonly leftOut: LeftOut[];
}

/**
 * Attaches each file as an artifact, as far as the limits, the client's output modes and the size of the task allow. A
 * file keeps its artifact in later turns.
 */
export async function attachFiles(
  turn: Turn,
  { workspace, paths, limits }: { workspace: string; paths: readonly string[]; limits: FileSettings },
): Promise<Attached> {
  const { maxFiles = 50, maxFileBytes = 262_144, maxTotalBytes = 2_097_152 } = limits;
  const attached: Attached = { files: [], leftOut: [] };
  const root = await realpath(workspace);
  let leftBytes = maxTotalBytes;
  let refusal: string | undefined;
  for (const path of paths) {
    const earlier = turn.task.artifacts?.find((artifact) => fileOf(artifact) === path);
    // After the task has refused a file, further new ones are not even read.
    const known = attached.files.length >= maxFiles ? 'there are too many files' : !earlier && refusal;
    const file = known || (await readPart(turn, { root, path, maxBytes: Math.min(maxFileBytes, leftBytes) }));
    if (typeof file === 'string') {
      attached.leftOut.push({ path, why: file });
      continue;
    }
    const refused = await attach(turn, { path, part: file.part, earlier });
    if (refused === undefined) {
      attached.files.push(path);
      leftBytes -= file.bytes;
    } else {
      attached.leftOut.push({ path, why: refused });
      refusal ??= refused;
    }
  }
  return attached;
}

/** Writes the files of earlier turns into a workspace that is new on this machine. */
export async function restoreFiles(workspace: Workspace, { task }: Turn): Promise<void> {
  // The latest first: where a file was replaced by a folder, or a folder by a file, both have artifacts.
  for (const artifact of task.artifacts?.toReversed() ?? []) {
    const path = fileOf(artifact);
    const [part] = artifact.parts;
    if (path === undefined || !part) continue;
    await workspace.restore(path, part.raw === undefined ? (part.text ?? '') : Buffer.from(part.raw, 'base64'));
  }
}

/** @returns the file, or the reason why it is left out */
async function readPart(
  turn: Turn,
  { root, path, maxBytes }: { root: string; path: string; maxBytes: number },
): Promise<{ readonly part: Part; readonly bytes: number } | string> {
  const content = await readInside(root, path, maxBytes);
  const part = typeof content === 'string' ? content : partFor(turn, path, content);
  return typeof part === 'string' ? part : { part, bytes: content.length };
}

/** @returns the content, or the reason why the file is left out. Symbolic links are not followed. */
async function readInside(root: string, path: string, maxBytes: number): Promise<Buffer | string> {
  const fullPath = join(root, path);
  if ((await realpath(fullPath).catch(() => undefined)) !== fullPath) return 'it is a symbolic link';
  await using file = await open(fullPath, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const stats = await file.stat();
  if (!stats.isFile()) return 'it is not a regular file';
  return stats.size > maxBytes ? `it is too big (${stats.size} bytes)` : file.readFile();
}

/** The file as text or bytes, whichever the client accepts first; otherwise the reason why it accepts neither. */
function partFor(turn: Turn, filename: string, content: Buffer): Part | string {
  const own = mediaTypeOf(filename, content);
  if (isText(content)) {
    const mediaType = [own, 'text/plain'].find((type) => turn.accepts(type));
    if (mediaType) return { text: content.toString('utf8'), mediaType, filename };
  }
  const mediaType = [own, 'application/octet-stream'].find((type) => turn.accepts(type));
  return mediaType ? { raw: content.toString('base64'), mediaType, filename } : `the client does not accept ${own}`;
}

/** @returns why the task cannot take the file: it has too many artifacts, or would become too large */
async function attach(
  turn: Turn,
  { path, part, earlier }: { path: string; part: Part; earlier: Artifact | undefined },
): Promise<string | undefined> {
  const metadata = { [fileKey]: path };
  const artifact = turn.artifact({ name: path, metadata, ...(earlier && { artifactId: earlier.artifactId }) });
  try {
    await artifact.finish(part);
    return undefined;
  } catch (error) {
    if (!(error instanceof TurnMisuseError)) throw error;
    return `the task cannot take it (${error.message.replace(/\.$/, '')})`;
  }
}

function fileOf({ metadata }: Artifact): string | undefined {
  const path = metadata?.[fileKey];
  return typeof path === 'string' ? path : undefined;
}
