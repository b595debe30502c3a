import { join } from 'node:path';
import { z } from 'zod';
import { UserFile, type UserPlace, userFolderOf } from '../data-folder/user-folder.ts';

const loginSchema = z.object({
  /** Where the token may be sent. */
  origins: z.array(z.string()).min(1),
  /** The agent, as the user named it. */
  agent: z.string(),
  clientId: z.string(),
  tokenUrl: z.string(),
  revocationUrl: z.string().optional(),
  scope: z.string().optional(),
  accessToken: z.string().regex(/^[\x21-\x7e]+$/),
  refreshToken: z.string().optional(),
  /** Epoch time in milliseconds. Unset: the identity server did not say it. */
  expiresAt: z.number().optional(),
  /** From then on it is renewed, shortly before its end. */
  renewAt: z.number().optional(),
});

/** A token for an agent, and how it is renewed. */
export type Login = z.infer<typeof loginSchema>;

/** Older logins are dropped. */
const maxLogins = 1_000;

/** The logins of this user, in a file that only the user can read. */
export class KeptLogins {
  readonly #file: UserFile<Login[]>;
  readonly #onRefused: (line: string) => void;

  /** @param onRefused gets why the file is not used */
  constructor(place: UserPlace, onRefused: (line: string) => void) {
    this.#file = new UserFile(join(userFolderOf(place), 'logins.json'), z.array(loginSchema));
    this.#onRefused = onRefused;
  }

  async all(): Promise<readonly Login[]> {
    const onRefused = (reason: string): void =>
      this.#onRefused(`warning: ${this.#file.path} is not used: ${reason}. Log in again where you need it.`);
    return (await this.#file.read(onRefused)) ?? [];
  }

  async find(origin: string): Promise<Login | undefined> {
    return (await this.all()).find(({ origins }) => origins.includes(origin));
  }

  /** Replaces the logins with the same origins. */
  async add(login: Login): Promise<void> {
    await this.change(async (all) => [...all.filter((each) => !sharesOrigin(each, login)), login].slice(-maxLogins));
  }

  /** No other command changes the file meanwhile. */
  async change(next: (all: readonly Login[]) => Promise<readonly Login[]>): Promise<void> {
    // Most commands only read the file.
    const { withFileLock } = await import('./file-lock.ts');
    await this.#file.makeFolder();
    await withFileLock(`${this.#file.path}.lock`, async () => {
      const before = await this.all();
      const after = await next(before);
      if (after !== before) await this.#file.write([...after]);
    });
  }
}

function sharesOrigin(one: Login, other: Login): boolean {
  return one.origins.some((origin) => other.origins.includes(origin));
}
