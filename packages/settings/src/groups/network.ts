import { anyText, httpUrl, list, oneOf, onOff, port, portOrOff, text, whole } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const network = {
  title: 'Addresses',
  settings: {
    HOST: {
      of: ['start', 'gateway'],
      schema: anyText,
      default: '127.0.0.1',
      text: 'The address that the gateway listens on. Beyond loopback it needs `AUTH`, or `ALLOW_ANONYMOUS=true`.',
      isCommon: true,
    },
    PORT: {
      of: ['start', 'gateway'],
      schema: port,
      default: 4000,
      text: 'The port that the gateway listens on; 0: any free one.',
      isCommon: true,
    },
    GRPC_PORT: {
      of: ['start', 'gateway'],
      schema: portOrOff,
      defaultText: 'the one after `PORT`',
      text: 'The port of gRPC; 0: any free one; `off`: no gRPC.',
    },
    GRPC_PUBLIC_ADDRESS: {
      of: ['gateway'],
      schema: text(
        /^(?:auto|[^/\s:]+:\d{1,5}|\[[\da-f:]+\]:\d{1,5})$/i,
        'host:port, such as grpc.example.com:443, or auto',
      ),
      defaultText: 'not on cards',
      text: 'Where clients reach gRPC, as agent cards name it; `auto`: the host of the card’s URL, and the port. Clients of google-adk refuse a card that names it.',
    },
    TLS_CERT_FILE: {
      of: ['gateway'],
      schema: anyText,
      text: 'A file with the certificate of HTTPS, and those of its issuers (PEM). Without it, HTTP is served in clear.',
    },
    TLS_KEY_FILE: {
      of: ['gateway'],
      schema: anyText,
      text: 'A file with the private key of that certificate (PEM).',
    },
    TLS_CLIENT_CA_FILE: {
      of: ['gateway'],
      schema: anyText,
      text: 'A file with the certificates of authorities (PEM). Clients are asked for a certificate; one counts that they have signed.',
    },
    TLS_MIN_VERSION: {
      of: ['gateway'],
      schema: oneOf('1.2', '1.3'),
      default: '1.2',
      text: 'The oldest version of TLS that is spoken.',
    },
    GRPC_TLS_CERT_FILE: {
      of: ['gateway'],
      schema: anyText,
      defaultText: 'as `TLS_CERT_FILE`',
      text: 'A file with the certificate of gRPC (PEM). Without any, gRPC is served in clear.',
    },
    GRPC_TLS_KEY_FILE: {
      of: ['gateway'],
      schema: anyText,
      defaultText: 'as `TLS_KEY_FILE`',
      text: 'A file with the private key of that certificate (PEM).',
    },
    PUBLIC_URL: {
      of: ['gateway'],
      schema: httpUrl,
      defaultText: 'as requested',
      text: 'The address that agent cards name.',
      isCommon: true,
    },
    ALLOWED_HOSTS: {
      of: ['gateway'],
      schema: list,
      defaultText: 'any with authentication; without it addresses, `localhost`, `HOST` and the host of `PUBLIC_URL`',
      text: 'The names that clients call the gateway by, with or without a port. Under others nothing is served, or any web page could have its visitors’ browsers use this gateway.',
    },
    ALLOWED_ORIGINS: {
      of: ['gateway'],
      schema: list,
      default: [],
      defaultText: 'none',
      text: 'Origins of web pages that may use the gateway, such as `https://app.example.com`; `*`, only with authentication: all.',
    },
    TRUST_PROXY: {
      of: ['gateway'],
      schema: onOff,
      default: false,
      text: 'Believe `X-Forwarded-For`, `X-Forwarded-Host` and `X-Forwarded-Proto`: only behind a proxy that sets them.',
    },
    TRUST_PROXY_HOPS: {
      of: ['gateway'],
      schema: whole(1, 100),
      default: 1,
      text: 'With `TRUST_PROXY`: proxies in front of the gateway. The client’s address is so many from the end of `X-Forwarded-For`.',
    },
    LEGACY_V0_3: {
      of: ['gateway'],
      schema: onOff,
      default: true,
      text: 'Serve clients of A2A 0.3, too, at the same URLs.',
    },
    PREVIEW_1_1: {
      of: ['gateway'],
      schema: onOff,
      default: false,
      text: 'Serve requests with `A2A-Version: 1.1`, too, as far as its draft goes: [a2a-1-1.md](a2a-1-1.md).',
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
      text: 'Which agents `/.well-known/ard.json` shows to everybody: [discovery.md](discovery.md).',
    },
    MISSING_VERSION: {
      of: ['gateway'],
      schema: oneOf('by-shape', '0.3'),
      default: 'by-shape',
      text: 'What a request without `A2A-Version` is in: the version of its method or path, or 0.3 (the letter of A2A 3.6.2).',
    },
  },
} as const satisfies SettingGroup;
