import { anyText, httpUrl, list, listOf, milliseconds, oneOf, whole } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const identity = {
  title: 'Who callers are',
  settings: {
    KEY_CACHE_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 5_000,
      text: 'How long a gateway relies on an API key that it has looked up. Revocations reach it at once, as a rule.',
    },
    JWT_ISSUER: {
      of: ['gateway'],
      schema: anyText,
      text: 'With `AUTH=jwt`: who issues the tokens, exactly as their claim `iss` has it.',
    },
    JWT_AUDIENCE: {
      of: ['gateway'],
      schema: list,
      text: 'With `AUTH=jwt`: whom the tokens are for; the claim `aud` must have one of these.',
    },
    JWT_JWKS_URL: {
      of: ['gateway'],
      schema: httpUrl,
      defaultText: 'as `<issuer>/.well-known/openid-configuration` says',
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
      text: 'The algorithms that tokens may be signed with.',
    },
    JWT_CLOCK_SKEW_SECONDS: {
      of: ['gateway'],
      schema: whole(0, 300),
      default: 30,
      text: 'By how much the clock of the issuer may differ.',
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
      defaultText: 'they are refused',
      text: 'The tenant of tokens without that claim.',
    },
    JWT_SCOPE_CLAIM: {
      of: ['gateway'],
      schema: list,
      default: ['scope', 'scp'],
      defaultText: '`scope scp`',
      text: 'The claims with the scopes. A token without scopes may do nothing.',
    },
    JWT_SCOPE_PREFIX: {
      of: ['gateway'],
      schema: anyText,
      default: '',
      defaultText: 'none',
      text: 'What scopes begin with, such as `switchyard:`; others are not ours.',
    },
    JWT_AGENTS_CLAIM: {
      of: ['gateway'],
      schema: anyText,
      default: 'agents',
      text: 'The claim that lists the agents the caller may use. A token without it may use all.',
    },
    MTLS_SUBJECT: {
      of: ['gateway'],
      schema: oneOf('san-uri', 'san-dns', 'cn'),
      default: 'san-uri',
      text: 'With `AUTH=mtls`: the name in a certificate that is the caller: its first URI or DNS name, or its common name.',
    },
    MTLS_TENANT: {
      of: ['gateway'],
      schema: oneOf('o', 'default'),
      default: 'default',
      text: 'The caller’s tenant: the certificate’s organization (`o`), or `default`.',
    },
    MTLS_SCOPES: {
      of: ['gateway'],
      schema: list,
      default: ['send', 'read', 'cancel', 'push'],
      defaultText: '`send read cancel push`',
      text: 'What callers with a certificate may do.',
    },
  },
} as const satisfies SettingGroup;
