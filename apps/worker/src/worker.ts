import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Agent } from '@switchyard/agent';
import type { Consumer, DrainOrder, JobOutcome, Store, TurnJob } from '@switchyard/store';
import { agentsElsewhere } from './agents/remote-agents.ts';
import { Drain } from './consume/drain.ts';
import { ElsewhereConsumer } from './consume/remote-agent-consumer.ts';
import { PushDeliverer } from './push/push-deliverer.ts';
import type { PushSettings } from './push/push-settings.ts';
import type { Observe } from './telemetry/events.ts';
import { TurnsUnderWay } from './turn/active-turns.ts';
import type { CallingParts } from './turn/port/calling-parts.ts';
import { runJob } from './turn/run-job.ts';
import { Announcer } from './upkeep/announcer.ts';
import { CallCloser } from './upkeep/orphan-cleanup.ts';
import { Reporter } from './upkeep/reporter.ts';
import { Sweeper } from './upkeep/sweeper.ts';

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
  readonly #consumers: readonly (Consumer | ElsewhereConsumer)[];
  readonly #elsewhere: ElsewhereConsumer;
  readonly #push: PushDeliverer | undefined;
  readonly #turns = new TurnsUnderWay();
  readonly #drain: Drain;
  readonly #reporter: Reporter;
  #stopped: Promise<void> | undefined;

  constructor(settings: WorkerSettings, parts: WorkerParts) {
    const { store, agents, observe } = parts;
    this.#settings = settings;
    this.#parts = parts;
    this.#announcer = new Announcer(store.registry, this.id, { agents, observe });
    this.#sweeper = new Sweeper(store, settings.sweepEveryMs, observe);
    this.#closer = new CallCloser(store.closings, settings.sweepEveryMs, observe);
    this.#elsewhere = new ElsewhereConsumer(this.#consume(agentsElsewhere()), store.queue);
    this.#consumers = [...agents.map((agent) => this.#consume(agent)), this.#elsewhere];
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

  #consume(agent: Agent): Consumer {
    const { store, observe } = this.#parts;
    const { id, concurrency, retry } = agent;
    const consumer: Consumer = store.turns.consume({
      agent: id,
      concurrency,
      maxAttempts: retry.attempts,
      run: (job) => this.#run(agent, job, (wait) => consumer.yieldSlot(wait)),
      onError: (error) => observe({ kind: 'trouble', where: 'queue', error }),
    });
    return consumer;
  }

  async #run(agent: Agent, job: TurnJob, yieldSlot: CallingParts['yieldSlot']): Promise<JobOutcome> {
    const { store, observe } = this.#parts;
    try {
      const shutdown = this.#drain.signal;
      const reachElsewhere = () => this.#elsewhere.reach();
      const port = { store, agent, observe, shutdown, turns: this.#turns, reachElsewhere, yieldSlot };
      return await this.#drain.admit(
        () => runJob(port, job),
        () => store.turns.giveBack(job),
      );
    } catch (error) {
      // Redis was away, or a fault of ours: the queue starts the job again, or the sweeper does.
      observe({ kind: 'job-failed', agent: agent.id, taskId: job.taskId, error });
      throw error;
    }
  }
}
