import { anyText, oneOf, onOff, port } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const operators = {
  title: 'Operators',
  settings: {
    ADMIN_PORT: {
      of: ['start', 'gateway'],
      schema: port,
      defaultText: 'off; `switchyard up`: 100 after `PORT`, or the next free one',
      text: 'The port for operators and metrics; 0: any free one, which the log line `listening` names.',
      isCommon: true,
    },
    ADMIN_HOST: {
      of: ['start', 'gateway'],
      schema: anyText,
      default: '127.0.0.1',
      text: 'The address of that port. Beyond loopback only behind TLS: the key goes over the wire.',
    },
    ADMIN_KEY: {
      of: ['start', 'gateway'],
      schema: anyText,
      defaultText: 'none; `switchyard up`: `operator-key` in `DATA_DIR`',
      text: 'The key for that port, at least 16 characters, sent as a bearer token or as `X-API-Key`.',
      isSecret: true,
      isCommon: true,
    },
    ADMIN_KEY_FILE: {
      of: ['start', 'gateway'],
      schema: anyText,
      text: 'A file with that key.',
    },
    CONSOLE: {
      of: ['start', 'gateway'],
      schema: onOff,
      default: true,
      text: 'Serve the console at `/console/` of that port. It asks for the key.',
    },
    CONSOLE_OIDC_CLIENT_ID: {
      of: ['gateway'],
      schema: anyText,
      text: 'With `AUTH=jwt`, the console signs in at `JWT_ISSUER` as this public client (code flow with PKCE).',
    },
    CONSOLE_OIDC_SCOPES: {
      of: ['gateway'],
      schema: anyText,
      default: 'openid admin send read cancel',
      text: 'The scopes that it asks for, apart by blanks: the token has to bring `admin`.',
    },
    METRICS_KEY: {
      of: ['gateway', 'worker'],
      schema: anyText,
      text: 'A key for `/metrics` and `/admin/load` alone, at least 16 characters: for Prometheus and what scales workers. Workers ask for it if it is set.',
      isSecret: true,
    },
    METRICS_KEY_FILE: {
      of: ['gateway', 'worker'],
      schema: anyText,
      text: 'A file with that key.',
    },
    METRICS_PORT: {
      of: ['worker'],
      schema: port,
      defaultText: 'off',
      text: 'The port of a worker’s `/metrics` and `/healthz`; 0: any free one.',
    },
    METRICS_HOST: {
      of: ['worker'],
      schema: anyText,
      default: '127.0.0.1',
      text: 'The address of that port.',
    },
    LOG_LEVEL: {
      of: ['gateway', 'worker'],
      schema: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
      default: 'info',
      defaultText: 'info; `switchyard up`: warn',
      text: 'The least serious log lines that are written.',
      isCommon: true,
    },
    AGENT_LOG_LEVEL: {
      of: ['worker'],
      schema: oneOf('debug', 'info', 'warn', 'error', 'silent'),
      defaultText: '`LOG_LEVEL`; `switchyard up`: info',
      text: 'The same of the lines that agents log, where it is to be another level.',
    },
  },
} as const satisfies SettingGroup;
