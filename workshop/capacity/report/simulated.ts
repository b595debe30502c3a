import type { CapacityFile } from '../figures/file.ts';
import type { Outcome } from '../simulation/outcome.ts';
import { peak, type ScenarioName, scenarioNames } from '../simulation/scenarios.ts';
import { table } from './markdown.ts';

/** What simulations came to, in a table. */
export function simulatedTable({ peak: perSecond, simulations }: CapacityFile): string {
  const rows = Object.entries(simulations).map(([name, outcome]) => row(scenarioNames[name as ScenarioName], outcome));
  return [
    `**Simulated** with the figures above: ${(perSecond / 5).toLocaleString('en')} tasks/s, ${perSecond.toLocaleString('en')} for the ${peak.to - peak.from} s of a peak, and ${(perSecond / 5).toLocaleString('en')} again:`,
    table(
      [
        'workers',
        'accept p50',
        'p99',
        'longest',
        'answered 503',
        'most jobs waiting',
        'all well again',
        'workers used',
        'changes',
        'busiest master',
      ],
      rows,
    ),
  ].join('\n\n');
}

function row(name: string, outcome: Outcome): string[] {
  const { acceptP50, acceptP99, refused, mostWaiting, recovery, leastWorkers, mostWorkers, changes, busiestShard } =
    outcome;
  return [
    name,
    time(acceptP50),
    time(acceptP99),
    time(outcome.acceptLongest),
    `${(refused * 100).toFixed(2)} %`,
    mostWaiting.toLocaleString('en'),
    recovery === undefined ? 'not within 4 minutes' : recovery === 0 ? 'at once' : `after ${recovery} s`,
    leastWorkers === mostWorkers ? `${mostWorkers}` : `${leastWorkers} to ${mostWorkers}`,
    `${changes}`,
    `${Math.round(busiestShard * 100)} %`,
  ];
}

function time(seconds: number): string {
  const [value, unit] = seconds < 1 ? [seconds * 1_000, 'ms'] : [seconds, 's'];
  return `${Number(value.toPrecision(2))} ${unit}`;
}
