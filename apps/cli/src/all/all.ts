import { type KnownError, readCommandLine, Settings, startFailure, stopLimitMs } from '@switchyard/settings';
import { afterArguments, gatewayProgram, workerProgram } from '../up/programs.ts';
import { listenToStopSignals, untilAborted } from '../up/stop-signals.ts';
import { type SupervisedProcess, type Supervision, supervise } from '../up/supervise.ts';
import { countWorkers, maxWorkers, workerNames } from '../up/workers.ts';
import { startChild } from './start-child.ts';

const usage = 'switchyard all [<agent.ts> …] [--workers <number>]';
const text = `Runs a gateway and workers as one program, and starts again what dies. Redis is that of REDIS_URL; the logs go to
standard output. SIGTERM stops it as it stops each alone.

  <agent.ts> …        modules that export an agent each, and URLs and YAML files of agents that run elsewhere. Without
                      any: agent.ts here, or else those in agents/
  --workers <number>  processes that run the agents, 1 to ${maxWorkers}; default: 1`;

/** A program that has given up its stop, and still runs after this time, is killed. */
const AFTER_LIMIT_MS = 2_000;

/** `switchyard all`, until it is asked to stop. The exit code is 1 if a program keeps crashing. */
export async function all(own: NodeJS.Process): Promise<void> {
  using signals = listenToStopSignals(own);
  const say = (words: string): void => void own.stderr.write(`${words}\n`);
  try {
    const options = { workers: { type: 'string', default: '1' } } as const;
    const settingsOf = ['gateway', 'worker'] as const;
    const line = readCommandLine({ usage, text, options, allowPositionals: true, settingsOf }, own.argv.slice(2));
    if (line.help !== undefined) return void own.stdout.write(line.help);
    const worker = new Settings('worker', own.env);
    Settings.requireAllValid([worker, new Settings('gateway', own.env)]);
    const workers = workerNames(countWorkers(line.values.workers));
    const run = (name: string, start: SupervisedProcess['start'], maxQuickDeaths?: number): Supervision =>
      supervise({ name, start, say, ...(maxQuickDeaths && { maxQuickDeaths }) });
    // There is only one metrics port: the first worker has it.
    const envOf = (i: number): NodeJS.ProcessEnv => ({ ...own.env, ...(i > 0 && { METRICS_PORT: '' }) });
    const programs = [
      run('gateway', () => startChild(gatewayProgram(), [], own.env)),
      ...workers.map((name, i) =>
        run(
          name,
          (before) => startChild(workerProgram(), [...afterArguments(before), ...line.positionals], envOf(i)),
          Number.POSITIVE_INFINITY,
        ),
      ),
    ];
    signals.killed.addEventListener('abort', () => programs.map((program) => program.stop(0)));
    try {
      await Promise.race([untilAborted(signals.stopped), ...programs.map(({ ended }) => ended)]);
    } finally {
      await Promise.all(programs.map((program) => program.stop(stopLimitMs(worker.values.DRAIN_MS) + AFTER_LIMIT_MS)));
    }
  } catch (error) {
    const { text: failure, exitCode } = startFailure(error, { command: 'switchyard all', known });
    own.exitCode = exitCode;
    own.stderr.write(failure);
  }
}

/** Whatever ends it is said by a supervisor or by one of the programs. */
const known: readonly KnownError[] = [{ is: () => true, code: 'SWITCHYARD_ERR_PROGRAM' }];
