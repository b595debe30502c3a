import {
  AuthorizationResponseError,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  processAuthorizationCodeResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import { CommandFailure } from '../failures/failure.ts';
import { denied } from './device-code.ts';
import { endpointFailure, endpointOf, said } from './identity-fetch.ts';
import { type Listen, openRedirect } from './loopback-redirect.ts';
import {
  clientOf,
  type LoginContext,
  optionsFor,
  publicClient,
  serverOf,
  type Tokens,
  tokensIn,
} from './token-request.ts';

interface CodeLogin {
  readonly authorizationUrl: string;
  readonly listen: Listen;
}

/** The authorization code with PKCE (RFC 7636, S256), which a browser on this machine brings back. @throws {CommandFailure} */
export async function byAuthorizationCode(
  context: LoginContext,
  { authorizationUrl, listen }: CodeLogin,
): Promise<Tokens> {
  const { signIn, client, fetch, signal, note } = context;
  const [verifier, state] = [generateRandomCodeVerifier(), generateRandomState()];
  const [server, id] = [serverOf(signIn), clientOf(client.clientId)];
  await using redirect = await openRedirect(listen);
  const page = endpointOf(authorizationUrl);
  const challenge = await calculatePKCECodeChallenge(verifier);
  const fields = { state, redirect_uri: redirect.url, code_challenge: challenge, code_challenge_method: 'S256' };
  for (const [name, value] of Object.entries({ ...fields, ...asked(context) })) page.searchParams.set(name, value);
  note(`Open this page in a browser here: ${page.href}`);
  note('waiting until you have logged in there, for 10 min; Ctrl-C ends it');
  const answer = await redirect.answer(state, signal);
  if (!answer)
    throw new CommandFailure('A2ACLI_ERR_TIMEOUT', 'Nobody logged in within 10 minutes', { hint: 'Log in again.' });
  // Without metadata the issuer is not known. There is only one server here with which it could be mixed up.
  if (signIn.issuer === undefined) answer.delete('iss');
  try {
    const parameters = validateAuthResponse(server, id, answer, state);
    const options = optionsFor(fetch);
    const response = await authorizationCodeGrantRequest(
      server,
      id,
      publicClient,
      parameters,
      redirect.url,
      verifier,
      options,
    );
    return tokensIn(await processAuthorizationCodeResponse(server, id, response));
  } catch (error) {
    if (error instanceof AuthorizationResponseError) throw refusal(error, authorizationUrl);
    throw await endpointFailure(error, signIn.tokenUrl);
  }
}

function asked({ client: { clientId, scope, audience } }: LoginContext): Record<string, string> {
  return {
    response_type: 'code',
    client_id: clientId,
    ...(scope !== '' && { scope }),
    ...(audience !== undefined && { audience }),
    // Otherwise the wish for a token that can be renewed is ignored (OpenID Connect Core 11).
    ...(scope.split(' ').includes('offline_access') && { prompt: 'consent' }),
  };
}

function refusal({ error, error_description: description }: AuthorizationResponseError, url: string): CommandFailure {
  if (error === 'access_denied') return denied();
  return new CommandFailure(
    'A2ACLI_ERR_AUTH_FAILED',
    `The identity server ${new URL(url).origin} said ${said(error, description)}`,
  );
}
