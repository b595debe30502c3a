import { TurnEnded, TurnMisuseError } from '@switchyard/agent';
import { MemoryTooLarge, TaskTooLarge, TooManyArtifacts, TooManyResults, TurnFenced } from '@switchyard/store';

/** Maps errors of the store to those of the agent's API. @param call of the store */
export async function mapStoreErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
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
