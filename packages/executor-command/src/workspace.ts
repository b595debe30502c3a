import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Turn } from '@switchyard/agent';
import { shortFileName, unusedFileName } from '@switchyard/protocol';
import { type Briefing, briefingTexts, questionFile } from './briefing.ts';
import { ifThere, replaceFile } from './files.ts';
import { attachmentsFolder, type FileList } from './list-files.ts';
import { RunFolder } from './run-folder.ts';

/** Folder of the records of runs, outside of the workspaces, which programs can change. */
const runsFolder = '.runs';

const maxQuestionBytes = 65_536;

/** The folder in which the programs of one task work, and the records of their runs. */
export class Workspace {
  readonly path: string;
  readonly #records: string;

  constructor(root: string, taskId: string) {
    this.path = join(root, folderName(taskId));
    this.#records = join(root, runsFolder, folderName(taskId));
  }

  /** @returns whether the workspace is new here */
  async open(): Promise<boolean> {
    await mkdir(this.#records, { recursive: true, mode: 0o700 });
    const now = new Date();
    await utimes(this.#records, now, now);
    return (await mkdir(this.path, { recursive: true, mode: 0o700 })) !== undefined;
  }

  /** The run of the program for one message. */
  runOf(messageId: string): RunFolder {
    return new RunFolder(join(this.#records, folderName(messageId)));
  }

  /** The files before the first attempt at a message: files of an interrupted attempt count as results, too. */
  async rememberFiles(messageId: string, list: () => Promise<FileList>): Promise<FileList> {
    const path = join(this.#records, `${folderName(messageId)}.files`);
    const remembered = await ifThere(readFile(path, 'utf8'));
    if (remembered !== undefined) return JSON.parse(remembered);
    const files = await list();
    await replaceFile(path, JSON.stringify(files));
    return files;
  }

  /** Writes the briefing, and removes the briefing and the question of an earlier turn. */
  async brief(turn: Turn, briefing: Briefing): Promise<void> {
    await rm(join(this.path, questionFile), { recursive: true, force: true });
    await Promise.all(
      Object.entries(briefingTexts(turn, briefing)).map(([name, text]) => {
        const path = join(this.path, name);
        return text === undefined ? rm(path, { recursive: true, force: true }) : replaceFile(path, text);
      }),
    );
  }

  /**
   * Writes the files of the turn's message, also those at URLs, to the folder of attachments; the second one of a name
   * gets another.
   * @throws as `Turn.file`
   */
  async receive(turn: Turn): Promise<void> {
    const files = turn.message.parts.filter(({ raw, url, filename }) => (raw ?? url) !== undefined && filename);
    if (!files.length) return;
    const folder = join(this.path, attachmentsFolder);
    const there = await ifThere(lstat(folder));
    if (there && !there.isDirectory()) await rm(folder);
    await mkdir(folder, { recursive: true });
    const used = new Set<string>();
    for (const part of files) {
      const name = unusedFileName(fileName(part.filename ?? ''), used);
      await replaceFile(join(folder, name), (await turn.file(part)).stream);
    }
  }

  /** Writes a file, unless a file or folder is in its place already; the path comes from `listFiles`. */
  async restore(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      await mkdir(join(this.path, path, '..'), { recursive: true });
      await writeFile(join(this.path, path), content, { flag: 'wx' });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && ['EEXIST', 'ENOTDIR'].includes(String(error.code))))
        throw error;
    }
  }

  /** The beginning of the program's question; empty if it asks none. */
  async question(): Promise<string> {
    const path = join(this.path, questionFile);
    if (!(await ifThere(lstat(path)))?.isFile()) return '';
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxQuestionBytes), 0, maxQuestionBytes, 0);
    return buffer.toString('utf8', 0, bytesRead).trim();
  }
}

/** The server's own ids are safe as names; any other id is hashed. */
function folderName(id: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(id) ? id : createHash('sha256').update(id).digest('hex');
}

/** File systems allow 255 bytes, of which `replaceFile` needs 42. */
const maxNameBytes = 180;

/** The last part of a client's path, with `/` or `\` as separator, and with its extension if it is cut. */
function fileName(path: string): string {
  const whole = basename(path.replaceAll('\\', '/')).replaceAll('\0', '');
  if (['', '.', '..'].includes(whole)) return 'file';
  return shortFileName(whole, maxNameBytes);
}

const checkEveryMs = 3_600_000;

/** Removes the workspaces that no turn has used for `retentionMs`, at most once an hour. */
export function workspaceRetirement(root: string, retentionMs: number): () => Promise<void> {
  let lookedAt = 0;
  return async () => {
    if (Date.now() - lookedAt < Math.min(checkEveryMs, retentionMs)) return;
    lookedAt = Date.now();
    const records = join(root, runsFolder);
    for (const name of (await ifThere(readdir(records))) ?? []) {
      const used = await ifThere(stat(join(records, name)));
      if (used && Date.now() - used.mtimeMs >= retentionMs) await retire(root, name);
    }
  };
}

/** One that cannot be removed must not keep the others, or fail the turn that looks for them. */
async function retire(root: string, name: string): Promise<void> {
  try {
    await removeFolder(join(root, name));
    await removeFolder(join(root, runsFolder, name));
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    process.emitWarning(`The workspace ${name} cannot be removed: ${why}`, { code: 'WORKSPACE_KEPT' });
  }
}

/** Also what Node does not remove: folders without the right to write, and paths that are longer than the system takes. */
async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await promisify(execFile)('/bin/sh', [
      '-c',
      'chmod -R u+rwX "$1" 2>/dev/null; rm -rf "$1" 2>&1 | head -n 1 >&2; [ ! -e "$1" ]',
      'sh',
      path,
    ]);
  }
}
