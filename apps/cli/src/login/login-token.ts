import { quoted } from '@switchyard/settings/terminal';
import type { TokenSource } from '../agent/token-source.ts';
import { CommandFailure } from '../failures/failure.ts';
import type { KeptLogins, Login } from './kept-logins.ts';

/** The token of a login, as it is kept; a renewed one is kept, too. */
export class LoginToken implements TokenSource {
  readonly #logins: KeptLogins;
  readonly #origin: string;
  readonly #signal: AbortSignal;
  #login: Login;

  constructor(logins: KeptLogins, { login, origin, signal }: { login: Login; origin: string; signal: AbortSignal }) {
    this.#logins = logins;
    this.#login = login;
    this.#origin = origin;
    this.#signal = signal;
  }

  async current(): Promise<string> {
    if (!isDue(this.#login)) return this.#login.accessToken;
    try {
      return await this.#renewed(isDue);
    } catch (error) {
      if (isOver(this.#login)) throw error;
      return this.#login.accessToken;
    }
  }

  async replacementOf(refused: string): Promise<string | undefined> {
    const token = await this.#renewed(({ accessToken }) => accessToken === refused);
    return token === refused ? undefined : token;
  }

  /** Another command may have renewed it already. */
  async #renewed(mustRenew: (login: Login) => boolean): Promise<string> {
    await this.#logins.change(async (all) => {
      const kept = all.find(({ origins }) => origins.includes(this.#origin));
      if (!kept) throw this.#ended('it was ended by switchyard logout');
      this.#login = kept;
      const { refreshToken } = kept;
      if (!mustRenew(kept)) return all;
      if (refreshToken === undefined) {
        if (isOver(kept)) throw this.#ended(`its token expired at ${new Date(kept.expiresAt ?? 0).toISOString()}`);
        return all;
      }
      this.#login = await this.#renew({ ...kept, refreshToken });
      return all.map((each) => (each === kept ? this.#login : each));
    });
    return this.#login.accessToken;
  }

  async #renew(kept: Login & { readonly refreshToken: string }): Promise<Login> {
    // Loaded only here: most calls need no new token.
    const [{ renew }, { identityFetch }, { withTokens }] = await Promise.all([
      import('./token-request.ts'),
      import('./identity-fetch.ts'),
      import('./login-of.ts'),
    ]);
    try {
      return withTokens(kept, await renew(kept, identityFetch(this.#signal)));
    } catch (error) {
      if (!(error instanceof CommandFailure) || error.code !== 'A2ACLI_ERR_AUTH_FAILED') throw error;
      throw this.#ended(error.message, error);
    }
  }

  #ended(reason: string, cause?: CommandFailure): CommandFailure {
    const { agent } = this.#login;
    return new CommandFailure('A2ACLI_ERR_AUTH_FAILED', `Your login for ${this.#origin} has ended: ${reason}`, {
      a2aCode: cause?.a2aCode,
      hint: `Log in again: switchyard login ${quoted(agent)}`,
      cause,
    });
  }
}

function isDue({ renewAt }: Login): boolean {
  return renewAt !== undefined && Date.now() >= renewAt;
}

function isOver({ expiresAt }: Login): boolean {
  return expiresAt !== undefined && Date.now() >= expiresAt;
}
