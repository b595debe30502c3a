import { auditActions } from '@switchyard/access';
import { usageGroups } from '@switchyard/operator-api';
import { type FieldViolation, invalidParams, type TaskState } from '@switchyard/protocol';
import { plainWords, taskStateSchema } from '@switchyard/protocol/schemas';
import type { Request } from 'express';
import { z } from 'zod';
import { readOptionalJson } from '../exchange/read-json.ts';

const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((number) => number >= min && number <= max, message);
};
const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');

/** Longest word of a client that an error repeats. */
const LONGEST_WORD = 40;
const states = taskStateSchema.options;
const shortOf = (state: TaskState): string => state.replace('TASK_STATE_', '').toLowerCase().replace('_', '-');

/** `TASK_STATE_FAILED`, and as the CLI has them `failed` and `input-required`. */
function statesIn(text: string, context: z.RefinementCtx<string>): TaskState[] {
  const words = text.split(',').map((word) => word.trim());
  const found = words.map((word) => {
    const short = word
      .toLowerCase()
      .replace(/^task_state_/, '')
      .replaceAll('_', '-');
    return states.find((state) => shortOf(state) === short);
  });
  const wrong = words
    .filter((_, at) => found[at] === undefined)
    .map((word) => JSON.stringify(word.slice(0, LONGEST_WORD)));
  if (wrong.length > 0) {
    const there = `there are ${states.join(', ')}, or in short ${states.map(shortOf).join(', ')}`;
    context.addIssue({ code: 'custom', message: `has no state ${wrong.slice(0, 3).join(', ')}: ${there}` });
  }
  return found.filter((state) => state !== undefined);
}

/** A query without parameters. */
export const noParameters = z.strictObject({});
export const pageParameters = z.strictObject({
  pageSize: wholeNumber(1, 100).default(50),
  pageToken: z.string().max(4_096, 'is not a page token of this list').optional(),
});
export const agentParameters = pageParameters.extend({ id: z.string().optional() });
/** `agent`: only workers that run it. */
export const workerParameters = pageParameters.extend({ agent: z.string().optional() });
const time = z.iso.datetime({ offset: true, error: 'must be a time such as 2026-01-31T12:00:00Z' });
const timeMs = time.transform((text) => Date.parse(text));
const day = z.iso.date({ error: 'must be a day such as 2026-01-31' });
/** Days, both included. */
export const usageParameters = z
  .strictObject({
    by: z.enum(usageGroups, `must be one of ${usageGroups.join(', ')}`).default('agent'),
    from: day.optional(),
    to: day.optional(),
    agent: z.string().optional(),
    tenant: z.string().optional(),
    model: z.string().optional(),
  })
  .refine(({ from, to }) => !from || Date.parse(to ?? new Date().toISOString()) - Date.parse(from) < 400 * 86_400_000, {
    path: ['from'],
    message: 'must be at most 400 days before the last day',
  });
/** A filter of dead letters, in a body. */
export const deadLetterFilter = z.strictObject({
  kind: z.enum(['turn', 'webhook'], 'must be turn or webhook').optional(),
  agent: z.string().optional(),
  tenant: z.string().optional(),
  /** Matches a part of the reason. */
  reason: z.string().max(200).optional(),
  since: timeMs.optional(),
});
export const deadLetterParameters = pageParameters.extend(deadLetterFilter.shape);
export const scheduleParameters = pageParameters.extend({
  tenant: z.string().optional(),
  agent: z.string().optional(),
});
export const conversationParameters = pageParameters.extend({
  tenant: z.string().optional(),
  subject: z.string().optional(),
  contextId: z.string().optional(),
  state: z.enum(['open', 'complete'], 'must be open or complete').optional(),
});
export const interruptedParameters = pageParameters.extend({ contents: flag.default(false) });
export const contentsParameters = z.strictObject({ contents: flag.default(false) });
export const taskParameters = contentsParameters.extend({ timeline: flag.default(false) });
export const memoryParameters = z.strictObject({ subject: z.string(), agent: z.string(), contextId: z.string() });
export const taskSearchParameters = pageParameters.extend({
  id: z.string().optional(),
  contextId: z.string().optional(),
  agent: z.string().optional(),
  /** Names of states, also short ones, separated by commas. */
  state: z.string().transform(statesIn).optional(),
  /** Only tasks that have work to do which nobody does. */
  stuck: flag.optional(),
  tenant: z.string().optional(),
  subject: z.string().optional(),
  since: time.optional(),
  until: time.optional(),
  /** Matches a part of the reason. */
  reason: z.string().max(200).optional(),
  /** Words in messages and artifacts. */
  text: z.string().max(200).optional(),
  sort: z.enum(['cost'], 'must be cost').optional(),
  pageSize: wholeNumber(1, 500).default(100),
  contents: flag.default(false),
});
export const auditParameters = pageParameters.extend({
  tenant: z.string().optional(),
  subject: z.string().optional(),
  credential: z.string().optional(),
  object: z.string().optional(),
  outcome: z.string().optional(),
  what: z.enum(auditActions, `must be one of ${auditActions.join(', ')}`).optional(),
  /** ISO time. */
  since: timeMs.optional(),
});
/** Milliseconds since 1970. */
export const seriesParameters = z.strictObject({
  fromMs: z
    .string()
    .regex(/^\d{1,15}$/, 'must be a time in milliseconds')
    .transform(Number)
    .optional(),
});
/** Ids of agents, separated by commas. */
export const loadParameters = z.strictObject({
  agents: z
    .string()
    .regex(/^[a-z0-9-]{1,64}(?:,[a-z0-9-]{1,64}){0,99}$/, 'must be ids of agents, separated by commas')
    .transform((text) => [...new Set(text.split(','))]),
});
/** `sample`: number of tasks; 0: all. */
export const archiveCheckParameters = pageParameters
  .omit({ pageSize: true })
  .extend({ sample: wholeNumber(0, 100_000_000).default(10_000) });
export const exportParameters = pageParameters
  .omit({ pageSize: true })
  .extend({ subject: z.string().optional(), since: time.optional(), until: time.optional() });
/** Only what has ended since. */
export const recopyParameters = z.strictObject({ since: time.optional() });
/** Milliseconds, up to a day. */
export const drainParameters = z.strictObject({ giveBackAfterMs: wholeNumber(0, 86_400_000).optional() });

/** In bytes. */
const maxBodyBytes = 5_000_000;
const maxBodyValues = 50_000;

type Given = Readonly<Record<string, unknown>>;

/**
 * The parameters of a request: of its query, and unless it is a GET, of its JSON body. Each may come only once, so that
 * audit trail and route see the same value.
 * @throws {A2AError} InvalidParams, naming every wrong parameter; as `readOptionalJson`
 */
export async function readParameters<Schema extends z.ZodType>(
  req: Request,
  schema: Schema,
): Promise<z.output<Schema>> {
  // It chooses the backend of a route.
  const { deployment: _, ...query }: Given = req.query;
  const body = isReading(req)
    ? {}
    : objectIn(await readOptionalJson(req, { maxBytes: maxBodyBytes, maxValues: maxBodyValues }));
  const repeated = Object.keys(query).filter((name) => Array.isArray(query[name]) || Object.hasOwn(body, name));
  if (repeated.length > 0)
    throw invalidParams(repeated.map((field) => ({ field, description: 'must not be repeated' })));
  const given = schema.safeParse({ ...query, ...body }, plainWords);
  if (given.success) return given.data;
  const wrong = new Set(given.error.issues.map(({ path }) => String(path[0])));
  const result = schema.safeParse({ ...asJson(query, wrong), ...asText(body, wrong) }, plainWords);
  if (result.success) return result.data;
  throw invalidParams(result.error.issues.flatMap((issue) => violationsOfIssue(issue, schema)));
}

function isReading({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** @throws {A2AError} InvalidParams */
function objectIn(body: unknown): Given {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
  throw invalidParams([{ field: 'body', description: 'must be a JSON object with the parameters' }]);
}

/** A query has only texts: a wrong one may be the JSON of another value. */
function asJson(query: Given, wrong: ReadonlySet<string>): Given {
  const isValue = (text: unknown): text is string => typeof text === 'string' && /^(?:\d{1,15}|true|false)$/.test(text);
  return mapped(query, wrong, (value) => (isValue(value) ? JSON.parse(value) : value));
}

/** Most parameters are described as texts, as in a query: a wrong value in a body may be a number, flag or list. */
function asText(body: Given, wrong: ReadonlySet<string>): Given {
  return mapped(body, wrong, (value) => {
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value.join(',') : value;
  });
}

function mapped(given: Given, names: ReadonlySet<string>, change: (value: unknown) => unknown): Given {
  return Object.fromEntries(Object.entries(given).map(([name, each]) => [name, names.has(name) ? change(each) : each]));
}

function violationsOfIssue(issue: z.core.$ZodIssue, schema: z.ZodType): FieldViolation[] {
  if (issue.code === 'unrecognized_keys') {
    const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
    const others = known.length > 0 ? `; there are ${known.join(', ')}` : '';
    return issue.keys.map((field) => ({ field, description: `is not a parameter of this request${others}` }));
  }
  return [{ field: issue.path.join('.'), description: issue.message }];
}
