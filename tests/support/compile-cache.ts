import { resolve } from 'node:path';

/**
 * vitest global set-up: Node keeps the code that it has compiled, for the workers of vitest and the programs that they
 * start. Half of the processor time of starting a gateway or worker is compiling.
 */
export function setup(): void {
  process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/switchyard');
}
