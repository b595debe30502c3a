import { createRequire } from 'node:module';

/**
 * The versions whose keys the scripts of this folder use: `queue-scripts.test.ts` compares them with BullMQ's own
 * scripts.
 */
const KNOWN = /^6\.7\./;

const { version: installed }: { version: string } = createRequire(import.meta.url)('bullmq/package.json');

/** Why the installed BullMQ cannot be used: another version may store jobs in another way. Undefined if it can. */
export function bullmqProblem(version = installed): string | undefined {
  if (KNOWN.test(version)) return undefined;
  return `BullMQ ${version} is installed, and this store knows the keys of 6.7: install that version.`;
}
