import { TurnEnded, TurnMisuseError } from '@switchyard/agent';
import { MemoryTooLarge, TaskTooLarge, TooManyArtifacts, TooManyResults, TurnFenced } from '@switchyard/store';

/** Does something in the store, and translates its errors to those that agents know. */
export async function mapStoreErrors<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof TurnFenced) throw new TurnEnded();
    if (isMisuse(error)) throw new TurnMisuseError(error.message, { cause: error });
    throw error;
  }
}

function isMisuse(error: unknown): error is Error {
  return (
    error instanceof TooManyArtifacts ||
    error instanceof TaskTooLarge ||
    error instanceof TooManyResults ||
    error instanceof MemoryTooLarge
  );
}
