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
    formatters: { log: logFields },
    mixin: () => ({ traceId: activeTraceId() }),
  };
  return destination ? pino(options, destination) : pino(options);
}

/**
 * Where a program's lines go: readable in a terminal, else as JSON. Nothing waits until they are written; what is left
 * is written when the process exits.
 */
export async function logOutput(out: { readonly fd: number; readonly isTTY?: boolean }): Promise<DestinationStream> {
  if (!out.isTTY) return pino.destination({ dest: out.fd, sync: false });
  const { terminalOutput } = await import('./terminal-output.ts');
  return terminalOutput(out.fd);
}
