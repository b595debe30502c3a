import { z } from 'zod';
import { CommandFailure } from '../failures/failure.ts';

/** An option of every command, from a flag, the environment (`A2ACLI_…`), a file, or its default, in this order. */
export interface OptionSpec {
  readonly flags: string;
  readonly text: string;
  /** Parses the given text; a list has one text per flag, or is separated by commas elsewhere. */
  readonly schema: z.ZodType;
  readonly default?: string;
  readonly kind: 'text' | 'list' | 'switch';
  readonly isSecret?: true;
  /** Another variable, which is read after its own. */
  readonly alsoFrom?: string;
  /** Never read from the environment or a file. */
  readonly isFlagOnly?: true;
  /** The only commands that read it; unset: every command that calls an agent. */
  readonly usedBy?: readonly string[];
  /** Never read from a file of a folder: it may have come with a project. */
  readonly isOfUser?: true;
}

const secondsPerUnit = { ms: 0.001, s: 1, m: 60, h: 3_600 } as const;

/** `500ms`, `2s`, `1.5m`, `1h`; a bare number is seconds. In milliseconds. */
const duration = z
  .string()
  .regex(/^\d{1,9}(?:\.\d{1,3})?(?:ms|s|m|h)?$/, 'must be a duration such as 500ms, 2s or 5m')
  .transform((text) => {
    const [, number = '0', unit = 's'] = /^([\d.]+)(ms|s|m|h)?$/.exec(text) ?? [];
    return Math.round(Number(number) * secondsPerUnit[z.enum(['ms', 's', 'm', 'h']).parse(unit)] * 1_000);
  })
  .refine((ms) => ms <= 2_000_000_000, 'must be at most 23 days');

const onOff = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');

const bindings = { jsonrpc: 'JSONRPC', 'http+json': 'HTTP+JSON', rest: 'HTTP+JSON', grpc: 'GRPC' } as const;
const binding = z
  .string()
  .toLowerCase()
  .pipe(z.enum(['jsonrpc', 'http+json', 'rest', 'grpc'], 'must be jsonrpc, http+json or grpc'))
  .transform((name) => bindings[name]);

const jsonObject = z.string().transform((text, context) => {
  const { data, success } = z.record(z.string(), z.unknown()).safeParse(jsonIn(text));
  if (success) return data;
  context.addIssue({ code: 'custom', message: 'must be a JSON object such as {"k":"v"}' });
  return z.NEVER;
});

const serviceParameter = z
  .string()
  .regex(/^[\w.-]{1,200}:[^\r\n]*$/, 'must be <name>:<value>')
  .transform((text) => {
    const at = text.indexOf(':');
    return [text.slice(0, at), text.slice(at + 1).trim()] as const;
  });

/** Commands that may wait for a task. */
const waiting = ['send', 'chat', 'task get', 'task cancel', 'task subscribe'];

const origin = z
  .string()
  .transform((text) => (/^https?:\/\//i.test(text) ? text : `https://${text}`))
  .refine((text) => URL.canParse(text), 'must be a host or an origin such as https://agents.example.com')
  .transform((text) => new URL(text).origin);

/** The options of every command: those of the specification of a2a-cli (section 7.2), and ours. */
export const optionSpecs = {
  agentCard: {
    flags: '-a, --agent-card <ref>',
    text: 'the agent: its host, its origin, the URL of its card, or a card file',
    schema: z.string().min(1, 'must not be empty'),
    default: 'http://127.0.0.1:4000',
    alsoFrom: 'SWITCHYARD_URL',
    kind: 'text',
  },
  output: {
    flags: '-o, --output <text|json>',
    text: 'the output format',
    schema: z.enum(['text', 'json'], 'must be text or json'),
    default: 'text',
    kind: 'text',
  },
  stream: {
    flags: '--stream',
    text: 'print events as they come; with -o json one line of JSON each',
    schema: onOff,
    default: 'false',
    kind: 'switch',
    isFlagOnly: true,
    usedBy: ['send', 'task get', 'task subscribe', 'task list', 'task cancel', 'dead retry'],
  },
  wait: {
    flags: '--wait',
    text: 'wait until the task ends or needs you; the default for send (also --watch)',
    schema: onOff,
    kind: 'switch',
    usedBy: ['send', 'task get', 'task cancel'],
  },
  async: {
    flags: '--async',
    text: 'do not wait: print the task id at once (also --return-immediately, --no-wait)',
    schema: onOff,
    kind: 'switch',
    usedBy: ['send'],
  },
  timeout: {
    flags: '--timeout <duration>',
    text: 'give up after this time: 500ms, 30s, 5m (default: never)',
    schema: duration,
    kind: 'text',
  },
  pollInterval: {
    flags: '--poll-interval <duration>',
    text: 'how often to poll a task that cannot be streamed',
    schema: duration.refine((ms) => ms >= 100, 'must be at least 100ms'),
    default: '2s',
    kind: 'text',
    usedBy: waiting,
  },
  taskId: {
    flags: '--task-id <id>',
    text: 'send to this task, for example to answer its question',
    schema: z.string().min(1, 'must not be empty'),
    kind: 'text',
    usedBy: ['send', 'chat'],
  },
  contextId: {
    flags: '--context-id <id>',
    text: 'the context: of the new task, or of the tasks to list',
    schema: z.string().min(1, 'must not be empty'),
    kind: 'text',
    usedBy: ['send', 'chat', 'task list'],
  },
  metadata: {
    flags: '--metadata <json>',
    text: 'request metadata, as a JSON object',
    schema: jsonObject,
    kind: 'text',
    usedBy: ['send', 'task cancel'],
  },
  transport: {
    flags: '--transport <binding>',
    text: 'preferred binding: jsonrpc, http+json or grpc; repeatable, best first (default: the order in the card)',
    schema: z.array(binding),
    kind: 'list',
  },
  a2aVersion: {
    flags: '--a2a-version <version>',
    text: 'the A2A version (default: the highest 1.x that both support)',
    schema: z.string().regex(/^\d{1,3}\.\d{1,3}$/, 'must be a version such as 1.0'),
    kind: 'text',
  },
  bearer: {
    flags: '--bearer <token>',
    text: 'a bearer token. Prefer A2ACLI_BEARER: flags show up in process lists and shell history',
    schema: z.string().min(1, 'must not be empty'),
    kind: 'text',
    isSecret: true,
  },
  apiKey: {
    flags: '--api-key <key>',
    text: 'an API key. Prefer A2ACLI_API_KEY: flags show up in process lists and shell history',
    schema: z.string().min(1, 'must not be empty'),
    kind: 'text',
    isSecret: true,
  },
  svcParam: {
    flags: '--svc-param <name:value>',
    text: 'a service parameter (an HTTP header, or gRPC metadata); repeatable',
    schema: z.array(serviceParameter),
    kind: 'list',
    isSecret: true,
  },
  credentialsFor: {
    flags: '--credentials-for <origin>',
    text: 'also send the credentials to this origin, which a card or a folder names; repeatable',
    schema: z.array(origin),
    kind: 'list',
    isOfUser: true,
  },
  clientId: {
    flags: '--client-id <id>',
    text: 'the id under which the identity server knows this command: a public client',
    schema: z.string().min(1, 'must not be empty'),
    kind: 'text',
    usedBy: ['login'],
  },
  scope: {
    flags: '--scope <scopes>',
    text: 'the scopes of the token, separated by spaces (default: those that the card requires)',
    schema: z.string().max(2_000, 'must have at most 2000 characters'),
    kind: 'text',
    usedBy: ['login'],
  },
  audience: {
    flags: '--audience <audience>',
    text: 'what the token is for, at an identity server that asks for it',
    schema: z.string().min(1, 'must not be empty').max(2_000, 'must have at most 2000 characters'),
    kind: 'text',
    usedBy: ['login'],
  },
  insecure: {
    flags: '--insecure',
    text: 'do not verify TLS certificates (for development only; only as a flag)',
    schema: onOff,
    default: 'false',
    kind: 'switch',
    isFlagOnly: true,
  },
  verbose: {
    flags: '--verbose',
    text: 'print whole requests and responses',
    schema: onOff,
    default: 'false',
    kind: 'switch',
    usedBy: ['send', 'task get', 'task list', 'task cancel', 'task subscribe'],
  },
  debug: {
    flags: '--debug',
    text: 'log each request and response to stderr, without credentials',
    schema: onOff,
    default: 'false',
    kind: 'switch',
  },
} as const satisfies Record<string, OptionSpec>;

export type OptionName = keyof typeof optionSpecs;

/** The given options, parsed. */
export type CliOptions = {
  readonly [Name in OptionName]:
    | z.output<(typeof optionSpecs)[Name]['schema']>
    | ((typeof optionSpecs)[Name] extends { readonly default: string } ? never : undefined);
};

/** `--agent-card` is `A2ACLI_AGENT_CARD`. */
export function variableOf(spec: OptionSpec): string {
  return `A2ACLI_${longFlag(spec).slice(2).replaceAll('-', '_').toUpperCase()}`;
}

export function longFlag({ flags }: OptionSpec): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

/** Reads the number that a flag gives. @throws {CommandFailure} */
export const countOf =
  (flag: string) =>
  (text: string): number => {
    if (/^\d{1,6}$/.test(text)) return Number(text);
    throw new CommandFailure('A2ACLI_ERR_USAGE', `${flag} ${text}: it must be a whole number of at most six digits`);
  };

/** Undefined if it is not JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
