import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, randomBytes } from 'node:crypto';
import { FileRefused } from './file-refused.ts';
import { free } from './free.ts';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const none = new Uint8Array();

/** Plain bytes that are encrypted together. Only the last chunk of a content has fewer. */
export const CHUNK_BYTES = 64 * 1024;

/** Facts as they are stored: in clear, or encrypted with the key that is named. */
export type StoredFacts<T> = T | { readonly key: string; readonly encrypted: string };

/**
 * Encrypts what is stored of files, with AES-256-GCM. Each file has a key of its own, derived from a secret, its
 * principal and its name; its facts name the secret. New files get the first secret, and any of them is read: secrets
 * are rotated by putting a new one first. Without secrets files stay in clear, and clear ones stay readable.
 *
 * A content is a sequence of chunks `<iv><cipher text><tag>`. Each is bound to its number, and the facts to the id, which
 * has the size. So nobody who can write to the store can change, shorten or reorder a content, or pass it off as that of
 * another file. Chunks have random IVs, because one that has not filled is encrypted again with what follows.
 */
export class FileEncryption {
  readonly #secrets: readonly { readonly id: string; readonly secret: string }[];

  /** @param secrets of any length; not checked for strength */
  constructor(secrets: readonly string[] = []) {
    this.#secrets = secrets.map((secret) => ({ id: derived(secret, 'id', 6).toString('base64url'), secret }));
  }

  /** Whether new files are encrypted. */
  get isOn(): boolean {
    return this.#secrets.length > 0;
  }

  /** @param owner what stands for the principal @param id of a new file, whose size may be another one in the end */
  forNew(owner: string, id: string): FileCipher {
    const [first] = this.#secrets;
    return first ? cipherOf(first, owner, id) : new FileCipher();
  }

  /**
   * 128 bits that stand for a content. Without the secret nobody can tell which content it is; with another secret it
   * has another name, because it is encrypted with that one.
   */
  nameFor(owner: string, { agent = '', sha256 }: { readonly agent?: string | undefined; readonly sha256: string }) {
    const [first] = this.#secrets;
    const what = `${owner}\n${agent}\n${sha256}`;
    const name = first
      ? createHmac('sha256', derived(first.secret, 'names', 32))
          .update(what)
          .digest('hex')
      : hash('sha256', what);
    return name.slice(0, 32);
  }

  /** @throws {FileRefused} `unavailable`: its secret is not set. `damaged` */
  read<T extends object>(owner: string, id: string, stored: StoredFacts<T>): { facts: T; cipher: FileCipher } {
    if (!('encrypted' in stored)) return { facts: stored, cipher: new FileCipher() };
    const secret = this.#secrets.find((each) => each.id === stored.key);
    if (!secret) {
      const cause = new Error(`A file was encrypted with the secret ${stored.key}, which FILES_SECRET does not have`);
      throw new FileRefused('unavailable', 'The store of files is unavailable', { cause });
    }
    const cipher = cipherOf(secret, owner, id);
    return { facts: cipher.decryptFacts(id, stored.encrypted), cipher };
  }
}

/** Encrypts and decrypts the content and the facts of one file, or leaves them in clear. */
export class FileCipher {
  readonly #key: { readonly id: string; readonly bytes: Buffer } | undefined;
  /** Bytes that each chunk has more when it is stored. */
  readonly #moreBytes: number;

  /** @param key unset: in clear */
  constructor(key?: { readonly id: string; readonly bytes: Buffer }) {
    this.#key = key;
    this.#moreBytes = key ? IV_BYTES + TAG_BYTES : 0;
  }

  get isOff(): boolean {
    return this.#key === undefined;
  }

  /** Bytes that are stored for the first ones of a content, which are whole chunks, or all. */
  storedBytes(plainBytes: number): number {
    return plainBytes + Math.ceil(plainBytes / CHUNK_BYTES) * this.#moreBytes;
  }

  /** Plain bytes of the whole chunks in so many stored ones. */
  wholeChunks(storedBytes: number): number {
    return Math.floor(storedBytes / (CHUNK_BYTES + this.#moreBytes)) * CHUNK_BYTES;
  }

  /** Where the plain bytes of a chunk are written before `encrypt`: after the place for the IV. */
  get plainAt(): number {
    return this.#key ? IV_BYTES : 0;
  }

  /** Encrypts a chunk where it is. @param chunk with the places for IV and tag @param number from 0 */
  encrypt(chunk: Uint8Array, number: number): void {
    if (!this.#key) return;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key.bytes, iv).setAAD(Buffer.from(`chunk ${number}`));
    chunk.set(iv);
    const encrypted = cipher.update(chunk.subarray(IV_BYTES, -TAG_BYTES));
    chunk.set(encrypted, IV_BYTES);
    free(encrypted);
    cipher.final();
    chunk.set(cipher.getAuthTag(), chunk.length - TAG_BYTES);
  }

  /** @param number of the chunk, from 0 @throws {FileRefused} `damaged` */
  decrypt(chunk: Uint8Array, number: number): Uint8Array {
    return this.#key ? opened(this.#key.bytes, chunk, `chunk ${number}`) : chunk;
  }

  encryptFacts<T extends object>(id: string, facts: T): StoredFacts<T> {
    if (!this.#key) return facts;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key.bytes, iv).setAAD(Buffer.from(`facts ${id}`));
    const encrypted = Buffer.concat([iv, cipher.update(JSON.stringify(facts)), cipher.final(), cipher.getAuthTag()]);
    return { key: this.#key.id, encrypted: encrypted.toString('base64url') };
  }

  decryptFacts<T>(id: string, encrypted: string): T {
    const bytes = Buffer.from(encrypted, 'base64url');
    return JSON.parse(`${this.#key ? opened(this.#key.bytes, bytes, `facts ${id}`) : none}`);
  }
}

function cipherOf({ id, secret }: { readonly id: string; readonly secret: string }, owner: string, fileId: string) {
  const name = fileId.slice(0, fileId.indexOf('-'));
  return new FileCipher({ id, bytes: derived(secret, `key of ${owner}/${name}`, 32) });
}

function derived(secret: string, what: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `switchyard files ${what}`, bytes));
}

function opened(key: Buffer, stored: Uint8Array, boundTo: string): Buffer {
  try {
    const iv = stored.subarray(0, IV_BYTES);
    const opener = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(boundTo));
    opener.setAuthTag(stored.subarray(-TAG_BYTES));
    const plain = opener.update(stored.subarray(IV_BYTES, -TAG_BYTES));
    opener.final();
    return plain;
  } catch (cause) {
    throw damaged({ cause });
  }
}

/** What is stored is not what was written. */
export function damaged(options?: ErrorOptions): FileRefused {
  return new FileRefused('damaged', 'The file is damaged: it was changed since it was stored', options);
}
