import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** No secret decrypts the text: its secret is no longer set, or the text was changed. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

interface Key {
  /** Identifies the key, and reveals nothing of it. */
  readonly id: string;
  readonly bytes: Buffer;
}

/**
 * Encrypts texts with AES-256-GCM under a key derived from the first secret, and decrypts with any of them: secrets are
 * rotated by putting a new one first. Without secrets texts stay in clear, and clear texts stay readable. An encrypted
 * text is `<key id>:<base64url of iv, cipher text, tag>`, a clear one `:<text>`.
 */
export class Encryption {
  readonly #keys: readonly Key[];

  /** @param secrets of any length; not checked for strength */
  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map(keyOf);
  }

  get isOff(): boolean {
    return this.#keys.length === 0;
  }

  /** @param boundTo what the text belongs to: it cannot be decrypted for anything else */
  encrypt(text: string, boundTo: string): string {
    const [key] = this.#keys;
    if (!key) return `:${text}`;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, key.bytes, iv).setAAD(Buffer.from(boundTo));
    const encrypted = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${key.id}:${encrypted.toString('base64url')}`;
  }

  /** @throws {Unreadable} */
  decrypt(encrypted: string, boundTo: string): string {
    const colon = encrypted.indexOf(':');
    const id = encrypted.slice(0, colon);
    if (!id) return encrypted.slice(1);
    const key = this.#keys.find((each) => each.id === id);
    if (!key) throw new Unreadable(`It was encrypted with the secret ${id}, which is not among those of PUSH_SECRET.`);
    return decipher(key, Buffer.from(encrypted.slice(colon + 1), 'base64url'), boundTo);
  }
}

function decipher(key: Key, encrypted: Buffer, boundTo: string): string {
  try {
    const iv = encrypted.subarray(0, IV_BYTES);
    const opener = createDecipheriv(CIPHER, key.bytes, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(boundTo));
    opener.setAuthTag(encrypted.subarray(-TAG_BYTES));
    return opener.update(encrypted.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + opener.final('utf8');
  } catch (cause) {
    throw new Unreadable('It was changed since it was encrypted, or belongs to another task.', { cause });
  }
}

function keyOf(secret: string): Key {
  const derive = (what: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, '', `switchyard push ${what}`, bytes));
  return { id: derive('key id', 6).toString('base64url'), bytes: derive('key', 32) };
}
