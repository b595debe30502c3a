import { z } from 'zod';

/** An option of every command: a flag, then `A2ACLI_…` of the environment, then of a file, then the default. */
export interface OptionSpec {
  readonly flags: string;
  readonly text: string;
  /** Of the text that was given; a list takes one text for each use of the flag, with commas elsewhere. */
  readonly schema: z.ZodType;
  readonly default?: string;
  readonly kind: 'text' | 'list' | 'switch';
  readonly isSecret?: true;
  /** Another variable for it, after its own. */
  readonly alsoFrom?: string;
  /** Never read from the environment or a file. */
  readonly isFlagOnly?: true;
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

/** The options that the specification of a2a-cli has for every command (its section 7.2). */
export const optionSpecs = {
  agentCard: {
    flags: '-a, --agent-card <ref>',
    text: 'the agent: a host or origin, the URL of its card, or a file',
    schema: z.string().min(1),
    default: 'http://127.0.0.1:4000',
    alsoFrom: 'SWITCHYARD_URL',
    kind: 'text',
  },
  output: {
    flags: '-o, --output <text|json>',
    text: 'the format',
    schema: z.enum(['text', 'json'], 'must be text or json'),
    default: 'text',
    kind: 'text',
  },
  stream: {
    flags: '--stream',
    text: 'follow events as they come; with -o json a line of JSON for each',
    schema: onOff,
    default: 'false',
    kind: 'switch',
    isFlagOnly: true,
  },
  wait: {
    flags: '--wait',
    text: 'wait until the task ends or needs you; send does unless told otherwise (also --watch)',
    schema: onOff,
    kind: 'switch',
  },
  async: {
    flags: '--async',
    text: 'do not wait: return the ids at once (also --return-immediately, --no-wait)',
    schema: onOff,
    kind: 'switch',
  },
  timeout: {
    flags: '--timeout <duration>',
    text: 'give up after it: 500ms, 30s, 5m (default: wait as long as it takes)',
    schema: duration,
    kind: 'text',
  },
  pollInterval: {
    flags: '--poll-interval <duration>',
    text: 'how often a task that is waited for is asked for',
    schema: duration.refine((ms) => ms >= 100, 'must be at least 100ms'),
    default: '2s',
    kind: 'text',
  },
  taskId: {
    flags: '--task-id <id>',
    text: 'continue this task: answer it',
    schema: z.string().min(1),
    kind: 'text',
  },
  contextId: {
    flags: '--context-id <id>',
    text: 'begin a new task beside those of this context',
    schema: z.string().min(1),
    kind: 'text',
  },
  metadata: {
    flags: '--metadata <json>',
    text: 'metadata of the request, a JSON object',
    schema: jsonObject,
    kind: 'text',
  },
  transport: {
    flags: '--transport <binding>',
    text: 'preferred binding: jsonrpc, http+json or grpc; may be repeated, best first (default: as the card has it)',
    schema: z.array(binding),
    kind: 'list',
  },
  a2aVersion: {
    flags: '--a2a-version <version>',
    text: 'the version of A2A (default: the highest 1.x that both know; 0.3 only if you say so)',
    schema: z.string().regex(/^\d{1,3}\.\d{1,3}$/, 'must be a version such as 1.0'),
    kind: 'text',
  },
  bearer: {
    flags: '--bearer <token>',
    text: 'a bearer token. A flag is seen in the list of processes and in shell history: rather set A2ACLI_BEARER',
    schema: z.string().min(1),
    kind: 'text',
    isSecret: true,
  },
  apiKey: {
    flags: '--api-key <key>',
    text: 'an API key. A flag is seen in the list of processes and in shell history: rather set A2ACLI_API_KEY',
    schema: z.string().min(1),
    kind: 'text',
    isSecret: true,
  },
  svcParam: {
    flags: '--svc-param <name:value>',
    text: 'a service parameter (an HTTP header, or gRPC metadata); may be repeated',
    schema: z.array(serviceParameter),
    kind: 'list',
    isSecret: true,
  },
  insecure: {
    flags: '--insecure',
    text: 'do not verify TLS certificates: for development only (default: they are verified)',
    schema: onOff,
    default: 'false',
    kind: 'switch',
  },
  verbose: {
    flags: '--verbose',
    text: 'show all that is sent and received (default: the essential)',
    schema: onOff,
    default: 'false',
    kind: 'switch',
  },
  debug: {
    flags: '--debug',
    text: 'log each request and answer to stderr, without credentials',
    schema: onOff,
    default: 'false',
    kind: 'switch',
  },
} as const satisfies Record<string, OptionSpec>;

export type OptionName = keyof typeof optionSpecs;

/** What was given for the options, parsed. */
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

/** Undefined if it is no JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
