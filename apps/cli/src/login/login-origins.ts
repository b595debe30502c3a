import type { Card } from '../agent/card.ts';
import { CommandFailure } from '../failures/failure.ts';
import { originOf } from '../settings/credential-scope.ts';
import { isLoopbackUrl } from '../settings/this-machine.ts';

/**
 * Where the token may be sent: to the first interface of the card, and to others of the same host, whose ports have
 * other bindings. @throws {CommandFailure} the card has none, or only without TLS
 */
export function originsOf({ supportedInterfaces = [], url }: Card): readonly [string, ...string[]] {
  const urls =
    supportedInterfaces.length > 0 ? supportedInterfaces.map((each) => each.url) : [url].flatMap((u) => u ?? []);
  const [first, ...others] = new Set(urls.map(originOf).filter((origin) => URL.canParse(origin)));
  if (first === undefined) throw new CommandFailure('A2ACLI_ERR_CARD_INVALID', 'The card has no address of the agent');
  requireTls(first);
  const { hostname } = new URL(first);
  return [first, ...others.filter((origin) => new URL(origin).hostname === hostname && isPrivate(origin))];
}

/** Anyone between could name another identity server, or read the token. @throws {CommandFailure} */
export function requireTls(reference: string): void {
  if (isPrivate(reference)) return;
  throw new CommandFailure(
    'A2ACLI_ERR_USAGE',
    `${reference} has no TLS: a login works with https:// only, or on this machine`,
  );
}

/** Whether nobody between can read what is sent. */
function isPrivate(reference: string): boolean {
  return !/^http:\/\//i.test(reference) || isLoopbackUrl(reference);
}
