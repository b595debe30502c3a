import { listenToStopSignals, type StopSignals } from './stop-signals.ts';
import { openTerminal, type Terminal } from './terminal.ts';

export interface Session {
  readonly terminal: Terminal;
  readonly signals: StopSignals;
}

/** Runs one of our commands in this terminal. What it throws is printed without a stack, and the exit code is 1. */
export async function runSession(run: (session: Session) => Promise<void>): Promise<void> {
  using signals = listenToStopSignals();
  // In `npm start | head` the output closes: everything stops.
  const terminal = openTerminal(process.stdout, signals.stop);
  try {
    await run({ terminal, signals });
  } catch (error) {
    terminal.say('switchyard', error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
