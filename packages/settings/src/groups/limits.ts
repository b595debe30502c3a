import { limitOrOff, milliseconds, rateOrOff, whole } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

/** Of what one gateway gives out at a time. */
function shareSettings<const Name extends string>(name: Name, what: string) {
  const part = (owner: string, fraction: string) => ({
    of: ['gateway'] as const,
    schema: whole(1),
    defaultText: `${fraction} of \`${name}\`; without authentication all of it`,
    text: `${what} of one ${owner}. Beyond, 429.`,
  });
  return {
    [`${name}_PER_TENANT`]: part('tenant', 'half'),
    [`${name}_PER_PRINCIPAL`]: part('principal', 'a quarter'),
  } as { readonly [Key in `${Name}_PER_${'TENANT' | 'PRINCIPAL'}`]: ReturnType<typeof part> };
}

/** Of what a principal does, besides `RATE_PER_PRINCIPAL`. */
function kindRate<const Kind extends string>(kind: Kind, what: string) {
  const setting = {
    of: ['gateway'] as const,
    schema: rateOrOff,
    default: 'off' as const,
    text: `${what} of a principal at one gateway, besides.`,
  };
  return { [`RATE_${kind}_PER_PRINCIPAL`]: setting } as {
    readonly [Key in `RATE_${Kind}_PER_PRINCIPAL`]: typeof setting;
  };
}

export const limits = {
  title: 'Limits',
  settings: {
    RATE_PER_PRINCIPAL: {
      of: ['gateway'],
      schema: rateOrOff,
      default: 'off',
      text: 'Requests of a principal at one gateway. They may come all at once; beyond, 429. Answers say what is left.',
    },
    ...kindRate('SEND', 'Messages'),
    ...kindRate('READ', 'Requests that read'),
    ...kindRate('CANCEL', 'Requests that cancel or delete'),
    ...kindRate('PUSH', 'Requests about webhooks'),
    RATE_PER_ADDRESS: {
      of: ['gateway'],
      schema: rateOrOff,
      default: 'off',
      text: 'Requests of an address, or one /64 of IPv6, besides those for cards and health.',
    },
    RATE_FAILED_AUTH_PER_ADDRESS: {
      of: ['gateway'],
      schema: rateOrOff,
      default: { count: 20, seconds: 60 },
      defaultText: '20/m',
      text: 'Wrong credentials of an address. Beyond, 429 for all of it but credentials that the gateway knows. Behind a proxy, set `TRUST_PROXY`.',
    },
    HEADERS_TIMEOUT_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 10_000,
      text: 'A connection whose TLS handshake, or the headers of whose request, take longer is closed.',
    },
    BODY_TIMEOUT_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 30_000,
      text: 'A request that has not arrived as a whole in this time gets 408.',
    },
    MAX_CONNECTIONS: {
      of: ['gateway'],
      schema: whole(1, 1_000_000),
      default: 25_000,
      text: 'Connections that one gateway has open at a time, over all bindings. More are closed at once.',
    },
    MAX_CONNECTIONS_PER_ADDRESS: {
      of: ['gateway'],
      schema: limitOrOff(1_000_000),
      default: 0,
      defaultText: 'off',
      text: 'The same of one address, or one /64 of IPv6. Behind a proxy there is one address: leave it off.',
    },
    ...shareSettings('MAX_STREAMS', 'Streams'),
    MAX_HELD_REQUESTS: {
      of: ['gateway'],
      schema: whole(1, 1_000_000),
      default: 30_000,
      text: 'Requests whose answers one gateway holds back at a time: streams, blocking sends and `Prefer: wait`.',
    },
    ...shareSettings('MAX_HELD_REQUESTS', 'Such requests'),
    MAX_BYTES_IN_FLIGHT: {
      of: ['gateway'],
      schema: whole(1024 ** 2),
      default: 256 * 1024 ** 2,
      defaultText: '256 MiB',
      text: 'Bytes of requests beyond 16 KiB that one gateway is reading or has not answered yet. Beyond, they get 503.',
    },
    ...shareSettings('MAX_BYTES_IN_FLIGHT', 'Such bytes'),
  },
} as const satisfies SettingGroup;
