import { count, readCommandLine } from '../options.ts';
import { quantile } from '../statistics.ts';
import { textTable } from '../tables.ts';
import { everything, loneWorker, lossyFailOvers, type Phase } from './chaos/phases.ts';
import { type ChaosReport, runChaos } from './chaos/run-chaos.ts';
import { startCluster } from './redis/cluster.ts';
import type { RedisDeployment } from './redis/deployment.ts';
import { startSentinel } from './redis/sentinel.ts';
import { type Finding, seconds } from './trials/finding.ts';
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
    tasks: count('at least, under every fault', '10000'),
    faults: count('of every kind, and some more of outages and lossy fail-overs', '96'),
    failOvers: count('of a Cluster', '20'),
    clients: count('at the same time', '60'),
    seed: count('the same seed, the same faults and scenarios', `${Date.now() % 100_000}`),
  },
  names: ['chaos', 'trials'],
});
const log = (line: string): void => void process.stderr.write(`${line}\n`);
const wants = (part: string): boolean => names.length === 0 || names.includes(part);
const RECOVERY_BAR_MS = 5_000;
const OUTAGE_BAR_MS = 6_000;
/** It keeps its connections: clients must find out by themselves that another one has taken over. */
const FREEZE_BAR_MS = 10_000;
let isGood = true;

log(`seed ${options.seed}`);
if (wants('chaos')) {
  const { tasks, faults } = options;
  await chaos(everything, { tasks, count: faults });
  await chaos(loneWorker, { tasks: Math.ceil(tasks / 20), count: Math.ceil(faults / 16) });
  await chaos(lossyFailOvers, { tasks: Math.ceil(tasks / 10), count: Math.ceil(faults / 8) });
}
if (wants('trials')) {
  const findings: Finding[] = [];
  for (const [name, run] of trials()) {
    log(name);
    findings.push(...(await run()));
  }
  const rows = findings.map(({ what, value }) => [what, value]);
  process.stdout.write(`\n${textTable(['measured', ''], rows)}\n`);
  isGood &&= findings.every((finding) => finding.isGood);
}
if (!isGood) process.exitCode = 1;

function trials(): [name: string, run: () => Promise<readonly Finding[]>][] {
  const rounds = options.failOvers;
  const [some, few] = [Math.min(rounds, 5), Math.min(rounds, 2)];
  return [
    ['recovery from kill -9 of a worker', recovery],
    ['FLUSHALL with open streams', measureLostData],
    ...[1, 5, 20].map((count): ReturnType<typeof trials>[0] => [`${count} poisons`, () => measurePoisons(count)]),
    failOver('Cluster', startCluster, { rounds, how: 'kill' }),
    failOver('Cluster', startCluster, { rounds: some, how: 'freeze', waitReplicas: 1 }),
    failOver('Sentinel', startSentinel, { rounds: few, how: 'kill' }),
    failOver('Sentinel', startSentinel, { rounds: few, how: 'freeze', waitReplicas: 1 }),
    failOver('Sentinel', startSentinel, { rounds: few, how: 'partition', waitReplicas: 1 }),
  ];
}

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
  const found = Object.entries(guarantees).map(([guarantee, words]) => [
    words,
    violations.filter(({ kind }) => kind === guarantee).length,
  ]);
  const injected = Object.entries(faults).map(([fault, count]) => [`  ${fault}`, count]);
  return textTable([title, ''], [...found, ...injected]);
}

async function recovery(): Promise<Finding[]> {
  const measured = await measureRecovery({ rounds: 6, tasks: 20 });
  const [median, worst] = [quantile(measured, 0.5), quantile(measured, 1)];
  const what = 'worker killed until its turns run elsewhere';
  return [
    { what: `${what}, median`, value: seconds(median), isGood: true },
    { what: `… worst (bar ${seconds(RECOVERY_BAR_MS)})`, value: seconds(worst), isGood: worst < RECOVERY_BAR_MS },
  ];
}

function failOver(
  redis: string,
  start: () => Promise<RedisDeployment>,
  trial: Omit<FailOverOptions, 'log'>,
): ReturnType<typeof trials>[0] {
  const name = `${redis}, ${trial.how}`;
  const barMs = trial.how === 'kill' ? OUTAGE_BAR_MS : FREEZE_BAR_MS;
  const run = async (): Promise<Finding[]> => {
    await using deployment = await start();
    const { worstOutageMs, requests, lost, undelivered, wedged } = await measureFailOver(deployment, { ...trial, log });
    for (const example of [...lost, ...undelivered].slice(0, 10)) log(example);
    const outage = `worst outage in ${trial.rounds} fail-overs (bar ${seconds(barMs)})`;
    const none = (what: string, value: number): Finding => ({ what: `${name}: ${what}`, value, isGood: value === 0 });
    return [
      { what: `${name}: ${outage}`, value: seconds(worstOutageMs), isGood: worstOutageMs < barMs },
      none(`acknowledged and lost, of ${requests}`, lost.length),
      none('webhooks without all events, in order', undelivered.length),
      none('wedged workers', wedged),
    ];
  };
  return [`fail-overs: ${name}`, run];
}
