import { anyText, oneOf, onOff, port } from '../setting/kinds.ts';
import type { SettingGroup } from '../setting/setting.ts';

export const operators = {
  title: 'Operators',
  settings: {
    ADMIN_PORT: {
      of: ['start', 'gateway'],
      schema: port,
      defaultText: 'off; `switchyard up`: `PORT` + 100, or the next free port',
      text: 'The port for operators and metrics; 0: any free port, which the log line `listening` names.',
      isCommon: true,
    },
    ADMIN_HOST: {
      of: ['start', 'gateway'],
      schema: anyText,
      default: '127.0.0.1',
      text: 'The address for `ADMIN_PORT`. Use other addresses than loopback only behind TLS: requests carry the key.',
    },
    ADMIN_KEY: {
      of: ['start', 'gateway'],
      schema: anyText,
      defaultText: 'none; `switchyard up`: `operator-key` in `DATA_DIR`',
      text: 'The key for `ADMIN_PORT`, at least 16 characters, sent as a bearer token or as `X-API-Key`.',
      isSecret: true,
      isCommon: true,
    },
    ADMIN_KEY_FILE: {
      of: ['start', 'gateway'],
      schema: anyText,
      text: 'A file with the key for `ADMIN_PORT`, instead of `ADMIN_KEY`.',
    },
    CONSOLE: {
      of: ['start', 'gateway'],
      schema: onOff,
      default: true,
      text: 'Serve the console at `/console/` on `ADMIN_PORT`. It asks for the key.',
    },
    CONSOLE_OIDC_CLIENT_ID: {
      of: ['gateway'],
      schema: anyText,
      text: 'With `AUTH=jwt`: the public client id with which the console signs in at `JWT_ISSUER` (code flow with PKCE).',
    },
    CONSOLE_OIDC_SCOPES: {
      of: ['gateway'],
      schema: anyText,
      default: 'openid admin send read cancel',
      text: 'The scopes that the console requests, separated by spaces. The token must include `admin`.',
    },
    METRICS_KEY: {
      of: ['gateway', 'worker'],
      schema: anyText,
      text: 'A key for `/metrics` and `/admin/load` only, at least 16 characters: for Prometheus and autoscalers. If it is set, workers require it too.',
      isSecret: true,
    },
    METRICS_KEY_FILE: {
      of: ['gateway', 'worker'],
      schema: anyText,
      text: 'A file with the key for metrics, instead of `METRICS_KEY`.',
    },
    METRICS_PORT: {
      of: ['worker'],
      schema: port,
      defaultText: 'off',
      text: 'The port for a worker’s `/metrics` and `/healthz`; 0: any free port.',
    },
    METRICS_HOST: {
      of: ['worker'],
      schema: anyText,
      default: '127.0.0.1',
      text: 'The address for `METRICS_PORT`.',
    },
    LOG_LEVEL: {
      of: ['gateway', 'worker'],
      schema: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
      default: 'info',
      defaultText: 'info; `switchyard up`: warn',
      text: 'The lowest level to log.',
      isCommon: true,
    },
    LOG_FORMAT: {
      of: ['gateway', 'worker'],
      schema: oneOf('auto', 'text', 'json'),
      default: 'auto',
      text: 'The form of log lines: `json`, `text` for people, or `auto`: text in a terminal, otherwise JSON.',
    },
    AGENT_LOG_LEVEL: {
      of: ['worker'],
      schema: oneOf('debug', 'info', 'warn', 'error', 'silent'),
      defaultText: '`LOG_LEVEL`; `switchyard up`: info',
      text: 'The lowest level to log for lines that agents write with `turn.log`.',
    },
  },
} as const satisfies SettingGroup;
