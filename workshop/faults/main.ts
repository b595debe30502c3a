import { readCommandLine } from '../../tests/support/command-line.ts';
import { type ChaosReport, runChaos } from './chaos/run-chaos.ts';
import { type FailOverOptions, type FailOverReport, measureFailOver } from './fail-over/measure-fail-over.ts';
import { measureRecovery } from './recovery/measure-recovery.ts';
import { type Spread, seconds, table } from './report/table.ts';
import { type FaultKind, faultKinds } from './report/tally.ts';
import { startCluster } from './support/cluster.ts';
import type { RedisDeployment } from './support/deployment.ts';
import { startSentinel } from './support/sentinel.ts';

/** Progress on standard error, the table on standard output; exit code 1 if any cell of it is not what it must be. */
const { counts } = readCommandLine({
  usage: `npm run faults [-- --tasks 10000 --deeds 90 --fail-overs 20 --clients 60 --seed <n>]
  A quarter of an hour: gateways, workers and Redis are killed, stopped, frozen and cut off under load; seven deeds in ten are kills.`,
  counts: { tasks: 10_000, deeds: 90, 'fail-overs': 20, clients: 60, seed: Date.now() % 100_000 },
});
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const RECOVERY_BAR_MS = 5_000;
const OUTAGE_BAR_MS = 6_000;
/** It keeps its connections: clients must find out by themselves that it is another's turn. */
const FREEZE_BAR_MS = 10_000;

say(`seed ${counts.seed}`);
const chaos = await runChaos({
  tasks: counts.tasks,
  deeds: counts.deeds,
  seed: counts.seed,
  clients: counts.clients,
  pauseMs: [2_000, 6_000],
  retentionMs: 45_000,
  say,
});
process.stdout.write(`\n${chaosTable(chaos)}\n`);
for (const example of chaos.tally.examples(20)) say(example);
say('recovery from kill -9 of a worker');
const recovery = await measureRecovery({ rounds: 6, tasks: 20 });
const rounds = counts['fail-overs'];
const frozen = { how: 'freeze', waitReplicas: 1, barMs: FREEZE_BAR_MS } as const;
const trials = [
  await failOvers('Cluster', startCluster, { rounds, how: 'kill' }),
  await failOvers('Cluster, frozen, WAIT_REPLICAS=1', startCluster, { rounds: Math.min(rounds, 5), ...frozen }),
  await failOvers('Sentinel', startSentinel, { rounds: Math.min(rounds, 2), how: 'kill' }),
];

process.stdout.write(`\n${figures(recovery, trials)}\n`);
if (!isGood()) process.exitCode = 1;

interface Trial extends FailOverReport {
  readonly name: string;
  readonly barMs: number;
}

async function failOvers(
  name: string,
  start: () => Promise<RedisDeployment>,
  { barMs = OUTAGE_BAR_MS, ...options }: Omit<FailOverOptions, 'say'> & { readonly barMs?: number },
): Promise<Trial> {
  say(`fail-overs: ${name}`);
  await using deployment = await start();
  return { name, barMs, ...(await measureFailOver(deployment, { ...options, say })) };
}

function chaosTable({ tally, tasks, deeds, resumedStreams, hasPushes, seconds: took }: ChaosReport): string {
  const total = Object.values(deeds).reduce((sum, count) => sum + count, 0);
  const title = `${tasks} tasks, ${total} deeds, ${resumedStreams} streams resumed, ${took} s, seed ${counts.seed}`;
  const kinds = Object.keys(faultKinds) as FaultKind[];
  const done = Object.entries(deeds).map(([deed, count]): [string, number] => [`  ${deed}`, count]);
  const cell = (kind: FaultKind): string | number =>
    kind === 'pushes' && !hasPushes ? 'not served' : tally.count(kind);
  return table(title, [...kinds.map((kind): [string, string | number] => [faultKinds[kind], cell(kind)]), ...done]);
}

function figures(worker: Spread, done: readonly Trial[]): string {
  return table('measured', [
    ['worker killed until its turns run elsewhere, median', seconds(worker.median)],
    [`… worst (bar ${seconds(RECOVERY_BAR_MS)})`, seconds(worker.worst)],
    ...done.flatMap(({ name, barMs, ...report }): [string, string | number][] => [
      [`${name}: worst outage in ${report.rounds} fail-overs (bar ${seconds(barMs)})`, seconds(report.worstOutageMs)],
      [`${name}: acknowledged and lost, of ${report.requests}`, report.lost.length],
      [`${name}: webhooks not told everything, in order`, report.untold.length],
      [`${name}: wedged workers`, report.wedged],
    ]),
  ]);
}

function isGood(): boolean {
  const isHeld = ({ worstOutageMs, barMs, lost, untold, wedged }: Trial): boolean =>
    worstOutageMs < barMs && lost.length === 0 && untold.length === 0 && wedged === 0;
  return chaos.tally.isClean && recovery.worst < RECOVERY_BAR_MS && trials.every(isHeld);
}
