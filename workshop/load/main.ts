// `npm run load -- <profile> [options]`: puts an A2A agent under load. What there is: `npm run load -- --help`.

import { listenToStopSignals } from '../../scripts/start/stop-signals.ts';
import { BadOptions, help, readOptions } from './command-line.ts';
import type { PlannedRun } from './profiles/profile.ts';
import { Progress } from './report/progress.ts';
import { toText } from './report/text.ts';
import { writeReport } from './report/write-report.ts';
import { runLoad } from './run-load.ts';
import { findAgent } from './target/find-agent.ts';
import { type OwnGateway, startOwnGateway } from './target/own-gateway.ts';
import { TargetError } from './target/target.ts';

const { LOAD_API_KEY: apiKey, LOAD_BEARER: bearer } = process.env;

try {
  const command = readOptions(process.argv.slice(2), { ...(apiKey && { apiKey }), ...(bearer && { bearer }) });
  if (command === 'help') process.stdout.write(`${help()}\n`);
  else process.exitCode = await load(command);
} catch (error) {
  const isExplained = error instanceof BadOptions || error instanceof TargetError;
  process.stderr.write(`${error instanceof Error ? (isExplained ? error.message : error.stack) : String(error)}\n`);
  process.exitCode = 2;
}

/** @returns the exit code */
async function load(plan: PlannedRun): Promise<number> {
  using signals = listenToStopSignals();
  const { options } = plan;
  const progress = new Progress(process.stderr, `${options.durationMs / 1_000} s`);
  await using own = options.url ? undefined : await ownGateway(options.workers, signals.stopped, progress);
  const target = { url: options.url ?? own?.url ?? new URL('http://127.0.0.1'), agent: options.agent };
  const agent = await findAgent({ ...options, target, wantsVersions: plan.profile.wantsVersions });
  progress.say(
    `${plan.profile.name}: ${plan.profile.summary}; ${agent.name} at ${agent.endpoint.href} (${agent.binding})`,
  );
  const report = await runLoad({ plan, agent, ownPids: own?.pids, progress, ...signals });
  process.stdout.write(`\n${toText(report)}\n`);
  process.stdout.write(`\n${await writeReport(report, options.out)}\n`);
  return report.verdict.passed ? 0 : 1;
}

function ownGateway(workers: number, stopped: AbortSignal, progress: Progress): Promise<OwnGateway> {
  progress.say(`starting a gateway, ${workers === 1 ? 'a worker' : `${workers} workers`} and a Redis`);
  return startOwnGateway(workers, stopped);
}
