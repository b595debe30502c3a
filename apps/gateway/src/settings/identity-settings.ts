import { defaultTenant } from '@switchyard/operator-api';
import { isLoopback, readSettingFile, type Settings, type ValuesOf } from '@switchyard/settings';

/** How callers authenticate. Without any kind of credential, everyone is the same anonymous principal. */
export interface AuthSettings {
  /** Listens beyond loopback without authentication: everyone who reaches the port can read and cancel all tasks. */
  readonly allowAnonymous?: boolean;
  /** API keys in settings, in addition to those in Redis. Unset: no API keys. */
  readonly keys?: readonly ApiKey[] | undefined;
  /** How long a key from Redis is cached: the message about its revocation may be lost. */
  readonly keyCacheMs?: number;
  readonly jwt?: JwtSettings | undefined;
  readonly certificates?: CertificateSettings | undefined;
}

/** A key and its principal. */
export interface ApiKey {
  readonly key: string;
  readonly subject: string;
  readonly tenant: string;
  /** Empty: all except `admin`. */
  readonly scopes: readonly string[];
}

export const defaultKeyCacheMs = 5_000;

export interface JwtSettings {
  readonly issuer: string;
  /** A token must have one of these audiences. */
  readonly audience: readonly string[];
  /** URL of the issuer's keys; unset: from its OpenID configuration. */
  readonly jwksUrl?: string | undefined;
  readonly algorithms: readonly string[];
  /** Allowed difference of clocks. */
  readonly clockSkewSeconds: number;
  /** Names of claims. Scopes may be in several. */
  readonly claims: {
    readonly tenant: string;
    readonly subject: string;
    readonly scopes: readonly string[];
    readonly agents: string;
  };
  /** Tenant of tokens without one; unset: they are refused. */
  readonly defaultTenant?: string | undefined;
  /** Prefix of our scopes, which is removed; scopes without it are ignored. */
  readonly scopePrefix: string;
}

export interface CertificateSettings {
  /** The field of the certificate that is the subject. */
  readonly subjectFrom: 'san-uri' | 'san-dns' | 'cn';
  /** The organization of the certificate's subject, or the default tenant. */
  readonly tenantFrom: 'o' | 'default';
  readonly scopes: readonly string[];
}

/** Whether callers must authenticate. */
export function isAuthenticated({ keys, jwt, certificates }: AuthSettings): boolean {
  return keys !== undefined || jwt !== undefined || certificates !== undefined;
}

/**
 * Without authentication a gateway listens only on loopback, unless ALLOW_ANONYMOUS is set.
 * @returns the problem and its remedy; undefined if there is none
 */
export function anonymousAccessProblem({
  host,
  auth,
}: {
  readonly host: string;
  readonly auth: AuthSettings;
}): string | undefined {
  if (isAuthenticated(auth) || auth.allowAnonymous || isLoopback(host)) return undefined;
  return (
    `with AUTH=none everyone who reaches ${host} could read and cancel every task: ` +
    'set AUTH, or HOST=127.0.0.1, or ALLOW_ANONYMOUS=true if that is what you want'
  );
}

type RawSettings = Settings<'gateway'>;

/** Reads how callers authenticate. Refuses contradictory settings, such as keys that are not required. */
export function readAuth(raw: RawSettings): AuthSettings {
  const { AUTH, ALLOW_ANONYMOUS, HOST, KEY_CACHE_MS, TLS_CLIENT_CA_FILE } = raw.values;
  if (AUTH.length > 1 && AUTH.includes('none')) raw.refuse('AUTH', 'none cannot be combined with others');
  if (!AUTH.includes('api-key')) refuseUnusedKeys(raw);
  if (AUTH.includes('mtls') && TLS_CLIENT_CA_FILE === undefined)
    raw.refuse('TLS_CLIENT_CA_FILE', 'is required by AUTH=mtls: it has the trusted authorities');
  const auth: AuthSettings = {
    allowAnonymous: ALLOW_ANONYMOUS,
    ...(AUTH.includes('api-key') && { keys: readApiKeys(raw), keyCacheMs: KEY_CACHE_MS }),
    ...(AUTH.includes('jwt') && { jwt: readJwt(raw) }),
    ...(AUTH.includes('mtls') && { certificates: certificateSettings(raw.values) }),
  };
  const problem = anonymousAccessProblem({ host: HOST, auth });
  if (problem !== undefined) raw.refuse('HOST', problem);
  return auth;
}

function refuseUnusedKeys(raw: RawSettings): void {
  for (const name of ['API_KEYS', 'API_KEYS_FILE'] as const)
    if (raw.values[name] !== undefined) raw.refuse(name, 'is only for AUTH=api-key: without it no key is required');
}

function readApiKeys(raw: RawSettings): ApiKey[] {
  const { API_KEYS = '', API_KEYS_FILE: file } = raw.values;
  const keys = raw.check('API_KEYS', () => parseApiKeys(API_KEYS)) ?? [];
  const more = raw.check('API_KEYS_FILE', () => (file ? parseApiKeys(readSettingFile(file).toString()) : [])) ?? [];
  return [...keys, ...more];
}

function readJwt(raw: RawSettings): JwtSettings {
  const { values } = raw;
  for (const name of ['JWT_ISSUER', 'JWT_AUDIENCE'] as const)
    if (values[name] === undefined || values[name].length === 0) raw.refuse(name, 'is required by AUTH=jwt');
  if (values.JWT_JWKS_URL === undefined && !URL.canParse(values.JWT_ISSUER ?? 'none:'))
    raw.refuse('JWT_JWKS_URL', 'is required if JWT_ISSUER is not a URL');
  return {
    issuer: values.JWT_ISSUER ?? '',
    audience: values.JWT_AUDIENCE ?? [],
    jwksUrl: values.JWT_JWKS_URL,
    algorithms: values.JWT_ALGORITHMS,
    clockSkewSeconds: values.JWT_CLOCK_SKEW_SECONDS,
    claims: {
      tenant: values.JWT_TENANT_CLAIM,
      subject: values.JWT_SUBJECT_CLAIM,
      scopes: values.JWT_SCOPE_CLAIM,
      agents: values.JWT_AGENTS_CLAIM,
    },
    defaultTenant: values.JWT_DEFAULT_TENANT,
    scopePrefix: values.JWT_SCOPE_PREFIX,
  };
}

function certificateSettings(values: ValuesOf<'gateway'>): CertificateSettings {
  return { subjectFrom: values.MTLS_SUBJECT, tenantFrom: values.MTLS_TENANT, scopes: values.MTLS_SCOPES };
}

/** Minimum length of a key, in characters: shorter ones can be guessed. */
const shortestKey = 16;

/**
 * Parses entries `key:subject[:tenant[:scope+scope]]`, separated by commas or line breaks; lines that begin with `#`
 * are comments. Errors number entries from 1 and never repeat a key. @throws {Error}
 */
function parseApiKeys(text: string): ApiKey[] {
  const entries = text
    .split(/\r?\n/)
    .filter((line) => !line.trimStart().startsWith('#'))
    .flatMap((line) => line.split(','))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const keys = entries.map(parseEntry);
  if (new Set(keys.map(({ key }) => key)).size < keys.length) throw new Error('two entries have the same key');
  return keys;
}

function parseEntry(entry: string, index: number): ApiKey {
  const [key = '', subject = '', tenant = '', scopes = '', ...rest] = entry.split(':');
  const label = `entry ${index + 1}`;
  if (subject === '' || rest.length > 0)
    throw new Error(`${label} is not of the form key:subject[:tenant[:scope+scope]]`);
  if (key.length < shortestKey) throw new Error(`the key of ${label} has fewer than ${shortestKey} characters`);
  return { key, subject, tenant: tenant || defaultTenant, scopes: scopes.split('+').filter((scope) => scope !== '') };
}
