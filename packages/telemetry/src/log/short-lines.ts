import { relative } from 'node:path';
import { z } from 'zod';

/** A log line whose text says it: of an agent, or about a worker that an agent blocks, or whose modules change. */
const lineSchema = z.object({
  time: z.number(),
  level: z.number(),
  event: z.enum([
    'agent-log',
    'worker-blocked',
    'worker-unblocked',
    'worker-ended-by-agent',
    'worker-died',
    'module-changed',
    'change-loaded',
  ]),
  msg: z.string(),
  agent: z.string().optional(),
  task: z.string().optional(),
  attempt: z.number().optional(),
  /** Of the agent. */
  fields: z.looseObject({}).optional(),
  path: z.string().optional(),
  code: z.string().optional(),
});
type Line = z.infer<typeof lineSchema>;

const levelWords: Readonly<Record<number, string>> = { 20: 'debug: ', 40: 'warning: ', 50: 'error: ' };

/**
 * Such a line for the author: the time, the text, what the agent logged with it, and the task.
 * @param folder of the agents
 * @returns undefined: the line says something else
 */
export function shortLine(json: string, folder: string): string | undefined {
  const { data } = lineSchema.safeParse(parse(json));
  return data && `[${new Date(data.time).toTimeString().slice(0, 8)}] ${textOf(data, folder)}`;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function textOf({ event, level, agent, msg, fields, path, code, ...turn }: Line, folder: string): string {
  const who = event === 'agent-log' ? `${agent ?? 'an agent'}: ${levelWords[level] ?? ''}` : '';
  const what = fields && Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : '';
  const about = [path && relative(folder, path), code && `code ${code}`, ...turnOf(turn)].filter(Boolean);
  return `${who}${msg}${what}${about.length > 0 ? ` (${about.join(', ')})` : ''}`;
}

function turnOf({ task, attempt = 1 }: Pick<Line, 'task' | 'attempt'>): string[] {
  if (task === undefined) return [];
  return [`task ${task}`, ...(attempt > 1 ? [`attempt ${attempt}`] : [])];
}
