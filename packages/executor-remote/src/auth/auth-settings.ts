import type { Turn } from '@switchyard/agent';

/** How requests to the agent are authorized: with a token that expires, as a bearer token. */
export type RemoteAuth =
  | { readonly oauth2: OAuth2Settings; readonly tokenFile?: never }
  | {
      /** A file with a token that another program keeps fresh. It is read again when it has changed. */
      readonly tokenFile: string;
      readonly oauth2?: never;
    };

/** Client credentials (RFC 6749 4.4), or with `subjectToken` a token exchange (RFC 8693). */
export interface OAuth2Settings {
  /**
   * The token endpoint, with TLS unless it is on this machine. Default: that of the card's OAuth2 scheme, if
   * `trustedOrigins` has its origin.
   */
  readonly tokenUrl?: string | undefined;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where the endpoint expects the secret: in the Authorization header, or in the form. Default: `basic`. */
  readonly clientAuth?: 'basic' | 'post' | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly audience?: string | undefined;
  /** The resource that the token is for (RFC 8707). */
  readonly resource?: string | undefined;
  /**
   * For an agent that must know for whom it works: the token of the turn's caller, which is exchanged for one for the
   * agent. The request for the card has none. Undefined for a turn: it gets a token of this client.
   */
  readonly subjectToken?: ((turn: Turn) => string | undefined | Promise<string | undefined>) | undefined;
  /** Default: `urn:ietf:params:oauth:token-type:access_token`. */
  readonly subjectTokenType?: string | undefined;
}
