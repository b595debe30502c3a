import { resolve } from 'node:path';

/**
 * vitest global set-up: Node caches compiled code for vitest's workers and the programs that they start. Compiling is
 * half of the processor time of starting a gateway or worker.
 */
export function setup(): void {
  process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/switchyard');
}
