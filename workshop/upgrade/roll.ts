import type { Program } from '../../tests/support/process.ts';
import type { Stack } from '../../tests/support/stack.ts';

/** The folder of its checkout. */
export type Release = string;
export type Part = 'gateways' | 'workers';

/** In this order; the programs of a part one after the other. */
export interface Roll {
  readonly name: string;
  readonly to: Release;
  readonly order: readonly [Part, Part];
}

/** There, back and there again: each release's gateways have had the other one's workers. */
export function rollsBetween(before: Release, after: Release): readonly Roll[] {
  return [
    { name: 'new gateways, then new workers', to: after, order: ['gateways', 'workers'] },
    { name: 'back: old workers, then old gateways', to: before, order: ['workers', 'gateways'] },
    { name: 'new workers, then new gateways', to: after, order: ['workers', 'gateways'] },
  ];
}

/** Replaces all programs. Each is asked to stop, with what it has open, once its successor works. */
export async function roll(stack: Stack, { to, order }: Roll, onStop: (program: Program) => void): Promise<void> {
  for (const part of order)
    for (const old of [...stack[part]]) {
      if (part === 'gateways') await stack.addGateway(0, to);
      else await stack.addWorker(to);
      await stack.untilReady();
      onStop(old);
      old.kill('SIGTERM');
      const code = await old.exited;
      if (code !== 0) throw new Error(`a program of ${part} ended with ${code}: ${old.output().slice(-2_000)}`);
    }
}
