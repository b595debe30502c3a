import type { Card } from './card.ts';

export interface CredentialOptions {
  readonly bearer: string | undefined;
  readonly apiKey: string | undefined;
}

/** How credentials are sent. */
export interface Credentials {
  /** HTTP headers, or gRPC metadata. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

/** A bearer token is sent as in HTTP; an API key where the card requires it, otherwise in X-API-Key. */
export function credentialsFor(card: Card, { bearer, apiKey }: CredentialOptions): Credentials {
  const parameter = apiKeyParameter(card);
  const query = apiKey && parameter.location === 'query' ? { [parameter.name]: apiKey } : {};
  const headers = {
    ...(bearer && { authorization: `Bearer ${bearer}` }),
    ...(apiKey && parameter.location === 'header' && { [parameter.name]: apiKey }),
    ...(apiKey && parameter.location === 'cookie' && { cookie: `${parameter.name}=${apiKey}` }),
  };
  return { headers, query, secrets: [bearer, apiKey].filter((secret) => secret !== undefined) };
}

/** The same credentials with the token of a login. */
export function withBearer({ headers, query, secrets }: Credentials, token: string): Credentials {
  return { headers: { ...headers, authorization: `Bearer ${token}` }, query, secrets: [...secrets, token] };
}

/** The options for the credentials that the card requires. */
export function flagsFor({ securitySchemes = {} }: Card): readonly string[] {
  const flags = Object.values(securitySchemes).map((scheme) => {
    if ('apiKeySecurityScheme' in scheme) return 'A2ACLI_API_KEY (or --api-key)';
    return 'mtlsSecurityScheme' in scheme ? undefined : 'A2ACLI_BEARER (or --bearer)';
  });
  return [...new Set(flags.filter((flag) => flag !== undefined))];
}

/** Whether a card has a scheme for which `switchyard login` may get a token; in A2A 0.3 the scheme has a type. */
export function namesLogin({ securitySchemes = {} }: Card): boolean {
  return Object.values(securitySchemes).some(
    (scheme) =>
      'oauth2SecurityScheme' in scheme ||
      'openIdConnectSecurityScheme' in scheme ||
      scheme.type === 'oauth2' ||
      scheme.type === 'openIdConnect',
  );
}

function apiKeyParameter({ securitySchemes = {} }: Card): { readonly location: string; readonly name: string } {
  for (const { apiKeySecurityScheme: scheme } of Object.values(securitySchemes)) {
    const { location, name } = Object(scheme) as { location?: unknown; name?: unknown };
    if (typeof name === 'string' && name !== '') return { location: String(location ?? 'header').toLowerCase(), name };
  }
  return { location: 'header', name: 'X-API-Key' };
}
