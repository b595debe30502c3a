import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuShares } from '../../tests/support/process-usage.ts';
import { SeededRandom } from '../statistics.ts';
import { A2AClient } from './client.ts';
import { Connections, failureOf } from './connections.ts';
import { GeneratorWatch } from './open-model.ts';
import type { Load, PlannedRun } from './profile.ts';
import { type Interval, Recorder, TaskLedger } from './recorder.ts';
import { type Report, toReport } from './report.ts';
import type { FoundAgent } from './target.ts';

/** How long requests in flight may take after a run is stopped, in milliseconds. */
const STOP_WITHIN_MS = 2_000;
const SECOND_MS = 1_000;

export interface RunParts {
  readonly plan: PlannedRun;
  readonly agent: FoundAgent;
  /** Process ids of an own gateway, by name; unset: another server. */
  readonly ownPids: Readonly<Record<string, number>> | undefined;
  readonly onSecond: (interval: Interval) => void;
  /** Aborts on Ctrl-C, for the report. */
  readonly stopped: AbortSignal;
  /** Aborts on the second Ctrl-C, without a report. */
  readonly killed: AbortSignal;
}

/** Warms up, runs the profile, polls its open tasks, and reports. */
export async function runLoad(parts: RunParts): Promise<Report> {
  const { plan, agent, ownPids, stopped, killed } = parts;
  const watch = new GeneratorWatch();
  const halted = AbortSignal.any([killed, afterAbort(stopped, STOP_WITHIN_MS)]);
  await using connections = new Connections({
    origin: agent.endpoint.origin,
    connections: plan.options.connections,
    connectTimeoutMs: plan.options.timeoutMs,
    onSent: (waitedMs) => watch.connectionWaits.add(waitedMs),
  });
  halted.addEventListener('abort', () => connections[Symbol.asyncDispose](), { once: true });
  const runId = `load-${randomBytes(6).toString('hex')}`;
  const client = new A2AClient({ connections, agent, timeoutMs: plan.options.timeoutMs, runId });
  const random = new SeededRandom(plan.options.seed);
  const isOwnAgent = ownPids !== undefined;
  // Warm-up and run share connections, client and random numbers, and are counted apart.
  const begin = (durationMs: number): Load => {
    const options = { ...plan.options, durationMs };
    const over = AbortSignal.any([AbortSignal.timeout(durationMs), stopped, halted]);
    const settled = AbortSignal.any([afterAbort(over, options.settleMs), halted]);
    const recorder = new Recorder(plan.primary(isOwnAgent));
    halted.addEventListener('abort', () => recorder.close(), { once: true });
    const { lateness } = watch;
    const signals = { over, settled, halted };
    return {
      options,
      isOwnAgent,
      client,
      connections,
      recorder,
      tasks: new TaskLedger(recorder),
      random,
      lateness,
      ...signals,
    };
  };

  const warmUp = begin(plan.options.warmUpMs);
  if (plan.profile.canWarmUp && plan.options.warmUpMs > 0) await plan.run(warmUp);

  const load = begin(plan.options.durationMs);
  const beganAt = new Date().toISOString();
  const start = performance.now();
  const { result: findings, shares } = await cpuShares(ownPids ?? {}, async () => {
    using _ = countSeconds(load, watch, parts.onSecond);
    return await plan.run(load);
  });
  const seconds = (performance.now() - start) / 1_000;
  await settle(load);
  return toReport({
    plan,
    agent,
    recorder: load.recorder,
    tasks: load.tasks.counts(),
    warmUpTasks: warmUp.tasks.counts().accepted,
    findings,
    generator: watch.stop(),
    cpuShares: shares,
    beganAt,
    seconds,
    isCutShort: stopped.aborted,
  });
}

/** Ends an interval every second, and one when it is disposed. */
function countSeconds({ recorder }: Load, watch: GeneratorWatch, onSecond: RunParts['onSecond']): Disposable {
  watch.start();
  const cut = (): Interval => {
    watch.cut();
    return recorder.cut();
  };
  const timer = setInterval(() => onSecond(cut()), SECOND_MS);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      cut();
    },
  };
}

/** Aborts `ms` after another signal. */
function afterAbort(signal: AbortSignal, ms: number): AbortSignal {
  const controller = new AbortController();
  const start = (): void => void setTimeout(() => controller.abort(), ms).unref();
  if (signal.aborted) start();
  else signal.addEventListener('abort', start, { once: true });
  return controller.signal;
}

/** Clients that ask at once. */
const ASKING = 32;
/** Before a task that runs on is asked for again, in milliseconds. */
const PAUSE_MS = 100;

/**
 * Polls the tasks that are open: each accepted task should end. After the run, and not counted among its requests; for
 * `settleMs` at most.
 */
async function settle(load: Load): Promise<void> {
  const { tasks, options } = load;
  const signal = AbortSignal.any([AbortSignal.timeout(options.settleMs), load.halted]);
  while (tasks.open.size > 0 && !signal.aborted) {
    const round = tasks.open.values().toArray().values();
    await Promise.all(Array.from({ length: ASKING }, () => askInTurn(load, round, signal)));
    // It throws when the time is over.
    if (tasks.open.size > 0) await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** An iterator that is shared: each id is asked for once in a round. */
async function askInTurn({ client, tasks }: Load, ids: Iterable<string>, signal: AbortSignal): Promise<void> {
  for (const id of ids) {
    if (signal.aborted) return;
    const asked = client.getTask(id, undefined, performance.now());
    if (await failureOf(asked)) return; // a server that does not answer is asked again in the next round
    const { task } = await asked;
    if (task) tasks.seen(task);
  }
}
