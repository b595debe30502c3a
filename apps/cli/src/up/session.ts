import type { Environment } from '@switchyard/settings';
import { listenToStopSignals, type StopSignals } from './stop-signals.ts';
import { openTerminal, type Terminal } from './terminal.ts';

export interface Session {
  readonly terminal: Terminal;
  readonly signals: StopSignals;
  readonly environment: Environment;
}

/** Runs a command in this terminal. Errors are printed without a stack, and the exit code is 1. */
export async function runSession(own: NodeJS.Process, run: (session: Session) => Promise<void>): Promise<void> {
  using signals = listenToStopSignals(own);
  // In `npm start | head` the output is closed: everything stops.
  const terminal = openTerminal(own.stdout, signals.stop);
  try {
    await run({ terminal, signals, environment: own.env });
  } catch (error) {
    terminal.say('switchyard', error instanceof Error ? error.message : String(error));
    own.exitCode = 1;
  }
}
