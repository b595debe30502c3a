import { visible } from '@switchyard/settings/terminal';
import type { Command } from 'commander';
import { z } from 'zod';
import { dataFolderOf } from '../data-folder/data-folder.ts';
import { type LogFiles, logFilesIn } from '../data-folder/log-files.ts';
import { CommandFailure } from '../failures/failure.ts';
import { Output } from '../output/output.ts';
import { type Invocation, openSession } from '../session/session.ts';
import { logLines } from './log-lines.ts';

/** As pino numbers them. */
const levels = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 } as const;

const lineSchema = z.looseObject({
  level: z.number(),
  time: z.number(),
  process: z.string(),
  task: z.string().optional(),
  /** Of the audit trail: a task or something else. */
  object: z.string().optional(),
});
type Line = z.infer<typeof lineSchema>;

interface LogOptions {
  readonly task?: string;
  readonly follow?: boolean;
  readonly level?: string;
}

/** `logs`: what `switchyard up` or `npm start` in this folder has logged. */
export function addLogsCommand(program: Command, invocation: Invocation): void {
  program
    .command('logs')
    .description('print what switchyard up has logged in this folder')
    .option('--task <id>', 'only lines about this task')
    .option('--level <level>', `only this level and above: ${Object.keys(levels).join(', ')}`)
    .option('-f, --follow', 'go on with later lines, until Ctrl-C')
    .action((options: LogOptions, command: Command) => printLogs(invocation, command, options));
}

async function printLogs(invocation: Invocation, command: Command, options: LogOptions): Promise<void> {
  const { call, options: general } = await openSession(invocation, command);
  const isFollowed = options.follow === true;
  const output = new Output(invocation.streams, { ...general, stream: isFollowed });
  const isWanted = filterOf(options);
  const print = await printerOf(invocation, output);
  const lines: Line[] = [];
  for await (const line of parsedLines(logFilesIn(dataFolderOf(invocation)), { isFollowed, signal: call.signal })) {
    if (!isWanted(line)) continue;
    if (output.isJson && !isFollowed) lines.push(line);
    else output.result(line, () => print(line));
  }
  if (output.isJson && !isFollowed) output.result({ lines }, () => '');
}

/** @throws {CommandFailure} */
function filterOf({ task, level }: LogOptions): (line: Line) => boolean {
  const isLevel = (name: string): name is keyof typeof levels => Object.hasOwn(levels, name);
  if (level !== undefined && !isLevel(level))
    throw new CommandFailure('A2ACLI_ERR_USAGE', `--level ${level}: there are ${Object.keys(levels).join(', ')}`);
  const least = level === undefined ? 0 : levels[level];
  return (line) => line.level >= least && (task === undefined || line.task === task || line.object === task);
}

/** What is no whole line is left out: a process was killed while it wrote it. */
async function* parsedLines(files: LogFiles, following: Parameters<typeof logLines>[1]): AsyncGenerator<Line> {
  try {
    for await (const text of logLines(files, following)) {
      const line = parsed(text);
      if (line) yield line;
    }
  } catch (error) {
    throw isMissing(error) ? noLog(files) : unreadable(files, error);
  }
}

function parsed(text: string): Line | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

function unreadable({ current }: LogFiles, error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  return new CommandFailure('SWITCHYARD_ERR_NO_LOG', `The log ${current} cannot be read: ${error.message}`, {
    hint: 'It is for the user who runs switchyard up or npm start.',
    cause: error,
  });
}

function noLog({ current }: LogFiles): CommandFailure {
  return new CommandFailure(
    'SWITCHYARD_ERR_NO_LOG',
    `There is no ${current}: switchyard up has not run in this folder`,
    {
      hint:
        'Gateways and workers of a deployment write their lines to standard output: ' +
        'look where what runs them keeps it, such as docker logs, kubectl logs or journalctl (docs/logs.md).',
    },
  );
}

/** JSON needs no reader of lines. */
async function printerOf({ folder }: Invocation, { isJson }: Output): Promise<(line: Line) => string> {
  if (isJson) return () => '';
  const { readableLines } = await import('@switchyard/telemetry/readable-lines');
  const readable = readableLines({ isColored: false, folder });
  return ({ process: name, ...line }) => {
    const text = readable(JSON.stringify(line)).trimEnd().split('\n');
    return text.map((each) => `${visible(name).padEnd(nameWidth)} │ ${visible(each)}\n`).join('');
  };
}

const nameWidth = 'switchyard'.length;
