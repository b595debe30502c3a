import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentError, type FileContent, type Turn, TurnMisuseError } from '@switchyard/agent';
import type { Artifact, Part } from '@switchyard/protocol';
import { codeOfUnreadable } from './files.ts';
import type { FileSettings } from './list-files.ts';
import { isText, mediaTypeOf } from './media-type.ts';
import type { Workspace } from './workspace.ts';

/** Metadata key of an artifact: the path of its file. */
const fileKey = 'switchyard.file';

const GIB = 1024 ** 3;

/** What a file is called that is stored outside of the task. */
interface StoredType {
  readonly name: string;
  readonly mediaType: string;
}

export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

interface Attached {
  readonly files: string[];
  readonly leftOut: LeftOut[];
}

/**
 * Attaches each file as an artifact, as far as the limits, the client's output modes and the size of the task allow:
 * small files within the task, others as files of the deployment. A file keeps its artifact in later turns.
 */
export async function attachFiles(
  turn: Turn,
  { workspace, paths, limits }: { workspace: string; paths: readonly string[]; limits: FileSettings },
): Promise<Attached> {
  const { maxFiles = 50, maxInlineBytes = 262_144, maxTotalInlineBytes = 2_097_152, maxFileBytes = GIB } = limits;
  const attached: Attached = { files: [], leftOut: [] };
  const root = await realpath(workspace);
  let leftBytes = maxTotalInlineBytes;
  let refusal: string | undefined;
  for (const path of paths) {
    const earlier = turn.task.artifacts?.find((artifact) => fileOf(artifact) === path);
    // After the task has refused a file, further new ones are not even read.
    const known = attached.files.length >= maxFiles ? 'there are too many files' : !earlier && refusal;
    const most = { inline: Math.min(maxInlineBytes, leftBytes), bytes: maxFileBytes };
    const { inlineBytes = 0, why, isFull } = known ? { why: known } : await attach(turn, { root, path, earlier, most });
    leftBytes -= inlineBytes;
    if (why === undefined) attached.files.push(path);
    else attached.leftOut.push({ path, why });
    if (isFull) refusal ??= why;
  }
  return attached;
}

/** Writes the files of earlier turns into a workspace that is new on this machine. */
export async function restoreFiles(workspace: Workspace, turn: Turn): Promise<void> {
  // The latest first: where a file was replaced by a folder, or a folder by a file, both have artifacts.
  for (const artifact of turn.task.artifacts?.toReversed() ?? []) {
    const path = fileOf(artifact);
    const [part] = artifact.parts;
    if (path === undefined || !part) continue;
    const content = await contentOf(turn, part, path);
    if (content) await workspace.restore(path, content);
  }
}

/** @returns undefined: the client has deleted the file */
async function contentOf(turn: Turn, part: Part, path: string): Promise<FileContent['stream'] | undefined> {
  try {
    return (await turn.file(part)).stream;
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    turn.log.warn('A file of an earlier turn is not in the workspace', { path, why: error.message });
    return undefined;
  }
}

/** @returns the file, or the reason why it is left out. Symbolic links are not followed. */
async function openInside(
  root: string,
  path: string,
  maxBytes: number,
): Promise<{ readonly file: FileHandle; readonly bytes: number } | string> {
  const fullPath = join(root, path);
  const file = await openReadable(fullPath);
  if (typeof file === 'string') return file;
  const stats = await file.stat();
  const why = stats.isFile()
    ? stats.size > maxBytes && `it is too big (${stats.size} bytes)`
    : 'it is not a regular file';
  if (!why) return { file, bytes: stats.size };
  await file.close();
  return why;
}

async function openReadable(path: string): Promise<FileHandle | string> {
  try {
    if ((await realpath(path)) !== path) return 'it is a symbolic link';
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return `it cannot be read (${codeOfUnreadable(error)})`;
  }
}

/** The file as text or bytes, whichever the client accepts first; otherwise the reason why it accepts neither. */
function partFor(turn: Turn, filename: string, content: Buffer): Part | string {
  const own = mediaTypeOf(filename, content);
  if (isText(content)) {
    const mediaType = [own, 'text/plain'].find((type) => turn.accepts(type));
    if (mediaType) return { text: content.toString('utf8'), mediaType, filename };
  }
  const mediaType = acceptedType(turn, own);
  return mediaType ? { raw: content.toString('base64'), mediaType, filename } : `the client does not accept ${own}`;
}

/** The media type of a file that is not read here; otherwise the reason why the client does not accept it. */
function typeFor(turn: Turn, filename: string): StoredType | string {
  const own = mediaTypeOf(filename);
  const mediaType = acceptedType(turn, own);
  return mediaType ? { name: filename, mediaType } : `the client does not accept ${own}`;
}

function acceptedType(turn: Turn, own: string): string | undefined {
  return [own, 'application/octet-stream'].find((type) => turn.accepts(type));
}

interface Attachment {
  readonly root: string;
  readonly path: string;
  readonly earlier: Artifact | undefined;
  /** Bytes within the task, and of any file. */
  readonly most: { readonly inline: number; readonly bytes: number };
}

interface AttachedFile {
  /** Bytes in the task. */
  readonly inlineBytes?: number;
  /** Why it is left out; unset: it is attached. */
  readonly why?: string;
  /** The task takes no further file. */
  readonly isFull?: boolean;
}

async function attach(turn: Turn, { root, path, earlier, most }: Attachment): Promise<AttachedFile> {
  const opened = await openInside(root, path, most.bytes);
  if (typeof opened === 'string') return { why: opened };
  await using file = opened.file;
  const { bytes } = opened;
  const isInline = bytes <= most.inline;
  const content = isInline ? partFor(turn, path, await file.readFile()) : typeFor(turn, path);
  if (typeof content === 'string') return { why: content };
  const metadata = { [fileKey]: path };
  const artifact = turn.artifact({ name: path, metadata, ...(earlier && { artifactId: earlier.artifactId }) });
  try {
    if ('name' in content) await artifact.file(file.createReadStream({ autoClose: false }), content);
    await artifact.finish('name' in content ? undefined : content);
    return isInline ? { inlineBytes: bytes } : {};
  } catch (error) {
    if (!(error instanceof TurnMisuseError || error instanceof AgentError)) throw error;
    const why = `the task cannot take it (${error.message.replace(/\.$/, '')})`;
    return isInline ? { why, isFull: true } : { why: `it is big (${bytes} bytes), and ${why}` };
  }
}

function fileOf({ metadata }: Artifact): string | undefined {
  const path = metadata?.[fileKey];
  return typeof path === 'string' ? path : undefined;
}
