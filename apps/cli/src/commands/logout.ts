import type { Command } from 'commander';
import { callFailure } from '../failures/call-failure.ts';
import { identityFetch } from '../login/identity-fetch.ts';
import { KeptLogins, type Login } from '../login/kept-logins.ts';
import { revoke } from '../login/token-request.ts';
import { field } from '../output/labelled-text.ts';
import { type Invocation, openSession, type Session } from '../session/session.ts';
import { originOf } from '../settings/credential-scope.ts';

/** What became of a login. */
interface Forgotten {
  readonly agent: string;
  readonly origins: readonly string[];
  /** The identity server takes its tokens no more. */
  readonly isRevoked: boolean;
  readonly reason?: string;
}

export function addLogoutCommand(program: Command, invocation: Invocation): void {
  program
    .command('logout')
    .argument('[address]', 'the agent of the login; without it, all logins end')
    .description('end logins: revoke their tokens at the identity server if it can, and forget them')
    .action(async (address: string | undefined, _, command: Command) => {
      const session = await openSession(invocation, command);
      try {
        await logOut(session, address);
      } catch (error) {
        throw callFailure(error, session.call.signal);
      }
    });
}

async function logOut(session: Session, address: string | undefined): Promise<void> {
  const { output, invocation } = session;
  const logins = new KeptLogins(invocation, (line) => output.note(line));
  const ended: Login[] = [];
  // Forgotten first: whatever the identity server answers, no later command uses them.
  await logins.change(async (all) => {
    ended.push(...all.filter((login) => address === undefined || isFor(login, address)));
    return all.filter((login) => !ended.includes(login));
  });
  const forgotten = await Promise.all(ended.map((login) => end(login, session)));
  output.result({ forgotten }, () => forgotten.map(line).join('') || field('Logged out', 'there was no login'));
}

function isFor({ agent, origins }: Login, address: string): boolean {
  const isLocal = /^(?:localhost|127\.[\d.]+|\[::1\])(?:[:/]|$)/.test(address);
  return agent === address || origins.includes(originOf(isLocal ? `http://${address}` : address));
}

async function end({ agent, origins, ...login }: Login, { call }: Session): Promise<Forgotten> {
  const { revocationUrl, clientId, refreshToken, accessToken } = login;
  if (revocationUrl === undefined)
    return { agent, origins, isRevoked: false, reason: 'no revocation endpoint is known' };
  const fetch = identityFetch(call.signal);
  try {
    // The refresh token first: it lasts longer.
    for (const token of [refreshToken, accessToken])
      if (token !== undefined) await revoke({ revocationUrl, clientId, token }, fetch);
    return { agent, origins, isRevoked: true };
  } catch (error) {
    return { agent, origins, isRevoked: false, reason: callFailure(error, call.signal).message };
  }
}

function line({ origins, isRevoked, reason }: Forgotten): string {
  const rest = isRevoked ? 'its tokens are revoked' : `its tokens are forgotten here, but not revoked: ${reason}`;
  return field('Logged out', `${origins.join(' ')} (${rest})`);
}
