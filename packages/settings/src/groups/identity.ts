import { anyText, httpUrl, integer, list, listOf, milliseconds, oneOf } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const identity = {
  title: 'Authentication',
  settings: {
    KEY_CACHE_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 5_000,
      text: 'How long a gateway caches an API key. A revocation normally takes effect at once.',
    },
    JWT_ISSUER: {
      of: ['gateway'],
      schema: anyText,
      text: 'With `AUTH=jwt`: the issuer of tokens, exactly as in their `iss` claim.',
    },
    JWT_AUDIENCE: {
      of: ['gateway'],
      schema: list,
      text: 'With `AUTH=jwt`: the audiences to accept; a token’s `aud` claim must contain one of them.',
    },
    JWT_JWKS_URL: {
      of: ['gateway'],
      schema: httpUrl,
      defaultText: 'from `<issuer>/.well-known/openid-configuration`',
      text: 'Where the issuer publishes its keys.',
    },
    JWT_ALGORITHMS: {
      of: ['gateway'],
      schema: listOf(
        ...([
          'RS256',
          'RS384',
          'RS512',
          'PS256',
          'PS384',
          'PS512',
          'ES256',
          'ES384',
          'ES512',
          'EdDSA',
          'Ed25519',
        ] as const),
      ),
      default: ['RS256', 'PS256', 'ES256', 'EdDSA'],
      defaultText: '`RS256 PS256 ES256 EdDSA`',
      text: 'Signature algorithms to accept.',
    },
    JWT_CLOCK_SKEW_SECONDS: {
      of: ['gateway'],
      schema: integer(0, 300),
      default: 30,
      text: 'The clock difference to tolerate between issuer and gateway.',
    },
    JWT_SUBJECT_CLAIM: { of: ['gateway'], schema: anyText, default: 'sub', text: 'The claim that names the caller.' },
    JWT_TENANT_CLAIM: {
      of: ['gateway'],
      schema: anyText,
      default: 'tenant',
      text: 'The claim that names the caller’s tenant.',
    },
    JWT_DEFAULT_TENANT: {
      of: ['gateway'],
      schema: anyText,
      defaultText: 'none: the token is refused',
      text: 'The tenant for tokens without a tenant claim.',
    },
    JWT_SCOPE_CLAIM: {
      of: ['gateway'],
      schema: list,
      default: ['scope', 'scp'],
      defaultText: '`scope scp`',
      text: 'The claims that list the scopes. A token without scopes has no permissions.',
    },
    JWT_SCOPE_PREFIX: {
      of: ['gateway'],
      schema: anyText,
      default: '',
      defaultText: 'none',
      text: 'A prefix of scopes, such as `switchyard:`. Scopes without it are ignored.',
    },
    JWT_AGENTS_CLAIM: {
      of: ['gateway'],
      schema: anyText,
      default: 'agents',
      text: 'The claim that lists the agents the caller may use. A token without it may use all agents.',
    },
    MTLS_SUBJECT: {
      of: ['gateway'],
      schema: oneOf('san-uri', 'san-dns', 'cn'),
      default: 'san-uri',
      text: 'With `AUTH=mtls`: where a certificate names the caller: its first URI (`san-uri`), its first DNS name (`san-dns`) or its common name (`cn`).',
    },
    MTLS_TENANT: {
      of: ['gateway'],
      schema: oneOf('o', 'default'),
      default: 'default',
      text: 'Where a certificate names the tenant: its organization (`o`); or `default`: all callers share the tenant `default`.',
    },
    MTLS_SCOPES: {
      of: ['gateway'],
      schema: list,
      default: ['send', 'read', 'cancel', 'push', 'events'],
      defaultText: '`send read cancel push events`',
      text: 'The scopes of callers with a certificate.',
    },
  },
} as const satisfies SettingGroup;
