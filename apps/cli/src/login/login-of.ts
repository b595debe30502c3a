import type { Login } from './kept-logins.ts';
import type { Tokens } from './token-request.ts';

/** A token is renewed this long before its end, or when a tenth of its time is left, if that is less. */
const earlyMs = 60_000;

/** The same login with other tokens. */
export function withTokens<Kept extends Omit<Login, 'accessToken'>>(login: Kept, tokens: Tokens) {
  const { accessToken, refreshToken, expiresInMs, scope } = tokens;
  const { refreshToken: _, expiresAt: _before, renewAt: _at, ...kept } = login;
  const now = Date.now();
  return {
    ...kept,
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(scope !== undefined && { scope }),
    ...(expiresInMs !== undefined && {
      expiresAt: now + expiresInMs,
      renewAt: now + expiresInMs - Math.min(earlyMs, expiresInMs / 10),
    }),
  };
}
