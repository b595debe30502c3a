import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { cardUrlsOf } from '@switchyard/protocol';
import { plainWords } from '@switchyard/protocol/schemas';
import { type Document, isNode, LineCounter, parseDocument, YAMLParseError } from 'yaml';
import { z } from 'zod';
import type { ExternalAgentSettings } from './external-a2a-agent.ts';
import { authSchema, readAgentAuth } from './read-auth.ts';
import { ExternalAgentError } from './sources.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The agent at a URL. @throws {ExternalAgentError} */
export function agentAt(source: string): ExternalAgentSettings {
  const [, given, url = ''] = /^(?:([a-z0-9-]+)=)?(.*)$/i.exec(source) ?? [];
  if (!URL.canParse(url)) throw new ExternalAgentError(`${url} is no address of an agent`);
  return { id: given ?? idOf(new URL(url)), cardUrl: cardUrlOf(url) };
}

/** The last part of its path, or else its host. */
function idOf({ pathname, host }: URL): string {
  const [path = ''] = pathname.split('/.well-known/');
  const text = posix.basename(path, '.json') || host;
  return text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join('-')
    .slice(0, 63);
}

/** The URL of a card. @param url of an agent, or of its card */
function cardUrlOf(url: string): string {
  return cardUrlsOf(url).at(-1) ?? url;
}

const count = (max: number) => z.int().min(1).max(max);
const bindings = { jsonrpc: 'JSONRPC', 'http+json': 'HTTP+JSON' } as const;

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an address that begins with https:// or http://' });

const agentSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be lower-case letters, digits and single hyphens')
    .max(63),
  url: httpUrl,
  headers: z.record(z.string(), z.string()).optional(),
  auth: authSchema.optional(),
  trustedOrigins: z.array(httpUrl).optional(),
  binding: z.enum(['jsonrpc', 'http+json']).optional(),
  concurrency: count(10_000).optional(),
  turnTimeoutMs: count(2 ** 31 - 1).optional(),
  attempts: count(100).optional(),
  limits: z
    .strictObject({
      running: count(10_000).optional(),
      runningPerTenant: count(10_000).optional(),
      starts: z.string().optional(),
    })
    .optional(),
  name: z.string().min(1).optional(),
  description: z.string().min(1).optional(),
});
const notAList = `must list agents (docs/existing-agents.md), such as
    agents:
      - id: almanac
        url: https://almanac.example.com`;
const agentsSchema = z
  .array(agentSchema)
  .min(1)
  .superRefine((agents, context) => {
    for (const [at, { id }] of agents.entries()) {
      const first = agents.findIndex((agent) => agent.id === id);
      if (first < at)
        context.addIssue({ code: 'custom', path: [at, 'id'], message: `"${id}" is the id of agents[${first}], too` });
    }
  });
const fileSchema = z.strictObject({ agents: agentsSchema }, { error: listsNothing });

function listsNothing({ code, input }: z.core.$ZodRawIssue): string | undefined {
  if (code !== 'invalid_type') return undefined;
  return input === null ? `is empty: it ${notAList}` : notAList;
}

/** The agents of a YAML file. `${NAME}` in a header or secret is a variable of the environment. @throws {ExternalAgentError} */
export function agentsInFile(file: string, environment: Environment): ExternalAgentSettings[] {
  const { value, document, lines } = yamlIn(file);
  const { data, error } = fileSchema.safeParse(value, plainWords);
  if (error) {
    const problems = error.issues.flatMap(problemsOf).map((problem) => problemText(problem, document, lines));
    throw new ExternalAgentError(`${file} cannot be used:\n${problems.join('\n')}`);
  }
  return data.agents.map(({ url, headers, auth, binding, ...agent }, index) => ({
    ...agent,
    cardUrl: cardUrlOf(url),
    ...(binding && { binding: bindings[binding] }),
    ...(headers && { headers: withVariables(headers, environment, `${file}: agents[${index}].headers`) }),
    ...(auth && { auth: readAgentAuth(auth, filler(environment, `${file}: agents[${index}].auth`)) }),
  }));
}

interface Yaml {
  readonly value: unknown;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

function yamlIn(file: string): Yaml {
  const lines = new LineCounter();
  try {
    const document = parseDocument(readFileSync(file, 'utf8'), { lineCounter: lines, prettyErrors: false });
    const [error] = document.errors;
    if (error) throw error;
    return { value: document.toJS(), document, lines };
  } catch (cause) {
    const position = cause instanceof YAMLParseError ? lines.linePos(cause.pos[0]) : undefined;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ExternalAgentError(
      `${file}${position ? `:${position.line}:${position.col}` : ''} cannot be read: ${reason}`,
      { cause },
    );
  }
}

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** All unknown fields of an object are one issue. */
function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  const { path, message } = issue;
  if (issue.code !== 'unrecognized_keys') return [{ path, message }];
  return issue.keys.map((key) => ({ path: [...path, key], message }));
}

function problemText({ path, message }: Problem, document: Document.Parsed, lines: LineCounter): string {
  const where = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  const line = lineOf(path, document, lines);
  return `  ${line === undefined ? '' : `line ${line}: `}${where.replace(/^\./, '') || 'the file'}: ${message}`;
}

/** Of the value, or of what should have it. */
function lineOf(path: readonly PropertyKey[], document: Document.Parsed, lines: LineCounter): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return undefined;
}

function withVariables(headers: Readonly<Record<string, string>>, environment: Environment, where: string) {
  const fill = filler(environment, where);
  return Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, fill(name, text)]));
}

/** @returns puts variables of the environment into a text. @throws {ExternalAgentError} one is not set */
function filler(environment: Environment, where: string): (field: string, text: string) => string {
  return (field, text) =>
    text.replaceAll(/\$\{(\w+)\}/g, (_, variable: string) => {
      const value = environment[variable];
      if (value) return value;
      throw new ExternalAgentError(`${where}.${field}: the variable ${variable} is not set`);
    });
}
