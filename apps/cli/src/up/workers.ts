import { UsageError } from '@switchyard/settings';

/** Maximum on one machine. */
export const maxWorkers = 64;

/** The number in `--workers`. @throws {UsageError} */
export function countWorkers(given: string): number {
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= maxWorkers) return count;
  throw new UsageError(`--workers: must be a whole number from 1 to ${maxWorkers}`, 'switchyard up --help');
}

/** The names of the workers in the output. */
export function workerNames(count: number): readonly ('worker' | `worker ${number}`)[] {
  return count === 1 ? ['worker'] : Array.from({ length: count }, (_, i) => `worker ${i + 1}` as const);
}
