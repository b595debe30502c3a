import {
  allowInsecureRequests,
  type Client,
  ClientSecretBasic,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  customFetch,
  genericTokenEndpointRequest,
  processClientCredentialsResponse,
  processGenericTokenEndpointResponse,
  ResponseBodyError,
  type TokenEndpointResponse,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';
import { z } from 'zod';
import { RemoteError } from '../answers/remote-error.ts';
import type { OAuth2Settings } from './auth-settings.ts';

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';
/** Longest part of the endpoint's answer that is repeated. */
const maxWords = 200;

/** A token, and for how long it is valid if the endpoint says so. */
export interface FetchedToken {
  readonly token: string;
  readonly expiresInMs: number | undefined;
}

export interface TokenRequest {
  readonly tokenUrl: URL;
  readonly settings: OAuth2Settings;
  /** The token to exchange. Undefined: this client's own credentials are used. */
  readonly subjectToken: string | undefined;
  readonly fetch: typeof fetch;
}

/** Asks a token endpoint for an access token. @throws {RemoteError} with what the endpoint said */
export async function requestToken(request: TokenRequest): Promise<FetchedToken> {
  const { tokenUrl, settings } = request;
  const server = { issuer: tokenUrl.origin, token_endpoint: tokenUrl.href };
  const client: Client = { client_id: settings.clientId };
  const secret = settings.clientAuth === 'post' ? ClientSecretPost : ClientSecretBasic;
  const authentication = secret(settings.clientSecret);
  const options = {
    [customFetch]: withText(request.fetch),
    // Only this machine may be asked without TLS.
    [allowInsecureRequests]: isLoopbackName(tokenUrl.hostname),
  };
  try {
    if (request.subjectToken === undefined) {
      const fields = fieldsOf(settings);
      const answer = await clientCredentialsGrantRequest(server, client, authentication, fields, options);
      return tokenIn(await processClientCredentialsResponse(server, client, answer));
    }
    const fields = {
      ...fieldsOf(settings),
      subject_token: request.subjectToken,
      subject_token_type: settings.subjectTokenType ?? accessTokenType,
    };
    const answer = await genericTokenEndpointRequest(server, client, authentication, exchangeGrant, fields, options);
    return tokenIn(await processGenericTokenEndpointResponse(server, client, answer));
  } catch (error) {
    throw tokenError(await refusalIn(error), request);
  }
}

function fieldsOf({ scopes = [], audience, resource }: OAuth2Settings): Record<string, string> {
  return {
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(audience !== undefined && { audience }),
    ...(resource !== undefined && { resource }),
  };
}

function tokenIn({ access_token: token, expires_in: seconds }: TokenEndpointResponse): FetchedToken {
  return { token, expiresInMs: seconds === undefined ? undefined : seconds * 1_000 };
}

/** The client for outgoing requests takes only text as the body. */
function withText(send: typeof fetch) {
  return (
    url: string,
    { body, headers, method }: { body?: unknown; headers: Record<string, string>; method: string },
  ) => send(url, { method, headers, ...(body !== undefined && { body: String(body) }) });
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly description: string | undefined;
}

const refusalSchema = z.object({ error: z.string(), error_description: z.string().optional() });

/** What the endpoint said, if it answered with an error of OAuth (RFC 6749 5.2). */
async function refusalIn(thrown: unknown): Promise<Refusal | unknown> {
  if (thrown instanceof ResponseBodyError)
    return { status: thrown.status, code: thrown.error, description: thrown.error_description };
  if (!(thrown instanceof WWWAuthenticateChallengeError)) return thrown;
  const { status, response } = thrown;
  const body = refusalSchema.safeParse(await response.json().catch(() => undefined)).data;
  return { status, code: body?.error ?? 'no token', description: body?.error_description };
}

const isRefusal = (thrown: unknown): thrown is Refusal =>
  !(thrown instanceof Error) && Object(thrown).code !== undefined;

/** Statuses of the endpoint after which a later request may succeed. */
const temporary: readonly number[] = [408, 425, 429];

function tokenError(error: unknown, { tokenUrl, settings, subjectToken }: TokenRequest): RemoteError {
  if (error instanceof RemoteError) return error;
  const secrets = [settings.clientSecret, subjectToken ?? ''].filter((secret) => secret !== '');
  const clean = (text: string): string =>
    secrets
      .reduce((left, secret) => left.replaceAll(secret, '[hidden]'), text)
      .replaceAll(/\p{Cc}+/gu, ' ')
      .slice(0, maxWords);
  const where = `its token endpoint ${tokenUrl.origin}${tokenUrl.pathname}`;
  if (isRefusal(error)) {
    const { code, description, status } = error;
    const isTemporary = status >= 500 || temporary.includes(status);
    const said = clean(description ? `${code}: ${description}` : code);
    return new RemoteError(isTemporary ? 'unreachable' : 'refused', `${where} answered ${status} ${said}`, {
      mayHaveArrived: false,
    });
  }
  const status = statusOf(error);
  const other = RemoteError.from(error);
  const isFinal = status === undefined ? other.kind === 'refused' : status < 500 && !temporary.includes(status);
  const reason = status === undefined ? clean(other.message) : `it answered ${status}`;
  return new RemoteError(isFinal ? 'refused' : 'unreachable', `${where} gave no token: ${reason}`, {
    mayHaveArrived: false,
  });
}

/** Of an answer that is no error of OAuth. */
function statusOf(error: unknown): number | undefined {
  const { cause } = error instanceof Error ? error : {};
  return cause instanceof Response ? cause.status : undefined;
}

export function isLoopbackName(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
