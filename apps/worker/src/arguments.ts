import { parseArgs } from 'node:util';

export interface WorkerArguments {
  /** `--agents a.ts b.ts`, or `--agents a.ts --agents b.ts`. */
  readonly agentModules: readonly string[];
  /** `--watch`: a new worker takes over whenever a module of the agents changes. */
  readonly watch: boolean;
  /** `--watched`: this is such a worker, and tells its supervisor what it loads. */
  readonly isWatched: boolean;
}

/** @throws {TypeError} naming what is not understood */
export function readArguments(args: readonly string[]): WorkerArguments {
  const options = {
    agents: { type: 'string', multiple: true },
    watch: { type: 'boolean' },
    watched: { type: 'boolean' },
  } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const { agents = [], watch = false, watched = false } = values;
  return { agentModules: [...agents, ...positionals], watch, isWatched: watched };
}
