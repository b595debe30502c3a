import { number } from '../../bench/report/table.ts';
import type { Figures } from '../figures/figures.ts';
import { busCores, used } from '../plan/cores.ts';
import { defaultLoad, type Load } from '../plan/load.ts';
import { memoryBytes } from '../plan/memory.ts';
import { type Plan, planFor } from '../plan/plan.ts';
import { limitsTable } from './limits.ts';
import { bytes, table } from './markdown.ts';

/** Loads that the page speaks of. */
const loads: Readonly<Record<string, Partial<Load>>> = {
  '1,000 tasks/s': { tasksPerSecond: 1_000 },
  '10,000 tasks/s': { tasksPerSecond: 10_000 },
  '100,000 tasks/s': { tasksPerSecond: 100_000 },
  '1,000 models that speak: 50,000 chunks/s': { chunksPerSecond: 50_000, openStreams: 1_000 },
  '1,000,000 open streams, silent': { openStreams: 1_000_000 },
  '100,000 polls/s, unchanged': { pollsPerSecond: 100_000 },
};
const HOUR = 3_600;

/** What follows from the figures, in tables. */
export function computedTables(figures: Figures): string {
  const { utilisation, turnSeconds, concurrency, replicas } = defaultLoad;
  const plans = Object.entries(loads).map(([name, load]): [string, Load] => [name, { ...defaultLoad, ...load }]);
  return [
    `**Computed**: what one of each carries, its core used to ${utilisation * 100} %:`,
    oneOfEach(figures),
    `**Computed**: how many it takes, at ${utilisation * 100} %; turns of ${turnSeconds} s, ${concurrency} at once in a worker, ${replicas} replica for each master:`,
    table(
      planHead,
      plans.map(([name, load]) => planRow(name, figures, load)),
    ),
    '**Computed**: what the masters keep, and write to their files, all together:',
    table(
      [
        'load',
        'kept for an hour',
        'kept for 7 days',
        'written',
        'messages published',
        'of that, on each master of a Cluster',
      ],
      plans.map(([name, load]) => [
        name,
        bytes(memoryBytes(figures, { ...load, retentionSeconds: HOUR })),
        bytes(memoryBytes(figures, { ...load, retentionSeconds: 7 * 24 * HOUR })),
        `${bytes(planFor(figures, load).fileBytes)}/s`,
        `${number(used('published', figures, load))}/s`,
        `${Math.round(busCores(figures, load) * 100)} % of its core`,
      ]),
    ),
    '**Computed**: where it ends:',
    limitsTable(figures),
  ].join('\n\n');
}

function oneOfEach({ operations }: Figures): string {
  const { accept, complete, wait, poll, chunk } = operations;
  const rate = (micros: number): number => (defaultLoad.utilisation * 1_000_000) / micros;
  return table(
    ['of', 'tasks/s, answered at once', 'tasks/s, waited for', 'polls/s', 'chunks/s'],
    [
      ['a gateway', rate(accept.gateway), rate(accept.gateway + wait.gateway), rate(poll.gateway), rate(chunk.gateway)],
      ['a worker', rate(complete.worker), rate(complete.worker), undefined, rate(chunk.worker)],
      [
        'a master of Redis',
        rate(accept.redis + complete.redis),
        rate(accept.redis + complete.redis + wait.redis),
        rate(poll.redis),
        rate(chunk.redis),
      ],
    ],
  );
}

const planHead = [
  'load',
  'gateways',
  'workers',
  'masters of one Cluster',
  'with sharded pub/sub',
  'deployments × masters, 16 at most',
];

function planRow(name: string, figures: Figures, load: Load): (string | number | undefined)[] {
  const { gateways, workers, masters, mastersIfSharded, deployments } = planFor(figures, load);
  return [
    name,
    `${gateways.count}${reason(gateways)}`,
    load.tasksPerSecond || load.chunksPerSecond ? `${workers.count}${reason(workers)}` : undefined,
    masters ?? 'none is enough',
    mastersIfSharded ?? 'none is enough',
    deployments && `${deployments.count} × ${deployments.masters}`,
  ];
}

/** The processor decides where nothing else does. */
const reason = ({ decidedBy }: Plan['gateways']): string => (decidedBy === 'processor' ? '' : ` (${decidedBy})`);

/** One load as its options say. */
export function planTable(figures: Figures, load: Load): string {
  const { memoryBytes: kept, fileBytes } = planFor(figures, load);
  return `${table(
    [...planHead, 'kept in Redis', 'written'],
    [[...planRow('as asked', figures, load), bytes(kept), `${bytes(fileBytes)}/s`]],
  )}`;
}
