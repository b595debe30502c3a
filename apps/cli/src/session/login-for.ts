import type { UserPlace } from '../data-folder/user-folder.ts';
import { KeptLogins } from '../login/kept-logins.ts';
import type { LoginToken } from '../login/login-token.ts';
import { originOf } from '../settings/credential-scope.ts';
import type { CliOptions } from '../settings/options.ts';
import { isLoopbackUrl } from '../settings/this-machine.ts';

interface LoginSearch {
  readonly options: CliOptions;
  readonly place: UserPlace;
  readonly note: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The login that is kept for the origin of a URL. Undefined: there is none, or another credential is given. */
export async function loginFor(url: string, search: LoginSearch): Promise<LoginToken | undefined> {
  const { options, place, note, signal } = search;
  const say = (line: string): void => {
    if (options.verbose || options.debug) note(`credential: ${line}`);
  };
  const given = givenCredential(options);
  if (given !== undefined) {
    say(given);
    return undefined;
  }
  const logins = new KeptLogins(place, note);
  const origin = originOf(url);
  const login = await logins.find(origin);
  if (!login) {
    say('none');
    return undefined;
  }
  if (options.insecure && !isLoopbackUrl(origin)) {
    note(`warning: --insecure: your login for ${origin} is not used, anyone between could read its token`);
    return undefined;
  }
  say(`the login for ${origin} (switchyard login ${login.agent})`);
  const { LoginToken } = await import('../login/login-token.ts');
  return new LoginToken(logins, { login, origin, signal });
}

/** A credential that was given for this call wins over a login. */
function givenCredential({ bearer, apiKey, svcParam = [] }: CliOptions): string | undefined {
  if (bearer !== undefined) return '--bearer, or A2ACLI_BEARER';
  if (apiKey !== undefined) return '--api-key, or A2ACLI_API_KEY';
  return svcParam.some(([name]) => name.toLowerCase() === 'authorization') ? '--svc-param authorization' : undefined;
}
