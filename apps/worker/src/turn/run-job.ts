import { type Agent, TurnInterruption } from '@switchyard/agent';
import { executeTurn, type LogLine } from '@switchyard/agent/runtime';
import { DeadLetters } from '@switchyard/operators';
import type { Beginning, JobOutcome, OpenTurn, TurnJob } from '@switchyard/store';
import type { TurnTrace } from '@switchyard/telemetry';
import type { WorkerFiles } from '../files/worker-files.ts';
import type { StoredPace } from '../pace/stored-pace.ts';
import type { PriceTable } from '../prices/price-table.ts';
import type { Emit } from '../telemetry/events.ts';
import type { ActiveTurns } from './active-turns.ts';
import { concludeTurn } from './conclude-turn.ts';
import { type ExplainOptions, TurnFailures } from './failures/turn-failures.ts';
import { StoredBudget } from './port/stored-budget.ts';
import type { CallDependencies } from './port/stored-calls.ts';
import { StoredTurnPort, type TurnControls } from './port/stored-turn-port.ts';
import { StoredUsage } from './port/stored-usage.ts';
import { beginOf, endOf, nameOf } from './turn-events.ts';
import { TurnSignal } from './turn-signal.ts';
import { beginTrace, traceEnd } from './turn-trace.ts';

export interface JobDependencies extends CallDependencies {
  readonly agent: Agent;
  readonly emit: Emit;
  /** Aborted when the worker stops: running turns are given back. */
  readonly shutdown: AbortSignal;
  readonly turns: ActiveTurns;
  readonly explain: ExplainOptions;
  readonly prices: PriceTable;
  readonly files: WorkerFiles;
  /** Of the gateway; see `WorkerSettings`. */
  readonly publicUrl?: string | undefined;
  readonly pace: StoredPace;
}

/** A job may start before its task is visible (a fail-over, a script sent late). After this many starts it has none. */
const STARTS_WITHOUT_TASK = 3;
const MISSING_RETRY_MS = 200;

/** Runs a job, as started by the queue: runs the turns of its task one after the other, until its inbox is empty. */
export async function runJob(dependencies: JobDependencies, job: TurnJob): Promise<JobOutcome> {
  // The message of a further turn waited for the turn before it, not for a worker.
  for (let waitedMs: number | undefined = job.waitedMs; ; waitedMs = undefined) {
    if (dependencies.shutdown.aborted) {
      await job.handBack();
      return 'requeue';
    }
    const next = await runNextTurn(dependencies, job, waitedMs);
    if (next !== 'more') return next;
  }
}

async function runNextTurn(
  dependencies: JobDependencies,
  job: TurnJob,
  waitedMs: number | undefined,
): Promise<JobOutcome | 'more'> {
  using running = new TurnSignal(dependencies.shutdown);
  const takenAt = performance.now();
  const turn = await job.begin({
    onCancel: () => running.interrupt(new TurnInterruption('canceled')),
    onFenced: () => running.interrupt(new TurnInterruption('taken-over')),
    onFirstEvent: () => {
      if (waitedMs === undefined) return;
      dependencies.emit({
        kind: 'first-event',
        agent: dependencies.agent.id,
        afterMs: waitedMs + performance.now() - takenAt,
      });
    },
  });
  if (typeof turn === 'string') return await withoutTurn(dependencies, job, turn);
  if (turn.start.cancelRequested) running.interrupt(new TurnInterruption('canceled'));
  using _entry = dependencies.turns.add(turn);
  try {
    const confirm = () => job.confirm();
    await confirm();
    const trace = await beginTrace(dependencies, turn, waitedMs);
    const onLog = (line: LogLine) => dependencies.emit({ kind: 'agent-log', ...nameOf(turn), line });
    const failures = new TurnFailures(turn, dependencies.store.processId, dependencies.explain);
    const usage = new StoredUsage(turn, { prices: dependencies.prices, emit: dependencies.emit, failures });
    const budget = new StoredBudget(turn, { budget: dependencies.agent.budget, settings: dependencies.store.settings });
    const run = { signal: running.signal, confirm, onLog, failures, usage, budget, waitedMs, trace };
    return await trace.runAttempt(() => executeAndConclude(dependencies, turn, run));
  } finally {
    job.forgetTurn();
  }
}

async function withoutTurn(
  dependencies: JobDependencies,
  { taskId, started }: TurnJob,
  verdict: Exclude<Beginning, OpenTurn>,
): Promise<JobOutcome | 'more'> {
  if (verdict === 'rejected') {
    dependencies.emit({ kind: 'message-rejected', agent: dependencies.agent.id, taskId });
    return 'more';
  }
  if (verdict === 'missing' && started <= STARTS_WITHOUT_TASK) return { retryAfterMs: MISSING_RETRY_MS };
  if (verdict === 'exhausted') await emitGivenUp(dependencies, taskId);
  else dependencies.emit({ kind: 'job-without-turn', agent: dependencies.agent.id, taskId, verdict });
  return 'done';
}

/** Emits the event of a message whose attempts are spent without any of them reporting it, from its dead letter. */
async function emitGivenUp({ store, agent, emit }: JobDependencies, taskId: string): Promise<void> {
  // Without Redis the event has only the task's id.
  const letter = await new DeadLetters(store.inside).get(taskId).catch(() => undefined);
  const known = letter?.kind === 'turn' ? letter : { agent: agent.id, attempts: agent.retry.attempts };
  const nothing = { contextId: undefined, tenant: undefined, requestId: undefined };
  const { contextId, tenant, requestId, attempts } = { ...nothing, ...known };
  emit({ kind: 'turn-given-up', agent: known.agent, taskId, contextId, tenant, requestId, attempts });
}

interface AttemptControls extends TurnControls {
  /** How long its job waited in the queue; unset for a further turn of a job. */
  readonly waitedMs: number | undefined;
  readonly trace: TurnTrace;
}

async function executeAndConclude(
  dependencies: JobDependencies,
  turn: OpenTurn,
  run: AttemptControls,
): Promise<JobOutcome | 'more'> {
  const { agent, emit } = dependencies;
  const { trace, waitedMs, failures } = run;
  const begun = performance.now();
  emit(beginOf(turn, waitedMs));
  const result = await trace.runAgent(() => executeTurn(agent, new StoredTurnPort(dependencies, turn, run)));
  const next = await concludeTurn(turn, result, { retry: agent.retry, failures }).finally(() =>
    trace.end(traceEnd(result, run.usage.used)),
  );
  emit(endOf(turn, { result, durationMs: performance.now() - begun }, next));
  return next;
}
