import { type Environment, SettingsError, startFailure, UsageError } from '@switchyard/settings';
import { ProgramFailure } from './describe-agents.ts';
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
    own.exitCode = tell(error, { own, terminal });
  }
  // What is still open, such as a pipe of a process that cannot be killed, must not keep the terminal.
  own.exit();
}

/** @returns the exit code */
function tell(error: unknown, { own, terminal }: { own: NodeJS.Process; terminal: Terminal }): number {
  if (error instanceof ProgramFailure) {
    own.stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
  if (error instanceof UsageError || error instanceof SettingsError) {
    const { text, exitCode } = startFailure(error, { command: 'switchyard up', known: [] });
    own.stderr.write(text);
    return exitCode;
  }
  terminal.say('switchyard', error instanceof Error ? error.message : String(error));
  return 1;
}
