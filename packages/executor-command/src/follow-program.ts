import type { Turn } from '@switchyard/agent';
import { RetryableError, TurnInterruption } from '@switchyard/agent';
import { RefusedError } from '@switchyard/agent/runtime';
import { ProgramLost } from './guard.ts';
import { OutputUpdates } from './output-updates.ts';
import type { Program } from './program.ts';
import type { FullCommandSettings } from './settings.ts';

/** "Try again later" (sysexits.h): the exit code with which a program requests a retry. */
const temporaryFailure = 75;

/**
 * Streams the output of a program, until it has ended with exit code 0.
 * @throws {AgentError} if it fails or exceeds a limit
 * @throws {RetryableError} if it must be started again
 * @throws the reason of the turn's signal
 */
export async function followProgram(program: Program, turn: Turn, settings: FullCommandSettings): Promise<void> {
  using updates = new OutputUpdates(turn, { runId: program.claim.runId, everyMs: settings.updateEveryMs });
  using time = new TimeLimit(program.claim.startedAt, settings.timeoutMs);
  try {
    const signal = AbortSignal.any([turn.signal, time.signal]);
    for await (const chunk of program.output(updates.position, signal)) {
      const room = settings.outputLimitBytes - updates.position;
      updates.add(chunk.subarray(0, Math.max(room, 0)));
      if (chunk.length > room) throw tooMuch(settings);
    }
  } catch (error) {
    // Publishes the output so far; if that fails, the turn has the error already.
    await Promise.allSettled([updates.flush(), endProgram(program, error, settings)]);
    throw error instanceof ProgramLost ? new RetryableError('The program was interrupted.', { cause: error }) : error;
  }
  await updates.flush();
  await checkExit(program);
}

/** Ends the program, unless another attempt takes it over. */
async function endProgram(program: Program, error: unknown, settings: FullCommandSettings): Promise<void> {
  if (error instanceof ProgramLost) return program.discard();
  const goesOn = error instanceof TurnInterruption && (error.kind === 'shutdown' || error.kind === 'taken-over');
  if (!goesOn || settings.orphanTimeoutMs === 0) await program.stop(settings.killAfterMs);
}

async function checkExit(program: Program): Promise<void> {
  const code = await program.exitCode();
  if (code === 0) return;
  if (code !== undefined && code !== temporaryFailure) throw failed(code);
  await program.discard();
  throw new RetryableError(code ? 'The program asked to be run again later.' : 'The program was interrupted.');
}

function failed(code: number): RefusedError {
  const isMissing = code === 126 || code === 127;
  const text = isMissing
    ? `The program could not be started (exit code ${code}).`
    : code > 128
      ? `The program was ended by signal ${code - 128}.`
      : `The program failed with exit code ${code}.`;
  return new RefusedError('program-failed', text, isMissing ? { code: 'not-started' } : {});
}

function tooMuch({ outputLimitBytes }: FullCommandSettings): RefusedError {
  const text = `The program wrote more than ${outputLimitBytes} bytes and was stopped.`;
  return new RefusedError('program-failed', text, { code: 'limit' });
}

/** Counts from the start of the program, whichever attempt started it. */
class TimeLimit implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(startedAt: number, timeoutMs: number) {
    const text = `The program did not finish within ${timeoutMs / 1000} s and was stopped.`;
    const error = new RefusedError('program-failed', text, { code: 'limit' });
    this.#timer = setTimeout(() => this.#controller.abort(error), Math.max(startedAt + timeoutMs - Date.now(), 0));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
