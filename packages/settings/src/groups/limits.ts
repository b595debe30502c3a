import { integer, limitOrOff, milliseconds, rateOrOff } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

/** Settings for the share of a gateway’s limit that one tenant and one principal may use. */
function shareSettings<const Name extends string>(name: Name, what: string) {
  const part = (owner: string, fraction: string) => ({
    of: ['gateway'] as const,
    schema: integer(1),
    defaultText: `${fraction} of \`${name}\`; all of it without authentication`,
    text: `${what} per ${owner} and gateway; more get 429.`,
  });
  return {
    [`${name}_PER_TENANT`]: part('tenant', 'half'),
    [`${name}_PER_PRINCIPAL`]: part('principal', 'a quarter'),
  } as { readonly [Key in `${Name}_PER_${'TENANT' | 'PRINCIPAL'}`]: ReturnType<typeof part> };
}

/** A setting for the rate of one kind of request. */
function kindRate<const Kind extends string>(kind: Kind, what: string) {
  const setting = {
    of: ['gateway'] as const,
    schema: rateOrOff,
    default: 'off' as const,
    text: `${what} per principal and gateway, in addition to \`RATE_PER_PRINCIPAL\`.`,
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
      text: 'Requests per principal and gateway. Bursts up to the full count are allowed; more get 429. Response headers say how many are left.',
    },
    ...kindRate('SEND', 'Messages sent'),
    ...kindRate('READ', 'Read requests'),
    ...kindRate('CANCEL', 'Cancel and delete requests'),
    ...kindRate('PUSH', 'Requests about webhooks'),
    ...kindRate('EVENTS', 'Events given to tasks'),
    RATE_EVENTS_PER_CALLBACK: {
      of: ['gateway'],
      schema: rateOrOff,
      default: { count: 60, seconds: 60 },
      defaultText: '60/m',
      text: 'Events per callback URL of an agent (`turn.callbackUrl`) and gateway. More get 429.',
    },
    RATE_PER_ADDRESS: {
      of: ['gateway'],
      schema: rateOrOff,
      default: 'off',
      text: 'Requests per client address (IPv6: per /64), not counting agent cards and health checks.',
    },
    RATE_FAILED_AUTH_PER_ADDRESS: {
      of: ['gateway'],
      schema: rateOrOff,
      default: { count: 20, seconds: 60 },
      defaultText: '20/m',
      text: 'Failed authentications per client address. After that, the address gets 429 unless its credentials are known to be valid. Behind a proxy, set `TRUST_PROXY`.',
    },
    HEADERS_TIMEOUT_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 10_000,
      text: 'How long a client may take for the TLS handshake, and for the request headers, before the connection is closed.',
    },
    BODY_TIMEOUT_MS: {
      of: ['gateway'],
      schema: milliseconds,
      default: 30_000,
      text: 'How long a client may take to send a whole request before it gets 408.',
    },
    MAX_CONNECTIONS: {
      of: ['gateway'],
      schema: integer(1, 1_000_000),
      default: 25_000,
      text: 'Open connections per gateway, over all bindings. Further ones are closed at once.',
    },
    MAX_CONNECTIONS_PER_ADDRESS: {
      of: ['gateway'],
      schema: limitOrOff(1_000_000),
      default: 0,
      defaultText: 'off',
      text: 'Open connections per client address (IPv6: per /64). Behind a proxy all clients share one address: leave it off.',
    },
    ...shareSettings('MAX_STREAMS', 'Open streams'),
    MAX_HELD_REQUESTS: {
      of: ['gateway'],
      schema: integer(1, 1_000_000),
      default: 30_000,
      text: 'Requests that one gateway keeps open at a time: streams, blocking sends and `Prefer: wait`.',
    },
    ...shareSettings('MAX_HELD_REQUESTS', 'Requests kept open'),
    MAX_BYTES_IN_FLIGHT: {
      of: ['gateway'],
      schema: integer(1024 ** 2),
      default: 256 * 1024 ** 2,
      defaultText: '256 MiB',
      text: 'Memory for large requests (more than 16 KiB) that one gateway is reading or processing; more get 503.',
    },
    ...shareSettings('MAX_BYTES_IN_FLIGHT', 'Bytes of large requests'),
  },
} as const satisfies SettingGroup;
