import { count, readCommandLine } from '../options.ts';
import { quantile } from '../statistics/quantile.ts';
import { textTable } from '../tables/text-table.ts';
import { everything, loneWorker, lossyFailOvers, type Phase } from './chaos/phases.ts';
import { type ChaosReport, runChaos } from './chaos/run-chaos.ts';
import { startCluster } from './redis/cluster.ts';
import type { RedisDeployment } from './redis/deployment.ts';
import { startSentinel } from './redis/sentinel.ts';
import { measureLostData } from './trials/lost-data.ts';
import { type FailOverOptions, measureFailOver } from './trials/measure-fail-over.ts';
import { measureRecovery } from './trials/measure-recovery.ts';
import { measurePoisons } from './trials/poisons.ts';
import { guarantees } from './workload/violations.ts';

/** Progress on standard error, tables on standard output; exit code 1 if a guarantee or a bar is broken. */
const { options, names } = readCommandLine({
  usage: `npm run faults [-- options] [chaos] [trials]
  Half an hour: gateways, workers, Redis, its disk, its data and the network between them fail under load, in
  every way that is listed in workshop/faults/inject; then fail-overs, lost data and poisons are measured one by one.`,
  options: {
    tasks: count({ what: 'at least, under every fault', fallback: '10000' }),
    faults: count({ what: 'of every kind, and some more of outages and lossy fail-overs', fallback: '96' }),
    failOvers: count({ what: 'of a Cluster', fallback: '20' }),
    clients: count({ what: 'at the same time', fallback: '60' }),
    seed: count({ what: 'the same seed, the same faults and scenarios', fallback: `${Date.now() % 100_000}` }),
  },
  names: ['chaos', 'trials'],
});
const log = (line: string): void => void process.stderr.write(`${line}\n`);
const wants = (part: string): boolean => names.length === 0 || names.includes(part);
const RECOVERY_BAR_MS = 5_000;
const OUTAGE_BAR_MS = 6_000;
/** It keeps its connections: clients must find out by themselves that another one has taken over. */
const FREEZE_BAR_MS = 10_000;
const LOST_DATA_BAR_MS = 10_000;
let isGood = true;

log(`seed ${options.seed}`);
if (wants('chaos')) {
  const { tasks, faults } = options;
  await chaos(everything, { tasks, count: faults });
  await chaos(loneWorker, { tasks: Math.ceil(tasks / 20), count: Math.ceil(faults / 16) });
  await chaos(lossyFailOvers, { tasks: Math.ceil(tasks / 10), count: Math.ceil(faults / 8) });
}
if (wants('trials')) {
  const rows = [...(await recoveryRows()), ...(await lostDataRows()), ...(await poisonRows())];
  const rounds = options.failOvers;
  const few = Math.min(rounds, 2);
  rows.push(
    ...(await failOverRows('Cluster', startCluster, { rounds, how: 'kill' })),
    ...(await failOverRows('Cluster', startCluster, { rounds: Math.min(rounds, 5), how: 'freeze', waitReplicas: 1 })),
    ...(await failOverRows('Sentinel', startSentinel, { rounds: few, how: 'kill' })),
    ...(await failOverRows('Sentinel', startSentinel, { rounds: few, how: 'freeze', waitReplicas: 1 })),
    ...(await failOverRows('Sentinel', startSentinel, { rounds: few, how: 'partition', waitReplicas: 1 })),
  );
  process.stdout.write(`\n${textTable(['measured', ''], rows)}\n`);
}
if (!isGood) process.exitCode = 1;

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;
type Row = readonly [what: string, value: string | number];

async function chaos(phase: Phase, size: { readonly tasks: number; readonly count: number }): Promise<void> {
  log(phase.name);
  const { clients, seed } = options;
  const report = await runChaos({
    ...phase,
    ...size,
    seed,
    clients,
    pauseMs: [1_000, 4_000],
    retentionMs: 45_000,
    log,
  });
  process.stdout.write(`\n${chaosTable(phase, report)}\n`);
  for (const { kind, what } of report.violations.slice(0, 20)) log(`${kind}: ${what}`);
  isGood &&= report.violations.length === 0;
}

function chaosTable(
  { name }: Phase,
  { violations, tasks, faults, resumedStreams, seconds: took }: ChaosReport,
): string {
  const total = Object.values(faults).reduce((sum, count) => sum + count, 0);
  const title = `${name}: ${tasks} tasks, ${total} faults, ${resumedStreams} streams resumed, ${took} s, seed ${options.seed}`;
  const found = Object.entries(guarantees).map(
    ([guarantee, words]): Row => [words, violations.filter(({ kind }) => kind === guarantee).length],
  );
  const injected = Object.entries(faults).map(([fault, count]): Row => [`  ${fault}`, count]);
  return textTable([title, ''], [...found, ...injected]);
}

async function recoveryRows(): Promise<Row[]> {
  log('recovery from kill -9 of a worker');
  const measured = await measureRecovery({ rounds: 6, tasks: 20 });
  const worst = quantile(measured, 1);
  isGood &&= worst < RECOVERY_BAR_MS;
  return [
    ['worker killed until its turns run elsewhere, median', seconds(quantile(measured, 0.5))],
    [`… worst (bar ${seconds(RECOVERY_BAR_MS)})`, seconds(worst)],
  ];
}

async function lostDataRows(): Promise<Row[]> {
  log('FLUSHALL with open streams');
  const { hanging, backMs } = await measureLostData();
  isGood &&= hanging === 0 && backMs < LOST_DATA_BAR_MS;
  return [
    ['FLUSHALL: streams and calls that hang', hanging],
    [`FLUSHALL: until new tasks are completed (bar ${seconds(LOST_DATA_BAR_MS)})`, seconds(backMs)],
  ];
}

async function poisonRows(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of [1, 5, 20]) {
    log(`${count} poisons`);
    const { poisons, unpunished, innocents } = await measurePoisons(count);
    isGood &&= unpunished === 0 && innocents === 0;
    rows.push([`${poisons} poisons at once: innocent turns that died of them`, innocents]);
    rows.push([`${poisons} poisons at once: not given up`, unpunished]);
  }
  return rows;
}

async function failOverRows(
  redis: string,
  start: () => Promise<RedisDeployment>,
  trial: Omit<FailOverOptions, 'log'>,
): Promise<Row[]> {
  const name = `${redis}, ${trial.how}`;
  const barMs = trial.how === 'kill' ? OUTAGE_BAR_MS : FREEZE_BAR_MS;
  log(`fail-overs: ${name}`);
  await using deployment = await start();
  const { worstOutageMs, requests, lost, untold, wedged } = await measureFailOver(deployment, { ...trial, log });
  isGood &&= worstOutageMs < barMs && lost.length + untold.length + wedged === 0;
  for (const example of [...lost, ...untold].slice(0, 10)) log(example);
  return [
    [`${name}: worst outage in ${trial.rounds} fail-overs (bar ${seconds(barMs)})`, seconds(worstOutageMs)],
    [`${name}: acknowledged and lost, of ${requests}`, lost.length],
    [`${name}: webhooks not told everything, in order`, untold.length],
    [`${name}: wedged workers`, wedged],
  ];
}
