import { type EmbeddedRedis, freePort, type GuardedProcess, isPortTaken } from '@switchyard/local';
import { givenAssignments } from '@switchyard/settings';
import { writeAddresses } from '../data-folder/data-folder.ts';
import { loggedTerminal } from './logged-terminal.ts';
import { type ProgramSettings, startCompanion, startGateway, startWorker } from './programs.ts';
import { urlOf } from './settings.ts';
import { type StopSignals, untilAborted } from './stop-signals.ts';
import { type Killed, type Supervision, supervise } from './supervise.ts';
import type { Source, Terminal } from './terminal.ts';
import { untilReady, whatIsMissing } from './until-ready.ts';
import { workerNames } from './workers.ts';

/**
 * Ctrl-C ends everything within DRAIN_MS + 5 s: first the programs, then Redis, through which the worker hands back its
 * turns.
 */
const programsStopAfterDrainMs = 3_000;
const redisStopsWithinMs = 900;
/** If it is not ready after this time, it says what is missing. */
const SLOW_MS = 10_000;

export interface StoppableRun {
  /** The typed command, for repeating it. */
  readonly command: string;
  readonly settings: ProgramSettings;
  /** Printed when everything runs. */
  readonly greeting: string;
  /** Started after that, because it would delay the greeting. */
  readonly afterGreeting?: (() => Promise<GuardedProcess>) | undefined;
  /** Unset if Redis is the user's own. */
  readonly embedded: EmbeddedRedis | undefined;
  readonly terminal: Terminal;
  readonly signals: StopSignals;
  /** As in `Session`. */
  readonly onRunning: () => void;
}

/** Runs everything until it is asked to stop. Throws if a part keeps crashing. Leaves no process behind. */
export async function runUntilStopped(run: StoppableRun): Promise<void> {
  const { settings, greeting, embedded, signals, onRunning } = run;
  const terminal = loggedTerminal(run.terminal, settings);
  const { host, port, grpcPort, workers = 1, drainMs = 2_000 } = settings;
  await requireFree(run, { host, port, grpcPort: Number(grpcPort) });
  terminal.say(
    'switchyard',
    `starting ${embedded ? 'Redis, ' : ''}a gateway and ${workers === 1 ? 'a worker' : `${workers} workers`}`,
  );
  const keepRunning = (name: Source, start: Start): Supervision =>
    supervise({ name, start, say: (text) => terminal.say('switchyard', text), ...restarts(name) });

  const redis = embedded ? [keepRunning('redis', embedded.start)] : [];
  await Promise.all(redis.map(({ started }) => started));
  onRunning();
  const keepWithOutput = (name: Source, start: Start): Supervision =>
    keepRunning(name, withOutput(terminal, name, start));
  const { companion } = settings;
  const programs = [
    ...(companion ? [keepWithOutput('companion', () => startCompanion(companion, settings))] : []),
    keepWithOutput('gateway', () => startGateway(settings)),
    ...workerNames(workers).map((name) => keepWithOutput(name, (before) => startWorker(settings, before))),
  ];
  const forget = await publishAddresses(settings);
  let after: GuardedProcess | undefined;
  const ended = new AbortController();
  greetWhenReady(AbortSignal.any([ended.signal, signals.stopped]));
  try {
    await Promise.race([untilAborted(signals.stopped), ...[...programs, ...redis].map(({ ended }) => ended)]);
    terminal.say('switchyard', 'stopping (Ctrl-C again to stop at once)');
  } finally {
    ended.abort();
    signals.killed.addEventListener('abort', () => [...programs, ...redis].map((part) => part.stop(0)));
    await Promise.all([after?.stop(0), ...programs.map((part) => part.stop(drainMs + programsStopAfterDrainMs))]);
    await Promise.all(redis.map((part) => part.stop(redisStopsWithinMs)));
    await forget?.();
  }

  async function greetWhenReady(signal: AbortSignal): Promise<void> {
    const url = urlOf(settings);
    let isAwaited = true;
    const slow = setTimeout(async () => {
      const missing = await whatIsMissing(url, settings.defaultAgent);
      if (isAwaited) terminal.say('switchyard', missing);
    }, SLOW_MS);
    const isReady = await untilReady(url, settings.defaultAgent, signal);
    isAwaited = false;
    clearTimeout(slow);
    if (!isReady) return;
    terminal.print(greeting);
    after = await run.afterGreeting?.();
  }
}

/** An agent may end its worker again and again: that ends neither the other workers nor the gateway. */
function restarts(name: Source): { readonly maxQuickDeaths?: number } {
  return name.startsWith('worker') ? { maxQuickDeaths: Number.POSITIVE_INFINITY } : {};
}

function publishAddresses(settings: ProgramSettings): Promise<() => Promise<void>> | undefined {
  const { dataFolder, operators } = settings;
  if (dataFolder === undefined) return undefined;
  return writeAddresses(dataFolder, { gateway: urlOf(settings), ...(operators && { operators: operators.url }) });
}

/** `up` passes its environment to these. */
const commands = ['start', 'gateway', 'worker'] as const;

/** Port 0 and disabled ports cannot be in use. */
async function requireFree(
  { command, settings }: Pick<StoppableRun, 'command' | 'settings'>,
  { host, port, grpcPort }: { readonly host: string; readonly port: number; readonly grpcPort: number },
): Promise<void> {
  if (port > 0 && (await isPortTaken(port, host))) {
    const another = `PORT=${await portsFreeAfter(port, { host, count: grpcPort === port + 1 ? 2 : 1 })}`;
    const given = givenAssignments(settings.environment, { commands, without: ['PORT'] });
    throw new Error(`port ${port} is taken. Choose another one: ${[another, ...given, command].join(' ')}`);
  }
  if (grpcPort > 0 && (await isPortTaken(grpcPort, host))) {
    const another = `GRPC_PORT=${await portsFreeAfter(Math.max(grpcPort, port), { host, count: 1 })}`;
    const given = givenAssignments(settings.environment, { commands, without: ['GRPC_PORT'] });
    throw new Error(`port ${grpcPort} (gRPC) is taken. Choose another one: ${[another, ...given, command].join(' ')}`);
  }
}

/** The first of this many consecutive free ports. */
async function portsFreeAfter(port: number, { host, count }: { host: string; count: number }): Promise<number> {
  let free = 0;
  for (let candidate = port + 1; ; candidate += 1) {
    if (candidate > 65_535) return freePort();
    free = (await isPortTaken(candidate, host)) ? 0 : free + 1;
    if (free === count) return candidate - count + 1;
  }
}

type Start = (before?: Killed) => Promise<GuardedProcess>;

function withOutput(terminal: Terminal, name: Source, start: Start): Start {
  return async (before) => {
    const child = await start(before);
    terminal.listenTo(name, child);
    return child;
  };
}
