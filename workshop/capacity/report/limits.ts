import type { Figures } from '../figures/figures.ts';
import { busCores, coresOf, registryCores, workerCores } from '../plan/cores.ts';
import { defaultLoad, type Load } from '../plan/load.ts';
import { table } from './markdown.ts';

const WORKERS = 100;
const SHARDS = [1, 16, 64, 256] as const;
/** Connections of a worker to each master: its commands, and one for each queue of a shard (an agent, webhooks). */
const QUEUES = 2;

/** Where more of the same no longer helps. */
export function limitsTable(figures: Figures): string {
  const { utilisation } = defaultLoad;
  const one: Load = { ...defaultLoad, tasksPerSecond: 1 };
  return [
    table(
      ['what', 'most', 'why'],
      [
        [
          'tasks/s of one master',
          Math.floor(utilisation / coresOf('redis', figures, one)),
          'its one core: accept, complete',
        ],
        [
          'tasks/s of one Cluster, however large',
          Math.floor(utilisation / busCores(figures, one)),
          'every message goes to every node; at this rate nothing is left for the tasks themselves',
        ],
        [
          'workers of one deployment',
          Math.floor(utilisation / registryCores(figures)),
          'the registry is on one master; measured on an idle Redis, which wakes for each command: busy ones do better',
        ],
      ],
    ),
    table(
      [`SHARDS, ${WORKERS} idle workers with one agent`, 'of each worker', 'of each master', 'connections of a worker'],
      SHARDS.map((shards) => [
        `${shards}`,
        percent(workerIdleCores(figures, shards)),
        percent(WORKERS * workerCores(figures)),
        `${2 + QUEUES * shards}`,
      ]),
    ),
  ].join('\n\n');
}

function workerIdleCores({ idle }: Figures, shards: number): number {
  return (idle.worker.worker + (shards - 1) * idle.workerShard.worker) / 1_000_000;
}

const percent = (cores: number): string => `${Number((cores * 100).toPrecision(2))} % of a core`;
