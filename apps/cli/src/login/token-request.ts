import {
  type AuthorizationServer,
  allowInsecureRequests,
  type Client,
  customFetch,
  None,
  processRefreshTokenResponse,
  processRevocationResponse,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import { endpointFailure, endpointOf, type IdentityFetch } from './identity-fetch.ts';
import type { SignIn } from './sign-in.ts';

/** What an identity server gave. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Unset: the identity server does not say for how long it is valid. */
  readonly expiresInMs: number | undefined;
  readonly scope: string | undefined;
}

export interface IdentityClient {
  readonly clientId: string;
  /** Separated by spaces; empty: the identity server's default. */
  readonly scope: string;
  /** No standard has it, and several identity servers give a usable token only with it. */
  readonly audience: string | undefined;
}

/** What a flow needs. */
export interface LoginContext {
  readonly signIn: SignIn;
  readonly client: IdentityClient;
  readonly fetch: IdentityFetch;
  readonly signal: AbortSignal;
  /** Tells the person what to do. */
  readonly note: (line: string) => void;
}

/** The identity server for the library. Every URL is checked: only this machine may be asked without TLS. */
export function serverOf({ tokenUrl, deviceUrl, authorizationUrl, revocationUrl, issuer }: Partial<SignIn>) {
  const urls = { tokenUrl, deviceUrl, authorizationUrl, revocationUrl };
  for (const url of Object.values(urls)) if (url !== undefined) endpointOf(url);
  const server: AuthorizationServer = {
    issuer: issuer ?? new URL(tokenUrl ?? revocationUrl ?? '').origin,
    ...(tokenUrl !== undefined && { token_endpoint: tokenUrl }),
    ...(deviceUrl !== undefined && { device_authorization_endpoint: deviceUrl }),
    ...(authorizationUrl !== undefined && { authorization_endpoint: authorizationUrl }),
    ...(revocationUrl !== undefined && { revocation_endpoint: revocationUrl }),
  };
  return server;
}

export function clientOf(clientId: string): Client {
  return { client_id: clientId };
}

/** This command has no secret: everybody who installs it could read it (RFC 8252 8.5). */
export const publicClient = None();

export function optionsFor(fetch: IdentityFetch) {
  return {
    [customFetch]: (url: string, request: Parameters<IdentityFetch>[1]) => fetch(url, request),
    // `serverOf` and `fetch` check it.
    [allowInsecureRequests]: true,
  };
}

export function tokensIn(answer: TokenEndpointResponse): Tokens {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds, scope } = answer;
  return { accessToken, refreshToken, expiresInMs: seconds === undefined ? undefined : seconds * 1_000, scope };
}

interface Renewal {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly refreshToken: string;
}

/** @throws {CommandFailure} with what the endpoint said */
export async function renew({ tokenUrl, clientId, refreshToken }: Renewal, fetch: IdentityFetch): Promise<Tokens> {
  const [server, client] = [serverOf({ tokenUrl }), clientOf(clientId)];
  try {
    const answer = await refreshTokenGrantRequest(server, client, publicClient, refreshToken, optionsFor(fetch));
    const tokens = tokensIn(await processRefreshTokenResponse(server, client, answer));
    // A server that keeps the old one valid does not repeat it (RFC 6749 6).
    return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
  } catch (error) {
    throw await endpointFailure(error, tokenUrl);
  }
}

interface Revocation {
  readonly revocationUrl: string;
  readonly clientId: string;
  readonly token: string;
}

/** RFC 7009. @throws {CommandFailure} with what the endpoint said */
export async function revoke({ revocationUrl, clientId, token }: Revocation, fetch: IdentityFetch): Promise<void> {
  const server = serverOf({ revocationUrl });
  try {
    const answer = await revocationRequest(server, clientOf(clientId), publicClient, token, optionsFor(fetch));
    await processRevocationResponse(answer);
  } catch (error) {
    throw await endpointFailure(error, revocationUrl);
  }
}
