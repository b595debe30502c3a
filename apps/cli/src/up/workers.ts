import { UsageError } from '@switchyard/settings';

/** On one machine. */
export const mostWorkers = 64;

/** How many `--workers` asks for. @throws {UsageError} */
export function countWorkers(given: string): number {
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= mostWorkers) return count;
  throw new UsageError(`--workers: must be a whole number from 1 to ${mostWorkers}`);
}

/** What each is called in the output. */
export function workerNames(count: number): readonly ('worker' | `worker ${number}`)[] {
  return count === 1 ? ['worker'] : Array.from({ length: count }, (_, i) => `worker ${i + 1}` as const);
}
