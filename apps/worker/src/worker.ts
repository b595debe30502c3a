import { hostname } from 'node:os';
import { pid } from 'node:process';
import type { Agent } from '@switchyard/agent';
import { type DrainRequest, Ops, Workers } from '@switchyard/operators';
import type { AddressPolicySettings } from '@switchyard/outgoing';
import { Pace } from '@switchyard/pace';
import { version } from '@switchyard/schema';
import type { Consumer, JobOutcome, Places, Store, TurnJob } from '@switchyard/store';
import { remoteAgents } from './agents/remote-agents.ts';
import type { TurnBoard } from './blocked/turn-board.ts';
import { AgentConsumer } from './consume/agent-consumer.ts';
import { Drain } from './consume/drain.ts';
import { keyOf } from './consume/key-of.ts';
import { RemoteAgentConsumer } from './consume/remote-agent-consumer.ts';
import { remoteProblemsOf } from './external-agents/sources.ts';
import { type FileSettings, WorkerFiles } from './files/worker-files.ts';
import { Announcer } from './maintenance/announcer.ts';
import { type ArchiveSettings, Archiving } from './maintenance/archiving.ts';
import { FileSweep } from './maintenance/file-sweep.ts';
import { Migrations } from './maintenance/migrations.ts';
import { OrphanCleanup } from './maintenance/orphan-cleanup.ts';
import { Reporter } from './maintenance/reporter.ts';
import { Sweeper } from './maintenance/sweeper.ts';
import { TimedWork } from './maintenance/timed-work.ts';
import { ModelLimits } from './pace/model-limits.ts';
import { StoredPace } from './pace/stored-pace.ts';
import { PriceTable } from './prices/price-table.ts';
import { PushDeliverer } from './push/push-deliverer.ts';
import type { PushSettings } from './push/push-settings.ts';
import type { Emit } from './telemetry/events.ts';
import { Figures } from './telemetry/figures.ts';
import { ActiveTurns } from './turn/active-turns.ts';
import type { ExplainOptions } from './turn/failures/turn-failures.ts';
import type { CallDependencies } from './turn/port/stored-calls.ts';
import { runJob } from './turn/run-job.ts';

export interface WorkerSettings {
  /** How long running turns may go on after `stop`, before they are given back. */
  readonly drainMs: number;
  readonly sweepEveryMs: number;
  /** Unset: this worker delivers no webhooks. */
  readonly push?: PushSettings | undefined;
  /** Address of the gateway for services outside; unset: agents have no `turn.callbackUrl`. */
  readonly publicUrl?: string | undefined;
  /** How long a turn waits for a called agent before it is suspended. Default: 5 s. */
  readonly callPatienceMs?: number | undefined;
  /** Where agents may be called by URL; unset: at public addresses, with TLS. */
  readonly calls?: AddressPolicySettings;
  /** How errors of agents are kept for operators. Default: nothing is secret, paths are relative to the process' folder. */
  readonly explain?: ExplainOptions;
  /** What models cost. Default: list prices of a day. */
  readonly prices?: PriceTable | undefined;
  /** Unset: agents write no files. */
  readonly files?: FileSettings | undefined;
  /** Unset: ended tasks are gone when Redis forgets them. */
  readonly archive?: ArchiveSettings | undefined;
  /** Requests and tokens per minute of models, over all workers. Default: none. */
  readonly limits?: ModelLimits | undefined;
}

export interface WorkerDependencies {
  readonly store: Store;
  readonly agents: readonly Agent[];
  readonly emit: Emit;
  /** Shows the running turns to another thread. */
  readonly board?: TurnBoard;
}

interface ConsumeOptions {
  readonly queue?: string;
  readonly concurrency?: number;
  readonly places?: Places | undefined;
}

const publicOnly: AddressPolicySettings = { allowHttp: false, allowHosts: [] };

/** A worker: announces its agents, runs their turns, delivers webhooks, and recovers the turns of crashed workers. */
export class Worker {
  /** As in the records of tasks. */
  readonly id: string;
  readonly #settings: WorkerSettings;
  readonly #prices: PriceTable;
  readonly #pace: StoredPace;
  readonly #dependencies: WorkerDependencies;
  readonly #announcer: Announcer;
  readonly #sweeper: Sweeper;
  readonly #timedWork: TimedWork;
  readonly #orphanCleanup: OrphanCleanup;
  readonly #migrations: Migrations;
  readonly #files: WorkerFiles;
  readonly #fileSweep: FileSweep | undefined;
  readonly #archiving: Archiving | undefined;
  readonly #consumers: readonly (AgentConsumer | RemoteAgentConsumer)[];
  readonly #remoteAgents: RemoteAgentConsumer;
  readonly #push: PushDeliverer | undefined;
  readonly #turns: ActiveTurns;
  readonly #drain: Drain;
  readonly #reporter: Reporter;
  #stopped: Promise<void> | undefined;

  constructor(settings: WorkerSettings, { store, agents, emit: emitOutside, board }: WorkerDependencies) {
    const figures = new Figures();
    const emit: Emit = (event) => {
      figures.count(event);
      emitOutside(event);
    };
    this.id = store.processId;
    this.#turns = new ActiveTurns(board);
    this.#settings = settings;
    this.#prices = settings.prices ?? new PriceTable();
    this.#pace = new StoredPace(new Pace(store.inside), settings.limits ?? new ModelLimits(), emit);
    this.#dependencies = { store, agents, emit };
    this.#sweeper = new Sweeper(store, settings.sweepEveryMs, emit);
    this.#orphanCleanup = new OrphanCleanup(store, settings.sweepEveryMs, emit);
    this.#migrations = new Migrations(store.migrator, emit);
    const { files, publicUrl, calls: addresses = publicOnly } = settings;
    this.#files = new WorkerFiles({ files, addresses, publicUrl, emit });
    const { local } = this.#files;
    this.#timedWork = new TimedWork(store, emit, (...next) => this.#files.keep(...next));
    this.#fileSweep = files && local && new FileSweep({ files: local, store, emit }, files);
    const ops = new Ops(store);
    const { archiver } = ops;
    const { retentionMs } = store.settings;
    this.#archiving =
      settings.archive && archiver && new Archiving(settings.archive, { archiver, ops, retentionMs, emit });
    this.#remoteAgents = new RemoteAgentConsumer(
      this.#consume(remoteAgents(settings.calls ?? publicOnly)),
      store.queue,
      (err) => emit({ kind: 'error', where: 'queue', err }),
    );
    const consumers = agents.map((agent) => this.#consumeAll(agent));
    this.#announcer = new Announcer(store.registry, this.id, { consumers, emit });
    this.#consumers = [...consumers, this.#remoteAgents];
    this.#drain = new Drain(this.#consumers);
    this.#reporter = new Reporter(new Workers(store.inside), {
      workerId: this.id,
      process: { host: hostname(), pid },
      agents: agents.map(({ id }) => id),
      version,
      turns: () => this.#turns.list(),
      figures: () => figures.read(),
      remoteProblems: () => ({ ...this.#turns.remoteProblems(), ...remoteProblemsOf(agents) }),
      onDrainRequest: (request) => this.#applyDrainRequest(request),
      emit,
    });
    this.#push =
      settings.push && new PushDeliverer(settings.push, { store, emit, secrets: settings.explain?.secrets ?? [] });
  }

  /** Number of running turns, by agent. */
  runningTurns(): ReadonlyMap<string, number> {
    return this.#turns.counts();
  }

  /** Call it after the store's start. */
  async start(): Promise<void> {
    await this.#files.local?.start();
    await this.#dependencies.store.turns.listen();
    await Promise.all(this.#consumers.map((consumer) => consumer.start()));
    this.#sweeper.start();
    this.#timedWork.start();
    this.#orphanCleanup.start();
    this.#fileSweep?.start();
    this.#archiving?.start();
    await this.#push?.start();
    await this.#announcer.start();
    await this.#reporter.start();
    this.#migrations.start();
    this.#dependencies.emit({ kind: 'started', agents: this.#dependencies.agents.map(({ id }) => id) });
  }

  /**
   * Fetches no more jobs, lets running turns end for `drainMs`, gives the rest back to the queue. Idempotent.
   * @param gone its agents that no longer exist: gateways do not serve them any more
   */
  stop(gone: readonly string[] = []): Promise<void> {
    this.#stopped ??= this.#stop(gone);
    return this.#stopped;
  }

  async #stop(gone: readonly string[]): Promise<void> {
    const { emit } = this.#dependencies;
    emit({ kind: 'stopping', running: this.#consumers.reduce((sum, { running }) => sum + running, 0) });
    await Promise.all([
      this.#announcer.stop(gone),
      this.#sweeper.stop(),
      this.#timedWork.stop(),
      this.#orphanCleanup.stop(),
      this.#fileSweep?.stop(),
      this.#archiving?.stop(),
      this.#migrations.stop(),
      this.#reporter.stop(),
      this.#drain.begin({ giveBackAfterMs: this.#settings.drainMs }),
    ]);
    await Promise.all([
      this.#push?.stop(this.#settings.drainMs),
      ...this.#consumers.map((consumer) => consumer.stop()),
    ]);
    await this.#files.stop();
    this.#drain.finish();
    emit({ kind: 'stopped' });
  }

  /** Applies an operator's request; without effect while the worker stops. */
  async #applyDrainRequest(request: DrainRequest | undefined): Promise<void> {
    if (this.#stopped) return;
    this.#dependencies.emit(request ? { kind: 'draining', by: request.by } : { kind: 'drain-ended' });
    await (request ? this.#drain.begin(request) : this.#drain.end());
  }

  #consumeAll(agent: Agent): AgentConsumer {
    const { registry } = this.#dependencies.store;
    const places = this.#placesOf(agent);
    return new AgentConsumer(
      agent,
      (queue, concurrency) => this.#consume(agent, { queue, concurrency, places }),
      registry,
    );
  }

  #placesOf({ id, limits }: Agent): Places | undefined {
    if (!limits) return undefined;
    const { store, emit } = this.#dependencies;
    const { runningPer, ...counts } = limits;
    const onError = (err: unknown): void => emit({ kind: 'error', where: 'limits', err });
    return store.turns.places(id, { ...counts, ...(runningPer && { keyOf: keyOf(runningPer, onError) }) });
  }

  #consume(
    agent: Agent,
    { queue = agent.id, concurrency = agent.concurrency, places }: ConsumeOptions = {},
  ): Consumer<TurnJob> {
    const { store, emit } = this.#dependencies;
    const consumer: Consumer<TurnJob> = store.turns.consume({
      queue,
      concurrency,
      maxAttempts: agent.retry.attempts,
      whileWorking: agent.whileWorking,
      places,
      run: (job) => this.#run(agent, job, (wait) => consumer.yieldSlot(job, wait)),
      onError: (error) => emit({ kind: 'error', where: 'queue', err: error }),
    });
    return consumer;
  }

  async #run(agent: Agent, job: TurnJob, yieldSlot: CallDependencies['yieldSlot']): Promise<JobOutcome> {
    const { store, emit } = this.#dependencies;
    try {
      const shutdown = this.#drain.signal;
      const consumeRemoteAgents = () => this.#remoteAgents.open();
      const { publicUrl, callPatienceMs, explain = { secrets: [], folder: process.cwd() } } = this.#settings;
      const turns = this.#turns;
      const prices = this.#prices;
      const files = this.#files;
      const pace = this.#pace;
      const dependencies = {
        store,
        agent,
        emit,
        shutdown,
        turns,
        explain,
        publicUrl,
        callPatienceMs,
        prices,
        pace,
        files,
        consumeRemoteAgents,
        yieldSlot,
      };
      return await this.#drain.admit(
        () => runJob(dependencies, job),
        () => job.handBack(),
      );
    } catch (error) {
      // Redis was unreachable, or the worker has a bug: the queue starts the job again, or the sweeper does.
      emit({ kind: 'job-failed', agent: agent.id, taskId: job.taskId, err: error });
      throw error;
    }
  }
}
