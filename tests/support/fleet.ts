import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Stack, startStack } from './stack.ts';

export interface FleetOptions {
  readonly redisUrl: string;
  /** Agents of each worker. */
  readonly agents: number;
  readonly shards: number;
  /** Default: 1. */
  readonly workers?: number;
}

/** Idle workers with many agents, as processes, without a gateway. Each agent completes its turns at once. */
export async function startFleet({ redisUrl, agents, shards, workers = 1 }: FleetOptions): Promise<Stack> {
  // The modules import packages of this repository.
  const build = fileURLToPath(new URL('../../build/', import.meta.url));
  await mkdir(build, { recursive: true });
  const folder = await mkdtemp(`${build}fleet-`);
  const modules = Array.from({ length: agents }, (_, n) => `${folder}/agent-${n}.ts`);
  await Promise.all(modules.map((file, n) => writeFile(file, moduleOf(`agent-${n}`))));
  try {
    return await startStack({ redisUrl, agents: modules, gateways: 0, workers, env: { SHARDS: String(shards) } });
  } finally {
    await rm(folder, { recursive: true });
  }
}

function moduleOf(id: string): string {
  return `import { defineAgent } from '@switchyard/agent';
export default defineAgent({
  id: '${id}',
  card: { name: '${id}', description: 'Completes at once.', version: '1.0.0', skills: [] },
  execute: (turn) => turn.complete('Done'),
});
`;
}
