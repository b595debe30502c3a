import { secretHash } from '@switchyard/access';
import type { Principal } from '@switchyard/protocol';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { JwtSettings } from '../settings/identity-settings.ts';
import { type Authenticator, bearerToken, type PresentedCredentials, type Rejection } from './authenticator.ts';
import { Identity } from './identity.ts';
import { discoveryUrl, type IssuerKeys } from './issuer.ts';

/** Larger tokens are refused without parsing. */
const MAX_CHARACTERS = 16 * 1024;
const MAX_CACHED = 10_000;
/** A token is verified again after this time, because its key may have been removed. */
const CACHED_MS = 60_000;
/** The clock of the cache: a finer one would start a timer for almost every request. */
const CLOCK_MS = 1_000;

/** A token of another issuer or audience, a forged or an expired one; the message is ours. */
const reasons: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'has expired',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'has a wrong signature',
  ERR_JWKS_NO_MATCHING_KEY: 'is signed with a key that the issuer does not publish',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'names no key (kid), and the issuer publishes several',
  ERR_JOSE_ALG_NOT_ALLOWED: 'is signed with an algorithm that is not allowed',
};

/** AUTH=jwt: a bearer token that an issuer has signed (RFC 7519), as in OAuth 2.0 and OpenID Connect. */
export class Jwts implements Authenticator {
  readonly scheme = 'Bearer';
  readonly wants = 'a JSON Web Token as a bearer token';
  readonly securitySchemes;
  readonly #settings: JwtSettings;
  readonly #keys: IssuerKeys;
  /** By digest of the token. Kept after expiry, so that guessing does not lock out owners of verified tokens. */
  readonly #cache = new LRUCache<string, Identity>({
    max: MAX_CACHED,
    ttl: CACHED_MS,
    ttlResolution: CLOCK_MS,
    noDeleteOnStaleGet: true,
  });

  constructor(settings: JwtSettings, keys: IssuerKeys) {
    this.#settings = settings;
    this.#keys = keys;
    this.securitySchemes = {
      jwt:
        settings.jwksUrl === undefined
          ? { openIdConnectSecurityScheme: { openIdConnectUrl: discoveryUrl(settings.issuer) } }
          : { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } },
    };
  }

  stop(): void {
    this.#keys.stop();
  }

  recognises({ headers }: PresentedCredentials): boolean {
    return hasThreeParts(bearerToken(headers) ?? '');
  }

  cachedIdentity({ headers }: PresentedCredentials): Identity | undefined {
    const known = this.#cache.get(secretHash(bearerToken(headers) ?? ''));
    return known?.hasEnded ? undefined : known;
  }

  hasVerified({ headers }: PresentedCredentials): boolean {
    const known = this.#cache.peek(secretHash(bearerToken(headers) ?? ''), { allowStale: true });
    return known !== undefined && !known.hasEnded;
  }

  async identify({ headers }: PresentedCredentials): Promise<Identity | Rejection> {
    const token = bearerToken(headers) ?? '';
    if (token.length > MAX_CHARACTERS) return invalid('is too long');
    try {
      const { payload } = await jwtVerify(token, this.#keys.find, this.#demands());
      return this.#remember(token, payload);
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      this.#cache.delete(secretHash(token));
      return invalid(reasonOf(error));
    }
  }

  #demands() {
    const { algorithms, issuer, audience, clockSkewSeconds, claims } = this.#settings;
    return {
      algorithms: [...algorithms],
      issuer,
      audience: [...audience],
      clockTolerance: clockSkewSeconds,
      requiredClaims: ['exp', claims.subject],
    };
  }

  #remember(token: string, payload: JWTPayload): Identity | Rejection {
    const claimed = readClaims(payload, this.#settings);
    if (typeof claimed === 'string') return invalid(claimed);
    const { exp = 0, iss = '' } = payload;
    const identity = new Identity({
      ...claimed,
      credential: `jwt:${iss}`,
      expiresAt: (exp + this.#settings.clockSkewSeconds) * 1_000,
    });
    this.#cache.set(secretHash(token), identity);
    return identity;
  }
}

function hasThreeParts(token: string): boolean {
  const [first, last] = [token.indexOf('.'), token.lastIndexOf('.')];
  return first < last && token.indexOf('.', first + 1) === last;
}

function invalid(problem: string): Rejection {
  return { rejected: `The token ${problem}`, error: 'invalid_token' };
}

function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTClaimValidationFailed) return claimProblem(error);
  return reasons[error.code] ?? 'is not valid';
}

/** What is quoted of a claim. The signature was right: the issuer wrote it. */
const MAX_QUOTED = 200;

function claimProblem({ claim, reason, payload }: errors.JWTClaimValidationFailed): string {
  if (reason === 'missing') return `has no claim ${claim}`;
  if (claim === 'nbf' && reason === 'check_failed') return 'is not valid yet: its claim nbf is in the future';
  const wrong = `has a wrong claim ${claim}`;
  if (claim !== 'iss' && claim !== 'aud') return wrong;
  return `${wrong}: this gateway does not accept ${JSON.stringify(payload[claim])?.slice(0, MAX_QUOTED)}`;
}

/** Tenants and subjects become parts of Redis keys. */
const nameSchema = z.string().min(1).max(256);

function nameProblem(payload: Readonly<Record<string, unknown>>, claim: string): string {
  if (payload[claim] === undefined) return `has no claim ${claim}`;
  return `has a wrong claim ${claim}: it must be a text of 1 to 256 characters`;
}

/** Separated by spaces (RFC 8693 4.2), or an array. */
const wordsSchema = z.union([z.string().transform((text) => text.split(' ')), z.array(z.string())]).default([]);

export interface ClaimedIdentity {
  readonly principal: Principal;
  readonly scopes: readonly string[];
  readonly agents: readonly string[] | undefined;
}

/** @param payload of a verified token. @returns the identity; a string: what is wrong */
function readClaims(
  payload: Readonly<Record<string, unknown>>,
  { claims, defaultTenant, scopePrefix }: JwtSettings,
): ClaimedIdentity | string {
  const read = <T>(schema: z.ZodType<T>, name: string): T | undefined => schema.safeParse(payload[name]).data;
  const subject = read(nameSchema, claims.subject);
  if (subject === undefined) return nameProblem(payload, claims.subject);
  const isWithoutTenant = payload[claims.tenant] === undefined && defaultTenant !== undefined;
  const tenant = isWithoutTenant ? defaultTenant : read(nameSchema, claims.tenant);
  if (tenant === undefined) return nameProblem(payload, claims.tenant);
  const named = [...new Set(claims.scopes.flatMap((name) => read(wordsSchema, name) ?? []))];
  const scopes = named.filter((scope) => scope.startsWith(scopePrefix)).map((scope) => scope.slice(scopePrefix.length));
  const agents = payload[claims.agents] === undefined ? undefined : (read(wordsSchema, claims.agents) ?? []);
  return { principal: { tenant, subject, scopes }, scopes, agents };
}
