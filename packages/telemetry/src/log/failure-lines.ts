import { z } from 'zod';
import { codeFrames } from './code-frames.ts';
import { sourceLine } from './source-lines.ts';

const errorSchema = z.object({
  type: z.string(),
  message: z.string(),
  stack: z.string().optional(),
  code: z.union([z.string(), z.number()]).optional(),
  get cause() {
    return z.union([errorSchema, z.string()]).optional();
  },
});
type LoggedError = z.infer<typeof errorSchema>;

/** A log line of a worker about a turn that failed, or was lost. */
const lineSchema = z.object({
  time: z.number(),
  event: z.enum([
    'turn-ended',
    'turn-given-back',
    'turn-given-up',
    'turn-fenced',
    'turn-taken-over',
    'unhandled-rejection',
    'uncaught-exception',
  ]),
  agent: z.string(),
  task: z.string(),
  attempt: z.number().optional(),
  retryInMs: z.number().optional(),
  takenOverFrom: z.string().optional(),
  msg: z.string(),
  /** A text: what was thrown is no Error. */
  err: z.union([errorSchema, z.string()]).optional(),
});
type Line = z.infer<typeof lineSchema>;

const MAX_CAUSES = 4;

/**
 * A failed turn for its author: the task, the line of the author's code, the message and its causes. The whole stack is
 * kept with the task: `switchyard why` and the console show it.
 * @param folder of the agents
 * @returns undefined: the line says something else
 */
export function failureLines(json: string, folder: string): string | undefined {
  const parsed = lineSchema.safeParse(parse(json));
  if (!parsed.success) return undefined;
  const { err } = parsed.data;
  if (!err) return headOf(parsed.data);
  const errors = chainOf(err);
  return [
    headOf(parsed.data),
    ...placeIn(errors, folder),
    ...errors.slice(0, MAX_CAUSES).map((each, depth) => `  ${depth > 0 ? 'caused by ' : ''}${textOf(each)}`),
  ].join('\n');
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function headOf({ time, event, agent, task, attempt, retryInMs, takenOverFrom, msg, err }: Line): string {
  const saysItself = event === 'unhandled-rejection' || event === 'uncaught-exception';
  const what = err && !saysItself ? 'the turn failed' : msg;
  const which = attempt === undefined ? '' : `, attempt ${attempt}`;
  const from = takenOverFrom === undefined ? '' : `, from worker ${takenOverFrom}`;
  const next =
    event === 'turn-given-back' && retryInMs !== undefined ? `; again in ${(retryInMs / 1_000).toFixed(1)} s` : '';
  return `[${new Date(time).toTimeString().slice(0, 8)}] ${agent}: ${what}${next} (task ${task}${which}${from})`;
}

/** The error, and its causes from the outside in. */
function chainOf(error: LoggedError | string): LoggedError[] {
  if (typeof error === 'string') return [{ type: 'Error', message: error }];
  const { cause } = error;
  return [error, ...(cause === undefined ? [] : chainOf(cause))];
}

/** The first line of the author's code in the stacks. */
function placeIn(errors: readonly LoggedError[], folder: string): string[] {
  for (const { stack = '' } of errors) {
    const own = codeFrames(stack, folder).find(({ of }) => of === 'author');
    if (own) return [`  ${own.file}:${own.line}:${own.column}  ${sourceLine(own.path, own.line) ?? ''}`.trimEnd()];
  }
  return [];
}

const PLAIN = new Set(['Error', 'AgentError', 'RetryableError']);

function textOf({ type, message, code }: LoggedError): string {
  // Of systems, such as ECONNREFUSED: words are our own, for the advice to operators.
  const isNew = code !== undefined && !/[a-z]/.test(String(code)) && !message.includes(String(code));
  const known = isNew ? ` (${code})` : '';
  return `${PLAIN.has(type) ? '' : `${type}: `}${message}${known}`;
}
