import { open } from 'node:fs/promises';
import { RemoteError } from '../answers/remote-error.ts';
import type { TokenSource } from './token-source.ts';

const maxBytes = 64 * 1024;

/** The token in a file, which another program replaces or writes anew before it expires. */
export class TokenFile implements TokenSource {
  readonly #path: string;
  #read: { readonly version: string; readonly token: string } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async token(): Promise<string> {
    try {
      await using file = await open(this.#path, 'r');
      const { size, mtimeNs, ino } = await file.stat({ bigint: true });
      const version = `${ino} ${mtimeNs} ${size}`;
      if (this.#read?.version === version) return this.#read.token;
      if (size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
      const token = (await file.readFile('utf8')).trim();
      if (!/^[\x21-\x7e]+$/.test(token)) throw new Error('it has no token');
      this.#read = { version, token };
      return token;
    } catch (cause) {
      const reason = cause instanceof Error ? ('code' in cause ? cause.code : cause.message) : cause;
      // The other program may just be writing it.
      throw new RemoteError('unreachable', `its token file ${this.#path} cannot be used: ${reason}`, {
        cause,
        mayHaveArrived: false,
      });
    }
  }

  async replacementOf(refused: string): Promise<string | undefined> {
    this.#read = undefined;
    const token = await this.token();
    return token === refused ? undefined : token;
  }
}
