import { type DestinationStream, type Level, type LevelWithSilent, type Logger, pino } from 'pino';
import { activeTraceId } from '../traces/propagation.ts';
import { errorFieldsWithout } from './agent-line.ts';
import { logFields } from './log-fields.ts';

export interface LogOptions {
  readonly app: 'gateway' | 'worker';
  readonly level: LevelWithSilent;
  /** Values that no error in the log has. */
  readonly secrets?: readonly string[];
}

/** The level and text of an event's log line. */
export type Line = readonly [level: Level, text: string];

/** The log of a program: JSON lines to `destination`, by default standard output. */
export function createLog({ app, level, secrets = [] }: LogOptions, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { app, pid: process.pid },
    serializers: { err: (error: unknown) => errorFieldsWithout(secrets, error) },
    formatters: { log: (given: Record<string, unknown>) => logFields(given, activeTraceId()) },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Lines are written in batches: a write per line would wake up the reader each time, which slows a busy program. */
const FLUSH_MS = 100;
const BATCH_BYTES = 48 * 1024; // a pipe holds 64 KiB
/** If the reader stops reading, more lines than this are dropped. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
const WARN = pino.levels.values.warn ?? 0;

/** `auto`: text in a terminal, otherwise JSON. */
export type LogFormat = 'auto' | 'text' | 'json';

/**
 * The destination of a program's log. Writing JSON never blocks the program: warnings and errors are written at once,
 * other lines within 100 ms or when the process exits.
 */
export async function logOutput(
  { fd, isTTY = false }: { readonly fd: number; readonly isTTY?: boolean },
  format: LogFormat,
): Promise<DestinationStream> {
  if (format === 'json' || (format === 'auto' && !isTTY)) return batchedOutput(fd);
  const { textOutput } = await import('./text-output.ts');
  return textOutput(fd, isTTY);
}

function batchedOutput(fd: number): DestinationStream {
  const output = pino.destination({
    dest: fd,
    sync: false,
    minLength: BATCH_BYTES,
    maxWrite: 2 * BATCH_BYTES,
    maxLength: MAX_BUFFERED_BYTES,
    periodicFlush: FLUSH_MS,
  });
  return {
    // Makes pino set `lastLevel` before each line.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string): void {
      output.write(line);
      if (this.lastLevel >= WARN) output.flush();
    },
  } as DestinationStream & { lastLevel: number };
}
