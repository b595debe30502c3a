import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Agent } from '@switchyard/agent';
import { type DrainOrder, type JobOutcome, type Store, suspiciousAfter, type TurnJob } from '@switchyard/store';
import { agentsElsewhere } from './agents/remote-agents.ts';
import { Drain } from './drain.ts';
import { ElsewhereConsumer } from './elsewhere-consumer.ts';
import type { Observe } from './observe.ts';
import { PushDeliverer } from './push/push-deliverer.ts';
import type { PushSettings } from './push/push-settings.ts';
import { Quarantine } from './quarantine.ts';
import { SupervisedConsumer } from './supervise.ts';
import { Sweeper } from './sweep.ts';
import { TurnsUnderWay } from './turn/active-turns.ts';
import type { CallingParts } from './turn/port/calling-parts.ts';
import { runJob } from './turn/run-job.ts';
import { Announcer } from './upkeep/announcer.ts';
import { CallCloser } from './upkeep/orphan-cleanup.ts';
import { Reporter } from './upkeep/reporter.ts';

export interface WorkerSettings {
  /** Milliseconds that running turns may go on after `stop`, before they are given back. */
  readonly drainMs: number;
  readonly sweepEveryMs: number;
  /** Unset: this worker tells no webhooks. */
  readonly push?: PushSettings | undefined;
}

export interface WorkerParts {
  readonly store: Store;
  readonly agents: readonly Agent[];
  readonly observe: Observe;
}

/** A worker: announces its agents, runs their turns, and looks after what others left behind. */
export class Worker {
  readonly id = `${hostname()}-${randomUUID().slice(0, 8)}`;
  readonly #settings: WorkerSettings;
  readonly #parts: WorkerParts;
  readonly #announcer: Announcer;
  readonly #sweeper: Sweeper;
  readonly #closer: CallCloser;
  readonly #consumers: readonly (SupervisedConsumer<TurnJob> | ElsewhereConsumer)[];
  readonly #elsewhere: ElsewhereConsumer;
  readonly #push: PushDeliverer | undefined;
  readonly #quarantine: Quarantine;
  readonly #turns = new TurnsUnderWay();
  readonly #drain: Drain;
  readonly #reporter: Reporter;
  #stopped: Promise<void> | undefined;

  constructor(settings: WorkerSettings, parts: WorkerParts) {
    const { store, agents, observe } = parts;
    this.#settings = settings;
    this.#parts = parts;
    this.#quarantine = new Quarantine(suspiciousAfter(store.settings));
    this.#announcer = new Announcer(store.registry, this.id, { agents, observe });
    this.#sweeper = new Sweeper(store.outbox, settings.sweepEveryMs, observe);
    this.#closer = new CallCloser(store.closings, settings.sweepEveryMs, observe);
    this.#elsewhere = new ElsewhereConsumer(this.#supervise(agentsElsewhere()), store.queue);
    this.#consumers = [...agents.map((agent) => this.#supervise(agent)), this.#elsewhere];
    this.#drain = new Drain(this.#consumers);
    this.#reporter = new Reporter(store.ops.workers, {
      workerId: this.id,
      agents: agents.map(({ id }) => id),
      turns: () => this.#turns.list(),
      onOrder: (order) => this.#obey(order),
      observe,
    });
    this.#push = settings.push && new PushDeliverer(settings.push, { store, observe });
  }

  /** The store has been started. */
  async start(): Promise<void> {
    await this.#parts.store.turns.listen();
    await Promise.all(this.#consumers.map((consumer) => consumer.start()));
    this.#sweeper.start();
    await this.#closer.start();
    await this.#push?.start();
    await this.#announcer.start();
    await this.#reporter.start();
    this.#parts.observe({ kind: 'started', workerId: this.id, agents: this.#parts.agents.map(({ id }) => id) });
  }

  /** Fetches no more jobs, lets running turns end for `drainMs`, gives the rest back to the queue. Idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const { observe } = this.#parts;
    observe({ kind: 'stopping', running: this.#consumers.reduce((sum, { running }) => sum + running, 0) });
    await Promise.all([
      this.#announcer.stop(),
      this.#sweeper.stop(),
      this.#closer.stop(),
      this.#reporter.stop(),
      this.#drain.begin({ giveBackAfterMs: this.#settings.drainMs }),
    ]);
    await Promise.all([
      this.#push?.stop(this.#settings.drainMs),
      ...this.#consumers.map((consumer) => consumer.stop()),
    ]);
    this.#drain.finish();
    observe({ kind: 'stopped' });
  }

  /** What an operator wants, unless the worker stops anyway. */
  async #obey(order: DrainOrder | undefined): Promise<void> {
    if (this.#stopped) return;
    this.#parts.observe({ kind: order ? 'draining' : 'drain-ended' });
    await (order ? this.#drain.begin(order) : this.#drain.end());
  }

  #supervise(agent: Agent): SupervisedConsumer<TurnJob> {
    const { store, observe } = this.#parts;
    const { id, concurrency, retry } = agent;
    const consumer: SupervisedConsumer<TurnJob> = new SupervisedConsumer({
      name: id,
      concurrency,
      observe,
      consume: (options) => store.turns.consume({ agent: id, concurrency, maxAttempts: retry.attempts, ...options }),
      wake: () => store.queue.wake(id),
      isAwaited: ({ isAwaited = false }) => isAwaited,
      run: (job) => this.#run(agent, job, (wait) => consumer.lend(wait)),
    });
    return consumer;
  }

  async #run(agent: Agent, job: TurnJob, lendPlace: CallingParts['lendPlace']): Promise<JobOutcome> {
    const { store, observe } = this.#parts;
    const renewEveryMs = store.settings.leaseMs / 3;
    try {
      const shutdown = this.#drain.signal;
      const reachElsewhere = () => this.#elsewhere.reach();
      const port = { store, agent, observe, shutdown, turns: this.#turns, reachElsewhere, lendPlace, renewEveryMs };
      return await this.#drain.admit(
        () => this.#quarantine.admit(job, () => runJob(port, job)),
        () => store.turns.giveBack(job),
      );
    } catch (error) {
      // Redis was away, or a fault of ours: the queue starts the job again, or the sweeper does.
      observe({ kind: 'job-failed', agent: agent.id, taskId: job.taskId, error });
      throw error;
    }
  }
}
