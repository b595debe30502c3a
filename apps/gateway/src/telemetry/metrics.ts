import type { AgentReading, DeadLetterKind, NearLimit, TenantShare } from '@switchyard/operators';
import { A2AError, type A2AErrorCode } from '@switchyard/protocol';
import type { StoreObserver } from '@switchyard/store';
import { Metrics, type Rendered } from '@switchyard/telemetry';
import type { GatewayEvent } from './events.ts';

/** The sources of metrics, read at each collection. Promises reject while the store does not answer. */
export interface MetricSources {
  readonly openStreams: () => number;
  readonly isRedisUp: () => boolean;
  /** Of several deployments: each. Empty: there is one. */
  readonly deployments: () => readonly { readonly number: number; readonly isAnswering: boolean }[];
  readonly agents: () => Promise<readonly AgentReading[]>;
  /** Waiting jobs of all tenants. */
  readonly tenants: () => Promise<readonly TenantShare[]>;
  readonly deadLetters: () => Promise<Readonly<Record<DeadLetterKind, number>>>;
  /** That wait for their time. */
  readonly scheduledTasks: () => Promise<number>;
  readonly suspendedTurns: () => Promise<number>;
  readonly redisBytes: () => Promise<number>;
  /** Limits that are nearly reached, the fullest first. */
  readonly limits: () => Promise<readonly NearLimit[]>;
  readonly kept: () => Promise<{ readonly keptMs: number }>;
}

const MAX_TENANTS = 10;

type AgentGauge =
  | 'switchyard_queue_oldest_seconds'
  | 'switchyard_queue_tenants'
  | 'switchyard_queue_longest_tenant'
  | 'switchyard_agent_workers'
  | 'switchyard_agent_paused';

/** Metrics of a gateway, for Prometheus. Those of the deployment are the same at every gateway. */
export class GatewayMetrics {
  readonly #metrics = new Metrics('gateway');
  readonly #sources: MetricSources;
  #agentReadings: Promise<readonly AgentReading[]> | undefined;

  constructor(sources: MetricSources) {
    this.#sources = sources;
    this.#measureProcess();
    this.#measureAgents();
    this.#measureDeployment();
  }

  /** Observer of the store. */
  get observer(): StoreObserver {
    const metrics = this.#metrics;
    return {
      gapFilled: (from) => metrics.count('switchyard_feed_gaps_filled_total', { from }),
      arrived: (lagMs) => metrics.observe('switchyard_fan_out_lag_seconds', lagMs / 1_000, {}),
    };
  }

  record(event: GatewayEvent): void {
    const metrics = this.#metrics;
    if (event.kind === 'operation-finished') {
      const { operation, outcome, durationMs } = event;
      metrics.observe('switchyard_request_duration_seconds', durationMs / 1_000, { operation, outcome });
    } else if (event.kind === 'message-accepted') {
      const kind = event.isNew ? 'new-task' : 'follow-up';
      metrics.count('switchyard_messages_accepted_total', { agent: event.agent, kind });
    } else if (event.kind === 'stream-resumed') {
      metrics.count('switchyard_streams_resumed_total', {});
    } else if (event.kind === 'file-request') {
      const { operation, outcome, bytes } = event;
      metrics.count('switchyard_file_requests_total', { operation, outcome });
      metrics.count('switchyard_file_bytes_total', { direction: operation === 'UploadFile' ? 'in' : 'out' }, bytes);
    } else if (event.kind === 'audit-dropped') {
      metrics.count('switchyard_audit_dropped_total', {}, event.count);
    } else if (event.kind === 'refused' || event.kind === 'failed') {
      const reason = refusalReason(event.err);
      if (reason !== undefined) metrics.count('switchyard_admission_refusals_total', { reason });
    }
  }

  /** Metrics from Redis are left out while it does not answer. @param accept the header of that name */
  render(accept?: string): Promise<Rendered> {
    return this.#metrics.render(accept);
  }

  #measureProcess(): void {
    const { openStreams, isRedisUp, deployments } = this.#sources;
    this.#metrics.collect('switchyard_open_streams', (set) => set(openStreams(), {}));
    this.#metrics.collect('switchyard_redis_up', (set) => set(isRedisUp() ? 1 : 0, {}));
    this.#metrics.collect('switchyard_deployment_up', (set) => {
      for (const { number, isAnswering } of deployments()) set(isAnswering ? 1 : 0, { deployment: String(number) });
    });
  }

  #measureAgents(): void {
    this.#metrics.collect('switchyard_queue_jobs', (set) =>
      this.#eachAgent((agent) => {
        for (const state of ['waiting', 'active', 'delayed'] as const) set(agent[state], { agent: agent.id, state });
      }),
    );
    this.#metrics.collect('switchyard_agent_places', (set) =>
      this.#eachAgent(({ id, places }) => {
        if (places) set(places.taken, { agent: id });
      }),
    );
    this.#metrics.collect('switchyard_agent_places_limit', (set) =>
      this.#eachAgent(({ id, places }) => {
        if (places?.limit !== undefined) set(places.limit, { agent: id });
      }),
    );
    this.#perAgent('switchyard_queue_oldest_seconds', ({ oldestWaitMs }) => oldestWaitMs / 1_000);
    this.#perAgent('switchyard_queue_tenants', ({ tenants }) => tenants);
    this.#perAgent('switchyard_queue_longest_tenant', ({ longestTenant }) => longestTenant);
    this.#perAgent('switchyard_agent_workers', ({ workers }) => workers);
    this.#perAgent('switchyard_agent_paused', ({ paused }) => (paused ? 1 : 0));
  }

  #measureDeployment(): void {
    const { tenants, deadLetters, scheduledTasks, suspendedTurns, redisBytes, limits, kept } = this.#sources;
    this.#metrics.collect('switchyard_tenant_waiting_jobs', async (set) => {
      for (const { tenant, waiting } of labelled((await answerOf(tenants())) ?? [])) set(waiting, { tenant });
    });
    this.#metrics.collect('switchyard_dead_letters', async (set) => {
      for (const [kind, count] of Object.entries((await answerOf(deadLetters())) ?? {})) set(count, { kind });
    });
    this.#metrics.collect('switchyard_scheduled_tasks', async (set) => {
      const count = await answerOf(scheduledTasks());
      if (count !== undefined) set(count, {});
    });
    this.#metrics.collect('switchyard_suspended_turns', async (set) => {
      const count = await answerOf(suspendedTurns());
      if (count !== undefined) set(count, {});
    });
    this.#metrics.collect('switchyard_limit_used_ratio', async (set) => {
      for (const { limit, used, max } of ((await answerOf(limits())) ?? []).toReversed()) set(used / max, { limit });
    });
    this.#metrics.collect('switchyard_retention_seconds', async (set) => {
      const reading = await answerOf(kept());
      if (reading) set(reading.keptMs / 1_000, {});
    });
    this.#metrics.collect('switchyard_redis_used_memory_bytes', async (set) => {
      const bytes = await answerOf(redisBytes());
      if (bytes !== undefined) set(bytes, {});
    });
  }

  #perAgent(name: AgentGauge, read: (agent: AgentReading) => number): void {
    this.#metrics.collect(name, (set) => this.#eachAgent((agent) => set(read(agent), { agent: agent.id })));
  }

  async #eachAgent(set: (agent: AgentReading) => void): Promise<void> {
    for (const agent of (await answerOf(this.#agents())) ?? []) set(agent);
  }

  /** Read once for all gauges of a collection. */
  #agents(): Promise<readonly AgentReading[]> {
    this.#agentReadings ??= this.#sources.agents().finally(() => {
      this.#agentReadings = undefined;
    });
    return this.#agentReadings;
  }
}

/** Undefined while Redis does not answer, which switchyard_redis_up shows. */
const answerOf = <T>(question: Promise<T>): Promise<T | undefined> => question.catch(() => undefined);

/** Bounds the number of labels, whatever the number of tenants. */
function labelled(tenants: readonly TenantShare[]): readonly TenantShare[] {
  const waiting = tenants.slice(MAX_TENANTS).reduce((sum, share) => sum + share.waiting, 0);
  return [...tenants.slice(0, MAX_TENANTS), { tenant: 'other', waiting }];
}

const admissionCodes: ReadonlySet<A2AErrorCode> = new Set([
  'Unauthenticated',
  'PermissionDenied',
  'PayloadTooLarge',
  'RateLimited',
]);

/** The limit that was reached, or the error code. Undefined: not a refusal by admission. */
function refusalReason(error: unknown): string | undefined {
  if (!(error instanceof A2AError)) return undefined;
  return error.metadata.limit ?? (admissionCodes.has(error.code) ? error.code : undefined);
}
