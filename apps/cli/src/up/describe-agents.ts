import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { spawnGuarded } from '@switchyard/local';
import type { Environment } from '@switchyard/settings';
import { z } from 'zod';
import { workerProgram } from './programs.ts';

const agentsSchema = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    example: z.string().optional(),
    inputSchema: z.record(z.string(), z.unknown()).optional(),
  }),
);
type AgentSummary = z.infer<typeof agentsSchema>[number];

/** A program of ours has said why it failed. */
export class ProgramFailure extends Error {
  override readonly name = 'ProgramFailure';
  readonly exitCode: number;

  constructor(said: string, exitCode: number) {
    super(said);
    this.exitCode = exitCode;
  }
}

/**
 * The agents of the modules, in order.
 * @param say gets a line while a module does not come to its end
 * @throws {ProgramFailure} a module cannot be loaded; with file, line, column
 */
export async function describeAgents(
  modules: readonly string[],
  { env, say }: { readonly env: Environment; readonly say: (line: string) => void },
): Promise<readonly AgentSummary[]> {
  const child = await spawnGuarded(process.execPath, [workerProgram(), '--list', ...modules], { env: { ...env } });
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.startsWith('loading: ')) say(line);
  });
  const [out, problem, code] = await Promise.all([text(child.stdout), text(child.stderr), child.exited]);
  if (code !== 0) throw new ProgramFailure(problem.trim(), code);
  // The modules may print something first.
  return agentsSchema.parse(JSON.parse(out.trimEnd().split('\n').at(-1) ?? ''));
}
