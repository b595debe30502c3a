import { type Environment, UsageError, usageErrorText, WRONG_USAGE } from '@switchyard/settings';
import { listenToStopSignals, type StopSignals } from './stop-signals.ts';
import { openTerminal, type Terminal } from './terminal.ts';

export interface Session {
  readonly terminal: Terminal;
  readonly signals: StopSignals;
  readonly environment: Environment;
  /**
   * Call it when parts run that must be stopped in order. Until then, whatever it waits for, a signal ends this process
   * at once, and its child processes with it.
   */
  readonly onRunning: () => void;
}

/** Runs a command in this terminal. Errors are printed without a stack; the exit code is 1, or 2 for wrong usage. */
export async function runSession(own: NodeJS.Process, run: (session: Session) => Promise<void>): Promise<void> {
  using signals = listenToStopSignals(own);
  const end = (): void => own.exit();
  signals.stopped.addEventListener('abort', end);
  const onRunning = (): void => signals.stopped.removeEventListener('abort', end);
  // In `npm start | head` the output is closed: everything stops.
  const terminal = openTerminal(own.stdout, signals.stop);
  try {
    await run({ terminal, signals, environment: own.env, onRunning });
  } catch (error) {
    own.exitCode = error instanceof UsageError ? WRONG_USAGE : 1;
    if (error instanceof UsageError) own.stderr.write(usageErrorText(error));
    else terminal.say('switchyard', error instanceof Error ? error.message : String(error));
  }
  // What is still open, such as a pipe of a process that cannot be killed, must not keep the terminal.
  own.exit();
}
