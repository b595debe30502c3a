import type { OneOf } from './json.ts';

/** §4.5.8. */
export interface AuthorizationCodeOAuthFlow {
  authorizationUrl: string;
  tokenUrl: string;
  refreshUrl?: string;
  scopes: Record<string, string>;
  pkceRequired?: boolean;
}

/** §4.5.9. */
export interface ClientCredentialsOAuthFlow {
  tokenUrl: string;
  refreshUrl?: string;
  scopes: Record<string, string>;
}

/** §4.5.10. */
export interface DeviceCodeOAuthFlow {
  deviceAuthorizationUrl: string;
  tokenUrl: string;
  refreshUrl?: string;
  scopes: Record<string, string>;
}

/** Deprecated by the specification in favour of the authorization code flow with PKCE. */
export interface ImplicitOAuthFlow {
  authorizationUrl?: string;
  refreshUrl?: string;
  scopes?: Record<string, string>;
}

/** Deprecated by the specification in favour of the authorization code flow with PKCE, or the device code flow. */
export interface PasswordOAuthFlow {
  tokenUrl?: string;
  refreshUrl?: string;
  scopes?: Record<string, string>;
}

/** §4.5.7. */
export type OAuthFlows = OneOf<{
  authorizationCode: AuthorizationCodeOAuthFlow;
  clientCredentials: ClientCredentialsOAuthFlow;
  implicit: ImplicitOAuthFlow;
  password: PasswordOAuthFlow;
  deviceCode: DeviceCodeOAuthFlow;
}>;

/** §4.5.2. */
export interface APIKeySecurityScheme {
  description?: string;
  location: 'query' | 'header' | 'cookie';
  name: string;
}

/** §4.5.3. */
export interface HTTPAuthSecurityScheme {
  description?: string;
  scheme: string;
  bearerFormat?: string;
}

/** §4.5.4. */
export interface OAuth2SecurityScheme {
  description?: string;
  flows: OAuthFlows;
  oauth2MetadataUrl?: string;
}

/** §4.5.5. */
export interface OpenIdConnectSecurityScheme {
  description?: string;
  openIdConnectUrl: string;
}

/** §4.5.6. */
export interface MutualTlsSecurityScheme {
  description?: string;
}

/** §4.5.1. */
export type SecurityScheme = OneOf<{
  apiKeySecurityScheme: APIKeySecurityScheme;
  httpAuthSecurityScheme: HTTPAuthSecurityScheme;
  oauth2SecurityScheme: OAuth2SecurityScheme;
  openIdConnectSecurityScheme: OpenIdConnectSecurityScheme;
  mtlsSecurityScheme: MutualTlsSecurityScheme;
}>;

/** Scheme names to the scopes that each needs: a caller must satisfy all of them. */
export interface SecurityRequirement {
  schemes: Record<string, { list: string[] }>;
}
