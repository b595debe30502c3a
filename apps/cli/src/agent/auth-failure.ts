import { quoted } from '@switchyard/settings/terminal';
import { CommandFailure } from '../failures/failure.ts';
import type { Card } from './card.ts';
import { flagsFor, namesLogin } from './credentials.ts';

/** HTTP's 403, and PERMISSION_DENIED of gRPC. */
const forbidden: readonly unknown[] = [403, 7];

interface Refused {
  readonly card: Card;
  /** The agent, as the user named it. */
  readonly reference: string;
  readonly hasCredentials: boolean;
  /** Unset: the credential was given for this call. */
  readonly login?: object | undefined;
}

function wantsOnlyCertificate({ securitySchemes = {} }: Card): boolean {
  const schemes = Object.values(securitySchemes);
  return schemes.length > 0 && schemes.every((scheme) => 'mtlsSecurityScheme' in scheme);
}

/** Over gRPC, too, missing credentials are distinguished from wrong ones; the card says which to give. */
export function authFailure(
  failure: CommandFailure,
  { card, reference, hasCredentials, login }: Refused,
): CommandFailure {
  const { message, a2aCode } = failure;
  const names = flagsFor(card).join(' or ') || 'A2ACLI_API_KEY or A2ACLI_BEARER';
  if (wantsOnlyCertificate(card))
    return new CommandFailure('A2ACLI_ERR_AUTH_FAILED', message, {
      a2aCode,
      hint: 'This agent takes client certificates only, which this command cannot send: try curl --cert.',
      cause: failure,
    });
  const command = `switchyard login ${quoted(reference)}`;
  const orLogIn = namesLogin(card) ? ` Or log in: ${command}` : '';
  if (!hasCredentials)
    return new CommandFailure('A2ACLI_ERR_CREDENTIALS_MISSING', message, {
      a2aCode,
      hint: `Set ${names}.${orLogIn}`,
      cause: failure,
    });
  const check = login ? `Your login was not accepted. Log in again: ${command}` : `Check ${names}.${orLogIn}`;
  const hint = forbidden.includes(a2aCode)
    ? 'The credential is known, but may not do this: its scopes and agents are what its issuer gave it ' +
      '(for keys: switchyard keys list).'
    : check;
  return new CommandFailure('A2ACLI_ERR_AUTH_FAILED', message, { a2aCode, hint, cause: failure });
}
