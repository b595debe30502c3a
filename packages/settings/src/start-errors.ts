import { UsageError, WRONG_USAGE } from './command-line.ts';
import { SettingsError } from './read-settings.ts';

/** Errors of a program that its user can fix: they are printed without a stack. */
export interface KnownError {
  readonly is: (error: Error) => boolean;
  readonly code: `SWITCHYARD_ERR_${string}`;
  /** What to do. */
  readonly hint?: string;
}

/** Why a program does not start, as every command prints it, and its exit code. */
export interface StartFailure {
  readonly text: string;
  readonly exitCode: number;
}

/** @param command as the user types it: `switchyard worker` */
export function startFailure(
  error: unknown,
  { command, known }: { readonly command: string; readonly known: readonly KnownError[] },
): StartFailure {
  const help = `${command} --help`;
  if (error instanceof UsageError)
    return wrong({ code: 'A2ACLI_ERR_USAGE', reason: error.message, hint: error.hint || help });
  if (error instanceof SettingsError)
    return wrong({ code: 'A2ACLI_ERR_USAGE', reason: error.message, hint: `${help} lists every setting` });
  const kind = error instanceof Error ? known.find(({ is }) => is(error)) : undefined;
  const words = error instanceof Error ? ((kind ? error.message : error.stack) ?? error.message) : String(error);
  return {
    text: failureText({ code: kind?.code ?? 'A2ACLI_ERR_INTERNAL', reason: words, hint: kind?.hint }),
    exitCode: 1,
  };
}

/** The port is in use, or may not be opened. */
export const portError: KnownError = {
  is: (error) => 'syscall' in error && error.syscall === 'listen',
  code: 'SWITCHYARD_ERR_PORT',
  hint: 'end the program that has the port, or choose another one: PORT, GRPC_PORT, ADMIN_PORT, METRICS_PORT',
};

interface StartProblem {
  readonly code: string;
  readonly reason: string;
  readonly hint?: string | undefined;
}

function wrong(failure: StartProblem): StartFailure {
  return { text: failureText(failure), exitCode: WRONG_USAGE };
}

function failureText({ code, reason, hint }: StartProblem): string {
  return `Error: ${code}\nReason: ${reason}\n${hint ? `Hint: ${hint}\n` : ''}`;
}
