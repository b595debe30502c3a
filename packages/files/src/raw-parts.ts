import { rawFileIn } from './file-id.ts';
import type { FileStore } from './file-store.ts';
import type { Keeper } from './sweep.ts';

/** What is read of a part. */
interface PartWithContent {
  readonly raw?: string | undefined;
  readonly url?: string | undefined;
  readonly filename?: string | undefined;
  readonly mediaType?: string | undefined;
}

/** Whose parts they are. */
interface PartsOf {
  readonly owner: string;
  readonly keeper: Keeper;
  /** That has written them; unset: they are a message's, which its principal can read whatever agent it is for. */
  readonly agent?: string | undefined;
  /** Larger ones are moved. */
  readonly inlineBytes: number;
}

/** Parts that are written at the same time. */
const AT_ONCE = 4;

/** Base64 has four characters for three bytes. */
const isLarge = (raw: string | undefined, bytes: number): raw is string =>
  raw !== undefined && (raw.length * 3) / 4 - 2 > bytes && Buffer.byteLength(raw, 'base64') > bytes;

/** Whether parts have more bytes as `raw` than a task shall have. */
export function hasLargeRaw(parts: readonly PartWithContent[], inlineBytes: number): boolean {
  return parts.some(({ raw }) => isLarge(raw, inlineBytes));
}

/**
 * Stores what parts have as `raw`, if it is large, and keeps it for the task.
 * @returns the id for each part that shall have its URL instead, and why others were not stored: they stay as they are.
 * So a store that is away, or full, is no reason to refuse a message or an event.
 */
export async function moveRaw(
  files: Pick<FileStore, 'writeRaw'>,
  parts: readonly PartWithContent[],
  { owner, keeper, agent, inlineBytes }: PartsOf,
): Promise<{ readonly ids: ReadonlyMap<number, string>; readonly refused?: unknown }> {
  const ids = new Map<number, string>();
  const write = (at: readonly number[]): Promise<void> => {
    const { raw = '', filename, mediaType = 'application/octet-stream' } = parts[at[0] ?? 0] ?? {};
    const bytes = Buffer.from(raw, 'base64');
    const facts = { mediaType, ...(filename !== undefined && { filename }), ...(agent !== undefined && { agent }) };
    return files.writeRaw(owner, { facts, bytes, keeper }).then((id) => {
      for (const i of at) ids.set(i, id);
    });
  };
  const large = [...parts.keys()].filter((i) => isLarge(parts[i]?.raw, inlineBytes));
  const contents = [...Map.groupBy(large, (i) => parts[i]?.raw).values()];
  // Some at a time: each is in memory as bytes while it is written.
  for (let next = 0; next < contents.length; next += AT_ONCE) {
    const writes = await Promise.allSettled(contents.slice(next, next + AT_ONCE).map(write));
    const failed = writes.find((each) => each.status === 'rejected');
    // Nor would the store take the others.
    if (failed) return { ids, refused: failed.reason };
  }
  return { ids };
}

/** Who reads parts. */
interface RawReader {
  readonly owner: string;
  /** Of the files that parts refer to, those that an agent has written must be of this one. Unset: of any. */
  readonly agent?: string | undefined;
  /** The other ones keep their URLs. */
  readonly maxBytes: number;
}

/** Bytes that `readRaw` reads at most. */
export function rawBytesIn(parts: readonly PartWithContent[], maxBytes: number): number {
  const all = parts.reduce((sum, { url }) => sum + (rawFileIn(url)?.sizeBytes ?? 0), 0);
  return Math.min(all, maxBytes);
}

/**
 * The `raw` of parts that had it before it was moved.
 * @returns base64 for the positions of those; without what is gone, and what is more than `maxBytes` together
 * @throws {FileRefused}
 */
export async function readRaw(
  files: Pick<FileStore, 'open'>,
  parts: readonly PartWithContent[],
  { owner, agent, maxBytes }: RawReader,
): Promise<ReadonlyMap<number, string>> {
  const raws = new Map<number, string>();
  const known = new Map<string, string | undefined>();
  let left = maxBytes;
  for (const [i, { url }] of parts.entries()) {
    const file = rawFileIn(url);
    if (!file || file.sizeBytes > left) continue;
    if (!known.has(file.id)) known.set(file.id, await contentOf(files, { owner, agent, ...file }));
    const raw = known.get(file.id);
    if (raw === undefined) continue;
    raws.set(i, raw);
    left -= file.sizeBytes;
  }
  return raws;
}

async function contentOf(
  files: Pick<FileStore, 'open'>,
  { owner, agent, id, sizeBytes }: Omit<RawReader, 'maxBytes'> & { readonly id: string; readonly sizeBytes: number },
): Promise<string | undefined> {
  const opened = await files.open(owner, id);
  if (!opened) return undefined;
  try {
    const writer = opened.file.agent;
    if (agent !== undefined && writer !== undefined && writer !== agent) return undefined;
    const bytes = Buffer.allocUnsafe(sizeBytes);
    let at = 0;
    for await (const chunk of opened.chunks()) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return bytes.toString('base64');
  } finally {
    await opened.close();
  }
}
