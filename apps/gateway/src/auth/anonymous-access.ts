import type { AuthSettings } from '../settings/gateway-settings.ts';

/**
 * Without authentication a gateway listens on loopback only, unless it is told otherwise loudly.
 * @returns what is wrong and what to do about it; undefined if nothing is
 */
export function anonymousAccessProblem({
  host,
  auth,
}: {
  readonly host: string;
  readonly auth: AuthSettings;
}): string | undefined {
  if (auth.kind !== 'none' || auth.allowAnonymous || isLoopback(host)) return undefined;
  return (
    `with AUTH=none everyone who reaches ${host} could read and cancel every task: ` +
    'set AUTH=api-key, or HOST=127.0.0.1, or ALLOW_ANONYMOUS=true if that is what you want'
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
