import { count, readCommandLine } from '../options.ts';
import { textTable } from '../tables.ts';
import { archived, everything, loneWorker, lossyFailOvers, type Phase, runChaos } from './chaos.ts';
import { missingStores } from './stores/stores.ts';
import { type Finding, trials } from './trials.ts';
import { takeLate } from './workload/lateness.ts';
import { guarantees } from './workload/violations.ts';

/** Progress on standard error, tables on standard output; exit code 1 if a guarantee or a limit is violated. */
const { options, names } = readCommandLine({
  usage: `npm run faults [-- options] [chaos] [archive] [trials]
  Half an hour: gateways, workers, Redis, its disk, its data and the network between them fail under load, in
  every way that is listed in workshop/faults/inject; then, in a deployment with an archive and files, PostgreSQL and
  the server of the bucket, too; then fail-overs, lost data and messages that crash their worker are measured one by
  one.`,
  options: {
    tasks: count('least number of tasks under all faults', '10000'),
    faults: count('number of faults; some more outages and lossy fail-overs follow', '96'),
    failOvers: count('fail-overs of a Cluster', '20'),
    clients: count('concurrent clients', '60'),
    seed: count('seed of the faults and scenarios', `${Date.now() % 100_000}`),
  },
  names: ['chaos', 'archive', 'trials'],
});
const log = (line: string): void => void process.stderr.write(`${line}\n`);
const wants = (part: string): boolean => names.length === 0 || names.includes(part);
let isGood = true;

log(`seed ${options.seed}`);
if (wants('chaos')) {
  const { tasks, faults } = options;
  const retentionMs = 120_000;
  await chaos(everything, { tasks, count: faults, retentionMs });
  await chaos(loneWorker, { tasks: Math.ceil(tasks / 20), count: Math.ceil(faults / 16), retentionMs });
  await chaos(lossyFailOvers, { tasks: Math.ceil(tasks / 10), count: Math.ceil(faults / 8), retentionMs });
}
if (wants('archive')) {
  const missing = missingStores();
  const { tasks, faults } = options;
  if (missing) log(`${archived.name}: not run, there is ${missing}`);
  // Nine tenths of it are how late a copy may be: PostgreSQL is away for ten seconds, and workers for twenty.
  else await chaos(archived, { tasks: Math.ceil(tasks / 5), count: Math.ceil(faults / 3), retentionMs: 90_000 });
}
if (wants('trials')) {
  const findings: Finding[] = [];
  for (const { name, run } of trials(options.failOvers)) {
    log(name);
    findings.push(...(await run(log)));
  }
  const rows = findings.map(({ what, value }) => [what, value]);
  process.stdout.write(`\n${textTable(['measured', ''], rows)}\n`);
  isGood &&= findings.every((finding) => finding.isGood);
  for (const what of takeLate().slice(0, 20)) log(`too slow here: ${what}`);
}
if (!isGood) process.exitCode = 1;

/** `retentionMs`: what takes longer on a slow machine cannot be judged; the archive is read only when Redis has forgotten. */
interface Size {
  readonly tasks: number;
  readonly count: number;
  readonly retentionMs: number;
}

async function chaos(phase: Phase, size: Size): Promise<void> {
  log(phase.name);
  const { clients, seed } = options;
  const pauseMs = [1_000, 4_000] as const;
  const report = await runChaos({ ...phase, ...size, seed, clients, pauseMs, log });
  const total = Object.values(report.faults).reduce((sum, count) => sum + count, 0);
  const what = `${report.tasks} tasks, ${total} faults, ${report.resumedStreams} streams resumed, ${report.rejected} messages rejected`;
  const rows = Object.entries(guarantees).map(([guarantee, words]): [string, number] => [
    words,
    report.violations.filter(({ kind }) => kind === guarantee).length,
  ]);
  if (report.late.length > 0) rows.push(['too slow here, and right: no violation', report.late.length]);
  rows.push(...Object.entries(report.faults).map(([fault, count]): [string, number] => [`  ${fault}`, count]));
  const { reads, lists, downloads } = report.kept ?? {};
  if (report.kept) log(`ended tasks: ${reads} reads, ${lists} lists, ${downloads} files read`);
  const title = `${phase.name}: ${what}, ${report.seconds} s, seed ${seed}`;
  process.stdout.write(`\n${textTable([title, ''], rows)}\n`);
  for (const { kind, what } of report.violations.slice(0, 20)) log(`${kind}: ${what}`);
  for (const what of report.late.slice(0, 20)) log(`too slow here: ${what}`);
  isGood &&= report.violations.length === 0;
}
