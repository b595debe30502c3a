import { createHash, hash } from 'node:crypto';
import type { FileEncryption } from './encryption.ts';
import { rawId } from './file-id.ts';
import { FileRefused } from './file-refused.ts';
import type { ExpectedContent, FileLimits, NewFile, RawContent, StoredFile } from './file-store.ts';

/** What stands for a principal in paths and keys: its name may have any characters. */
export function ownerName(owner: string): string {
  return createHash('sha256').update(owner).digest('hex').slice(0, 32);
}

/** How many bytes a content may have, and what is thrown at the next one. @param room bytes that the principal may store */
export function limitOf(
  { maxFileBytes, maxBytesPerPrincipal }: FileLimits,
  room: number,
  { sizeBytes }: ExpectedContent,
): { readonly bytes: number; readonly error: () => Error } {
  if (sizeBytes !== undefined) return { bytes: sizeBytes, error: () => tooLong(sizeBytes) };
  if (room < maxFileBytes) return { bytes: room, error: () => overQuota(maxBytesPerPrincipal) };
  return { bytes: maxFileBytes, error: () => tooLarge(maxFileBytes) };
}

/** @returns bytes that a principal may still store @throws {FileRefused} it has more than it may */
export function roomLeft({ maxBytesPerPrincipal }: FileLimits, usedBytes: number): number {
  if (usedBytes > maxBytesPerPrincipal) throw overQuota(maxBytesPerPrincipal);
  return maxBytesPerPrincipal - usedBytes;
}

/** What is known of a content before it is written. */
export interface KnownName {
  readonly id: string;
  /** Unset: it is computed while the content is written. */
  readonly sha256?: string;
}

/** The SHA-256 of a content that is written. @param known it need not be computed */
export function digestOf(known: string | undefined): {
  readonly add?: (plain: Uint8Array) => void;
  readonly hex: () => string;
} {
  if (known !== undefined) return { hex: () => known };
  const hash = createHash('sha256');
  return { add: (plain) => void hash.update(plain), hex: () => hash.digest('hex') };
}

/** What a part had as `raw`, as a file whose name is that of its content. */
export function rawFileOf(
  encryption: FileEncryption,
  owner: string,
  { facts, bytes, keeper }: RawContent,
): { readonly known: Required<KnownName>; readonly file: NewFile } {
  const [sizeBytes, sha256] = [bytes.length, hash('sha256', bytes)];
  const id = rawId(encryption.nameFor(owner, { agent: facts.agent, sha256 }), sizeBytes);
  return { known: { id, sha256 }, file: { facts, expected: { sizeBytes }, keeper } };
}

/** A content that is in memory. */
export async function* contentOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export function requireExpected(file: StoredFile, { sizeBytes, sha256 }: ExpectedContent): void {
  if (sizeBytes !== undefined && file.sizeBytes !== sizeBytes)
    throw new FileRefused('incomplete', `The file has ${file.sizeBytes} bytes, and ${sizeBytes} were announced`);
  if (sha256 !== undefined && file.sha256 !== sha256)
    throw new FileRefused('wrong-digest', `The SHA-256 of the file is ${file.sha256}, and ${sha256} was announced`);
}

export function tooLarge(maxFileBytes: number): FileRefused {
  return new FileRefused('too-large', `The file is larger than ${maxFileBytes} bytes (MAX_FILE_BYTES)`);
}

function overQuota(maxBytes: number): FileRefused {
  const limit = `${maxBytes} bytes (MAX_FILE_BYTES_PER_PRINCIPAL)`;
  return new FileRefused('over-quota', `The files of your principal would have more than ${limit}`);
}

export function tooLong(sizeBytes: number): FileRefused {
  return new FileRefused('too-long', `The content is longer than the ${sizeBytes} bytes that were announced`);
}
