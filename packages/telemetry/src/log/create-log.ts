import { type DestinationStream, type Level, type LevelWithSilent, type Logger, pino } from 'pino';
import { activeTraceId } from '../traces/propagation.ts';
import { errorFields } from './error-fields.ts';
import { logFields } from './log-fields.ts';

export interface LogOptions {
  readonly app: 'gateway' | 'worker';
  readonly level: LevelWithSilent;
}

/** How serious an event is, and what it says to people. */
export type Line = readonly [level: Level, text: string];

/** The log of a program: JSON lines on standard output, or to `destination`. */
export function createLog({ app, level }: LogOptions, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { app, pid: process.pid },
    serializers: { err: errorFields },
    formatters: { log: (given: Record<string, unknown>) => logFields(given, activeTraceId()) },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Lines are written together: a write for each would wake up their reader for each, which a busy program pays for. */
const FLUSH_MS = 100;
const BATCH_BYTES = 8 * 1024;
/** What a reader that has stopped reading leaves unwritten at most: later lines are lost. */
const MOST_UNWRITTEN_BYTES = 16 * 1024 * 1024;
const WARN = pino.levels.values.warn ?? 0;

/**
 * Where a program's lines go: readable in a terminal, else as JSON. Nothing waits until they are written. Warnings and
 * errors are written at once, others within 100 ms, and what is left when the process exits.
 */
export async function logOutput(out: { readonly fd: number; readonly isTTY?: boolean }): Promise<DestinationStream> {
  if (!out.isTTY) return batchedOutput(out.fd);
  const { terminalOutput } = await import('./terminal-output.ts');
  return terminalOutput(out.fd);
}

function batchedOutput(fd: number): DestinationStream {
  const output = pino.destination({
    dest: fd,
    sync: false,
    minLength: BATCH_BYTES,
    maxLength: MOST_UNWRITTEN_BYTES,
    periodicFlush: FLUSH_MS,
  });
  return {
    // With it pino says the level of each line.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string): void {
      output.write(line);
      if (this.lastLevel >= WARN) output.flush();
    },
  } as DestinationStream & { lastLevel: number };
}
