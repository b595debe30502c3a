import { anyText, httpUrl, integer, list, oneOf, onOff, port, portOrOff, text } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const network = {
  title: 'Addresses',
  settings: {
    HOST: {
      of: ['start', 'gateway'],
      schema: anyText,
      default: '127.0.0.1',
      text: 'The address to listen on. Any other than loopback needs `AUTH`, or `ALLOW_ANONYMOUS=true`.',
      isCommon: true,
    },
    PORT: {
      of: ['start', 'gateway'],
      schema: port,
      default: 4000,
      text: 'The port to listen on; 0: any free port.',
      isCommon: true,
    },
    GRPC_PORT: {
      of: ['start', 'gateway'],
      schema: portOrOff,
      defaultText: '`PORT` + 1',
      text: 'The port for gRPC; 0: any free port; `off`: no gRPC.',
    },
    GRPC_PUBLIC_ADDRESS: {
      of: ['gateway'],
      schema: text(
        /^(?:auto|[^/\s:]+:\d{1,5}|\[[\da-f:]+\]:\d{1,5})$/i,
        'host:port, such as grpc.example.com:443, or auto',
      ),
      defaultText: 'none',
      text: 'The gRPC address that agent cards advertise; `auto`: the host of the card’s URL with `GRPC_PORT`. Clients of google-adk refuse a card with a gRPC address.',
    },
    TLS_CERT_FILE: {
      of: ['gateway'],
      schema: anyText,
      text: 'A PEM file with the certificate chain for HTTPS. Without it the gateway serves plain HTTP.',
    },
    TLS_KEY_FILE: {
      of: ['gateway'],
      schema: anyText,
      text: 'A PEM file with the private key of `TLS_CERT_FILE`.',
    },
    TLS_CLIENT_CA_FILE: {
      of: ['gateway'],
      schema: anyText,
      text: 'A PEM file with the authorities that sign client certificates. With it, clients are asked for a certificate.',
    },
    TLS_MIN_VERSION: {
      of: ['gateway'],
      schema: oneOf('1.2', '1.3'),
      default: '1.2',
      text: 'The oldest TLS version to accept.',
    },
    GRPC_TLS_CERT_FILE: {
      of: ['gateway'],
      schema: anyText,
      defaultText: 'as `TLS_CERT_FILE`',
      text: 'A PEM file with the certificate chain for gRPC. With no certificate at all, gRPC is served without TLS.',
    },
    GRPC_TLS_KEY_FILE: {
      of: ['gateway'],
      schema: anyText,
      defaultText: 'as `TLS_KEY_FILE`',
      text: 'A PEM file with the private key of `GRPC_TLS_CERT_FILE`.',
    },
    PUBLIC_URL: {
      of: ['gateway', 'worker'],
      schema: httpUrl,
      defaultText:
        'the host of the request; without it agents make no callback URLs, except with `switchyard up`, which takes the address on this machine',
      text: 'The base URL that agent cards advertise, and with which callback URLs of agents begin.',
      isCommon: true,
    },
    ALLOWED_HOSTS: {
      of: ['gateway'],
      schema: list,
      defaultText: 'any with authentication; without it IP addresses, `localhost`, `HOST` and the host of `PUBLIC_URL`',
      text: 'Host names, with or without a port, under which the gateway serves requests. It refuses others, to protect against DNS rebinding.',
    },
    ALLOWED_ORIGINS: {
      of: ['gateway'],
      schema: list,
      default: [],
      defaultText: 'none',
      text: 'Web origins that may call the gateway (CORS), such as `https://app.example.com`. `*` allows all of them, and needs authentication.',
    },
    TRUST_PROXY: {
      of: ['gateway'],
      schema: onOff,
      default: false,
      text: 'Trust `X-Forwarded-For`, `X-Forwarded-Host` and `X-Forwarded-Proto`. Use it only behind a proxy that sets them.',
    },
    TRUST_PROXY_HOPS: {
      of: ['gateway'],
      schema: integer(1, 100),
      default: 1,
      text: 'With `TRUST_PROXY`: the number of proxies in front of the gateway. The client’s address is that many entries from the end of `X-Forwarded-For`.',
    },
    LEGACY_V0_3: {
      of: ['gateway'],
      schema: onOff,
      default: true,
      text: 'Serve A2A 0.3 clients at the same URLs.',
    },
    PREVIEW_1_1: {
      of: ['gateway'],
      schema: onOff,
      default: false,
      text: 'Serve requests with `A2A-Version: 1.1`, as its draft describes it: [a2a-1-1.md](a2a-1-1.md).',
    },
    MCP: {
      of: ['gateway'],
      schema: onOff,
      default: false,
      text: 'Serve agents as tools of the Model Context Protocol, at `/mcp`: [mcp.md](mcp.md).',
    },
    ARD: {
      of: ['gateway'],
      schema: oneOf('all', 'default-agent', 'off'),
      defaultText: '`all` without authentication, else `default-agent`',
      text: 'Which agents `/.well-known/ard.json` lists publicly: [discovery.md](discovery.md).',
    },
    MISSING_VERSION: {
      of: ['gateway'],
      schema: oneOf('by-shape', '0.3'),
      default: 'by-shape',
      text: 'The A2A version of a request without `A2A-Version`: `by-shape` takes it from the method or path; `0.3` follows A2A 3.6.2 to the letter.',
    },
    UNKNOWN_CONFIGURATION: {
      of: ['gateway'],
      schema: oneOf('ignore', 'refuse'),
      default: 'ignore',
      text: 'Fields of a message’s `configuration` that its version of A2A does not have: `ignore`, as A2A asks, names them in the header `A2A-Ignored-Fields`; `refuse` answers with an error that names them.',
    },
  },
} as const satisfies SettingGroup;
