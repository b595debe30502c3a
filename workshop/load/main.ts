// `npm run load -- <profile> [options]`: puts an A2A agent under load. For help: `npm run load -- --help`.

import { listenToStopSignals } from '@switchyard/cli/up';
import { BadOptions, help, type PlannedRun, readOptions } from './command-line.ts';
import type { Interval } from './recorder.ts';
import { progressLine, toText, writeReport } from './report.ts';
import { runLoad } from './run-load.ts';
import { findAgent, startOwnGateway, TargetError } from './target.ts';

/** Seconds between two progress lines. */
const LINE_EVERY = 5;
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const { LOAD_API_KEY: apiKey, LOAD_BEARER: bearer } = process.env;

try {
  const command = readOptions(process.argv.slice(2), { apiKey: apiKey || undefined, bearer: bearer || undefined });
  if (command === 'help') process.stdout.write(`${help()}\n`);
  else process.exitCode = await load(command);
} catch (error) {
  const isExplained = error instanceof BadOptions || error instanceof TargetError;
  process.stderr.write(`${error instanceof Error ? (isExplained ? error.message : error.stack) : String(error)}\n`);
  process.exitCode = 2;
}

/** @returns the exit code */
async function load(plan: PlannedRun): Promise<number> {
  using signals = listenToStopSignals(process);
  const { options } = plan;
  await using own = options.url ? undefined : await ownGateway(options.workers);
  if (signals.stopped.aborted) throw new TargetError('Stopped before it began');
  const url = options.url ?? own?.url ?? new URL('http://127.0.0.1');
  const agent = await findAgent({ ...options, url, wantsVersions: plan.profile.wantsVersions ?? false });
  say(`${plan.profile.name}: ${plan.profile.summary}; ${agent.name} at ${agent.endpoint.href} (${agent.binding})`);
  let second = 0;
  const onSecond = (interval: Interval): void => {
    if (second++ % LINE_EVERY === 0) say(progressLine(interval, `${options.durationMs / 1_000} s`));
  };
  const report = await runLoad({ plan, agent, ownPids: own?.pids, onSecond, ...signals });
  process.stdout.write(`\n${toText(report)}\n`);
  process.stdout.write(`\n${await writeReport(report, options.out)}\n`);
  return report.verdict.passed ? 0 : 1;
}

function ownGateway(workers = 1) {
  say(`starting a gateway, ${workers === 1 ? 'a worker' : `${workers} workers`} and a Redis`);
  return startOwnGateway(workers);
}
