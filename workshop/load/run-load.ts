import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuShares } from '../../tests/support/process-usage.ts';
import { SeededRandom } from '../statistics.ts';
import { A2AClient } from './client.ts';
import type { PlannedRun } from './command-line.ts';
import { Connections, Failure, orFailure } from './connections.ts';
import { loadVerdict } from './load-verdict.ts';
import type { Load } from './profile.ts';
import { type Interval, Recorder, TaskLedger } from './recorder.ts';
import type { FoundAgent } from './target.ts';

/** How long requests in flight may take after a run is stopped, in milliseconds. */
const STOP_WITHIN_MS = 2_000;
const SECOND_MS = 1_000;

export interface RunParts {
  readonly plan: PlannedRun;
  readonly agent: FoundAgent;
  /** Pids of our own system, by name; unset: another server. */
  readonly ownPids: Readonly<Record<string, number>> | undefined;
  readonly onSecond: (interval: Interval) => void;
  /** Aborts at Ctrl-C: the run ends with a report. */
  readonly stopped: AbortSignal;
  /** Aborts at the second Ctrl-C: the run ends without a report. */
  readonly killed: AbortSignal;
}

/** Everything known about a run: report.json. Times without a unit in their name are in milliseconds. */
export type Report = Awaited<ReturnType<typeof runLoad>>;

/** Warms up, runs the profile, polls its open tasks, and reports. */
export async function runLoad(parts: RunParts) {
  const { plan, agent, ownPids, stopped, killed } = parts;
  const { profile } = plan;
  const halted = AbortSignal.any([killed, afterAbort(stopped, STOP_WITHIN_MS)]);
  await using connections = new Connections({
    origin: agent.endpoint.origin,
    connections: plan.options.connections,
    connectTimeoutMs: plan.options.timeoutMs,
  });
  halted.addEventListener('abort', () => connections[Symbol.asyncDispose](), { once: true });
  const runId = `load-${randomBytes(6).toString('hex')}`;
  const client = new A2AClient({ connections, agent, timeoutMs: plan.options.timeoutMs, runId });
  const random = new SeededRandom(plan.options.seed);
  const isOwnAgent = ownPids !== undefined;
  // Warm-up and run share connections, client and random numbers, but are counted separately.
  const begin = (durationMs: number): Load => {
    const options = { ...plan.options, durationMs };
    const over = AbortSignal.any([AbortSignal.timeout(durationMs), stopped, halted]);
    const settled = AbortSignal.any([afterAbort(over, options.settleMs), halted]);
    const recorder = new Recorder(profile.primary(options, isOwnAgent));
    halted.addEventListener('abort', () => recorder.close(), { once: true });
    const tasks = new TaskLedger(recorder);
    return { options, isOwnAgent, client, recorder, tasks, random, over, settled, halted };
  };

  const warmUp = begin(plan.options.warmUpMs);
  if (profile.canWarmUp && plan.options.warmUpMs > 0) await profile.run(warmUp, plan.options);

  const load = begin(plan.options.durationMs);
  const beganAt = new Date().toISOString();
  const start = performance.now();
  const { result: findings, shares } = await cpuShares({ 'this generator': process.pid, ...ownPids }, async () => {
    using _ = countSeconds(load, parts.onSecond);
    return await profile.run(load, load.options);
  });
  const seconds = (performance.now() - start) / 1_000;
  await settle(load);
  const { recorder } = load;
  const { requests, errors, primary, intervals, total, operations } = recorder;
  const { apiKey: _, bearer: __, url, out: ___, ...options } = plan.options;
  return {
    version: 1,
    profile: profile.name,
    summary: profile.summary,
    // Without a URL: the started gateway.
    target: { url: url?.href, agent: agent.name, endpoint: agent.endpoint.href, binding: agent.binding },
    options,
    verdict: loadVerdict(recorder, findings, options.maxErrorRateShare),
    beganAt,
    seconds,
    isCutShort: stopped.aborted,
    offered: total.offered,
    requests,
    // Over the run.
    requestsPerSecond: requests / Math.max(seconds, 0.001),
    events: total.events,
    errorCount: total.errors,
    errors,
    // The operation whose latency is the latency of the run.
    primary,
    // Latencies from the time when a request was due. Without requests: a duration that is not one of a request.
    operations: Array.from(operations, ([name, { latencies, ...counts }]) => ({
      name,
      ...counts,
      latency: latencies.summary(),
    })),
    intervals,
    ...findings,
    tasks: load.tasks.counts(),
    // Counted by the target, too.
    warmUpTasks: warmUp.tasks.counts().accepted,
    // Shares of one processor that this process and each process of our own system used.
    cpuShares: shares,
  };
}

/** Ends an interval every second, and the last one when it is disposed. */
function countSeconds({ recorder }: Load, onSecond: RunParts['onSecond']): Disposable {
  const timer = setInterval(() => onSecond(recorder.cut()), SECOND_MS);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      recorder.cut();
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

/** Number of tasks polled concurrently. */
const ASKING = 32;
/** Pause before a running task is polled again, in milliseconds. */
const PAUSE_MS = 100;

/**
 * Polls the open tasks, since each accepted task should end. After the run, without counting the requests, for at most
 * `settleMs`.
 */
async function settle(load: Load): Promise<void> {
  const { tasks, options } = load;
  const signal = AbortSignal.any([AbortSignal.timeout(options.settleMs), load.halted]);
  while (tasks.open.size > 0 && !signal.aborted) {
    const round = tasks.open.values().toArray().values();
    await Promise.all(Array.from({ length: ASKING }, () => askInTurn(load, round, signal)));
    // It throws when the time is up.
    if (tasks.open.size > 0) await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** A shared iterator: each id is polled once in a round. */
async function askInTurn({ client, tasks }: Load, ids: Iterable<string>, signal: AbortSignal): Promise<void> {
  for (const id of ids) {
    if (signal.aborted) return;
    const reading = await orFailure(client.getTask(id, undefined, performance.now()));
    if (reading instanceof Failure) return; // retried in the next round if the server does not answer
    if (reading.task) tasks.seen(reading.task);
  }
}
