import { url as inspectorUrl } from 'node:inspector';
import type { Agent } from '@switchyard/agent';
import { failTurnOf } from '@switchyard/agent/runtime';
import { ArchiveRefused, openArchive } from '@switchyard/archive';
import { LogLevels } from '@switchyard/operators';
import { nodeProxies, readProxies, useProxies } from '@switchyard/outgoing';
import {
  type KnownError,
  limitStop,
  portError,
  startFailure,
  stopLimitMs,
  unknownSettings,
  unknownSettingText,
} from '@switchyard/settings';
import { RedisUnusable, Store } from '@switchyard/store';
import { createLog, ErrorThrottle, LevelSwitch, logOutput, secretsIn, startTraces } from '@switchyard/telemetry';
import type { Logger } from 'pino';
import { AgentModuleError, loadAgents } from './agents/load-agents.ts';
import { ENDED_BY_AGENT } from './blocked/main-thread.ts';
import { loadWatched } from './blocked/slow-load.ts';
import { BlockedWatch } from './blocked/watch.ts';
import { readArguments, readConfig, type WorkerArguments, type WorkerConfig } from './config.ts';
import { ExternalAgentError, isExternalAgent } from './external-agents/sources.ts';
import type { Emit } from './telemetry/events.ts';
import { afterOutcome, logTo } from './telemetry/log.ts';
import { MetricsPort } from './telemetry/metrics-port.ts';
import { readRetirement, reportModules, type WorkerReport } from './watch/worker-report.ts';
import { WorkerSupervisor } from './watch/worker-supervisor.ts';
import { Worker } from './worker.ts';

interface Started {
  /** Rejects if the worker cannot start. */
  readonly working: Promise<void>;
  /** @param gone its agents that no longer exist */
  stop(gone: readonly string[]): Promise<void>;
}

/** An error of a library in a step of an agent has more lines above the agent's own one than Node's default, 10. */
Error.stackTraceLimit = Math.max(Error.stackTraceLimit, 30);

/** An agent's code gets another one. */
const exit = process.exit.bind(process);

async function main(): Promise<void> {
  const args = readArguments(process.argv.slice(2), process.env);
  if (typeof args === 'string') return void process.stdout.write(args);
  if (args.isList) return listAgents(args);
  // Before the worker can have a turn, it can exit at once.
  let stop: Started['stop'] = async () => exit();
  whenAskedToStop((gone) => stop(gone));
  const config = readConfig(process.env);
  useProxies(config.proxies);
  const log = createLog(
    { app: 'worker', level: levelOf(config, args), secrets: secretsIn(process.env) },
    await logOutput(process.stdout, config.logFormat),
  );
  if (!args.isWatched) for (const unknown of unknownSettings(process.env)) log.warn(unknownSettingText(unknown));
  const emit = logTo(log, { level: config.agentLogLevel, secrets: secretsIn(process.env) });
  let hasStarted = false;
  for (const kind of ['unhandled-rejection', 'uncaught-exception'] as const) {
    process.on(kind === 'unhandled-rejection' ? 'unhandledRejection' : 'uncaughtException', (error) => {
      const turn = failTurnOf(error);
      if (turn) {
        const { hasOutcome, ...owner } = turn;
        return emit({ kind, ...owner, err: error, ...(hasOutcome && { text: afterOutcome[kind] }) });
      }
      log.fatal({ err: error }, 'an error that belongs to no turn: the worker ends');
      exit(hasStarted ? ENDED_BY_AGENT : 1);
    });
  }
  const level = new LevelSwitch(log);
  process.on('SIGUSR2', level.toggle);
  // A terminal that closes sends SIGHUP. Sent by anything else, it asks to read settings again, as a gateway does.
  process.on('SIGHUP', () => {
    if (process.stdout.isTTY) process.kill(process.pid, 'SIGTERM');
    else log.info('SIGHUP: a worker reads its settings once, when it starts');
  });
  const worker = args.watch ? supervise(args, config, emit) : await work(config, args, { log, level, write: emit });
  stop = async (gone) => {
    try {
      await worker.stop(gone);
    } catch (error) {
      log.error({ err: error }, 'stop failed');
      process.exitCode = 1;
    }
  };
  await worker.working;
  hasStarted = true;
}

/**
 * Calls `stop` on the first signal, when the supervisor asks, or when the supervisor dies: nothing else would end the
 * worker then.
 */
function whenAskedToStop(stop: Started['stop']): void {
  let isStopping = false;
  const onStop = (gone: readonly string[] = []): void => {
    if (!isStopping) void stop(gone);
    isStopping = true;
  };
  for (const event of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.once(event, () => onStop());
  process.on('message', (message) => {
    const retirement = readRetirement(message);
    if (retirement) onStop(retirement.gone);
  });
  // The supervisor died before the listener was added.
  if (process.connected === false) onStop();
}

/** With --watch, the author of an agent sees which change was loaded, but no line for each turn. */
function levelOf({ logLevel }: WorkerConfig, { watch }: WorkerArguments): WorkerConfig['logLevel'] {
  return watch && logLevel === 'warn' ? 'info' : logLevel;
}

/** For `switchyard up`. Exits explicitly, as an agent's module may keep the process alive. */
async function listAgents({ agentModules }: WorkerArguments): Promise<void> {
  useProxies(readProxies(process.env));
  const agents = await load(agentModules, () => undefined);
  const list = agents.map(({ id, card, inputSchema }) => {
    const [example] = card.skills.flatMap(({ examples = [] }) => examples);
    return { id, name: card.name, example, inputSchema };
  });
  process.stdout.write(`${JSON.stringify(list)}\n`, () => exit());
}

function load(agentModules: readonly string[], emit: Emit): Promise<Agent[]> {
  return loadWatched({
    folder: process.cwd(),
    load: () => loadAgents(agentModules, { environment: process.env, emit }),
    onEnd: (listener) => void process.once('beforeExit', listener),
  });
}

async function work(
  config: WorkerConfig,
  { agentModules, isForMaintenance, isWatched, predecessor }: WorkerArguments,
  { log, level, write }: { readonly log: Logger; readonly level: LevelSwitch; readonly write: Emit },
): Promise<Started> {
  // While a watched worker takes over there are two workers, which cannot share a port.
  const metricsPort = config.metrics && !isWatched ? new MetricsPort(config.metrics) : undefined;
  const throttle = new ErrorThrottle();
  const emit: Emit = (event) => {
    if (event.kind !== 'error' || throttle.isDue(event.err)) write(event);
    metricsPort?.metrics.count(event);
  };
  const report = (event: WorkerReport): void => void process.send?.(event);
  if (isWatched) reportModules(report);
  const agents = isForMaintenance && agentModules.length === 0 ? [] : await load(agentModules, emit);
  const onRedisError = (error: Error): void => emit({ kind: 'error', where: 'redis', err: error });
  const onArchiveError = (error: Error): void => emit({ kind: 'error', where: 'archive', err: error });
  const { archiveUrl: url } = config;
  const archive = url ? await openArchive({ url, maxConnections: 4, onError: onArchiveError }) : undefined;
  const store = new Store(config.store, onRedisError, archive);
  await store.start();
  if (predecessor)
    import('./blocked/record-death.ts')
      .then(({ recordDeath }) => recordDeath(store, predecessor))
      .catch((err: unknown) => emit({ kind: 'error', where: 'predecessor', err }));
  store.schema.follow(({ message: reason }) => {
    emit({ kind: 'too-old', reason });
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  }, onRedisError);
  await new LogLevels(store.inside).follow(level.set, onRedisError);
  const traces = await startTraces(
    { ...config.traces, proxies: nodeProxies(config.proxies) },
    {
      service: 'switchyard-worker',
      onError: (error) => emit({ kind: 'error', where: 'traces', err: error }),
    },
  );
  const external = agents.filter(isExternalAgent);
  await Promise.all(external.map((agent) => agent.open((id) => store.registry.find(id))));
  const explain = { secrets: secretsIn(process.env), folder: process.cwd() };
  const watch = new BlockedWatch(
    {
      store: config.store,
      maxBlockedMs: config.maxBlockedMs,
      worker: store.processId,
      agents: agents.map(({ id }) => id),
      outlivesSupervisorMs: process.connected ? stopLimitMs(config.worker.drainMs) : undefined,
      logLevel: config.logLevel,
      logFormat: config.logFormat,
      isTerminal: process.stdout.isTTY === true,
      ...explain,
    },
    {
      isDebugged: () => inspectorUrl() !== undefined,
      onSignal: (name, listener) => void process.on(name, listener),
    },
  );
  process.exit = (code) => watch.exit(code);
  const worker = new Worker({ ...config.worker, explain }, { store, agents, emit, board: watch.board });
  log.setBindings({ worker: worker.id });
  metricsPort?.metrics.measure({
    runningTurns: () => worker.runningTurns(),
    observe: (observer) => store.observe(observer),
  });
  const start = async (): Promise<void> => {
    // First, because a worker that cannot open it ends, and the turns that it had would have lost an attempt.
    const port = await metricsPort?.open();
    await worker.start();
    if (port !== undefined) emit({ kind: 'measuring', port });
    if (isWatched) report({ kind: 'started', agents: agents.map(({ id }) => id) });
  };
  const stop = async (gone: readonly string[]): Promise<void> => {
    if (isWatched) report({ kind: 'stopping' });
    // Without Redis no turn can be handed back. The worker does not wait for it: other workers take the turns over when
    // its leases expire.
    limitStop(config.worker.drainMs, () => {
      emit({ kind: 'stop-given-up' });
      exit(1);
    });
    // Work that begins during the start would otherwise go on after the stop.
    await working.catch(() => undefined);
    await Promise.all([worker.stop(gone), ...external.map((agent) => agent.stop())]);
    await traces.stop();
    await metricsPort?.close();
    await store.stop();
    await archive?.stop();
    await watch.stop();
    // The channel to the supervisor would keep the process alive.
    if (process.connected) process.disconnect();
  };
  const working = start();
  return { working, stop };
}

function supervise({ agentModules }: WorkerArguments, { worker: { drainMs } }: WorkerConfig, emit: Emit): Started {
  const stopWithinMs = stopLimitMs(drainMs);
  const supervisor = new WorkerSupervisor({ program: import.meta.filename, agentModules, emit, stopWithinMs });
  supervisor.start();
  return { working: Promise.resolve(), stop: () => supervisor.stop() };
}

/** Errors that the user can fix. */
const known: readonly KnownError[] = [
  { is: (error) => error instanceof ArchiveRefused, code: 'SWITCHYARD_ERR_ARCHIVE' },
  {
    is: (error) => error instanceof RedisUnusable,
    code: 'SWITCHYARD_ERR_REDIS',
    hint: 'switchyard doctor checks Redis and this deployment',
  },
  {
    is: (error) => error instanceof AgentModuleError || error instanceof ExternalAgentError,
    code: 'SWITCHYARD_ERR_AGENT',
  },
  portError,
];

main().catch((error: unknown) => {
  const { text, exitCode } = startFailure(error, { command: 'switchyard worker', known });
  process.stderr.write(text);
  exit(exitCode);
});
