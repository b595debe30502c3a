import type { AgentReading, DeadLetterKind } from '@switchyard/store';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { GatewayEvent } from './events.ts';

/** The sources of metrics, read when they are collected. */
export interface MetricSources {
  readonly openStreams: () => number;
  readonly isRedisUp: () => boolean;
  /** Rejects while the store does not answer. */
  readonly agents: () => Promise<readonly AgentReading[]>;
  /** Rejects while the store does not answer. */
  readonly deadLetters: () => Promise<Readonly<Record<DeadLetterKind, number>>>;
}

/** From 1 ms to the longest wait of a blocking call, in seconds. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Metrics of a gateway, for Prometheus. Those of the whole deployment are the same at every gateway. */
export class GatewayMetrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram<'operation' | 'outcome'>;
  readonly #accepted: Counter<'agent' | 'kind'>;
  readonly #auditDropped: Counter;
  readonly #sources: MetricSources;
  #agentReadings: Promise<readonly AgentReading[]> | undefined;

  constructor(sources: MetricSources) {
    const registers = [this.#registry];
    this.#sources = sources;
    collectDefaultMetrics({ register: this.#registry, prefix: 'switchyard_gateway_' });
    this.#requests = new Histogram({
      name: 'switchyard_request_duration_seconds',
      help: 'Requests by A2A operation and outcome (ok, or the code of the error). Of a stream: until it begins.',
      labelNames: ['operation', 'outcome'],
      buckets: SECONDS,
      registers,
    });
    this.#accepted = new Counter({
      name: 'switchyard_messages_accepted_total',
      help: 'Messages accepted: those that made a task, and those that went on with one.',
      labelNames: ['agent', 'kind'],
      registers,
    });
    this.#auditDropped = new Counter({
      name: 'switchyard_audit_dropped_total',
      help: 'Events that never come into the audit trail, as Redis did not take them for too long.',
      registers,
    });
    this.#measureProcess();
    this.#measureDeployment();
  }

  record(event: GatewayEvent): void {
    if (event.kind === 'operation-finished') {
      const { operation, outcome, durationMs } = event;
      this.#requests.observe({ operation, outcome }, durationMs / 1_000);
    } else if (event.kind === 'message-accepted') {
      this.#accepted.inc({ agent: event.agent, kind: event.isNew ? 'new-task' : 'follow-up' });
    } else if (event.kind === 'audit-dropped') {
      this.#auditDropped.inc(event.count);
    }
  }

  /** In the text format. Metrics from Redis are left out while it does not answer. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #measureProcess(): void {
    const { openStreams, isRedisUp } = this.#sources;
    this.#gauge('switchyard_open_streams', 'Streams that are open at this gateway.', (gauge) =>
      gauge.set(openStreams()),
    );
    this.#gauge('switchyard_redis_up', 'Whether Redis answers this gateway.', (gauge) =>
      gauge.set(isRedisUp() ? 1 : 0),
    );
  }

  #measureDeployment(): void {
    this.#perAgent('switchyard_queue_jobs', 'Jobs of an agent, over all shards.', (gauge, agent) => {
      for (const state of ['waiting', 'active', 'delayed'] as const)
        gauge.set({ agent: agent.id, state }, agent[state]);
    });
    this.#perAgent(
      'switchyard_queue_tenants',
      'Tenants that wait for an agent with more than a turn, on the shard that has the most of them.',
      (gauge, agent) => gauge.set({ agent: agent.id }, agent.tenants),
    );
    this.#perAgent(
      'switchyard_queue_longest_tenant',
      'Jobs that wait for an agent, of the tenant that has the most of them.',
      (gauge, agent) => gauge.set({ agent: agent.id }, agent.longestTenant),
    );
    this.#perAgent('switchyard_agent_workers', 'Workers that are alive and can run an agent.', (gauge, agent) =>
      gauge.set({ agent: agent.id }, agent.workers),
    );
    this.#perAgent('switchyard_agent_paused', 'Whether an agent is paused.', (gauge, agent) =>
      gauge.set({ agent: agent.id }, agent.paused ? 1 : 0),
    );
    this.#gauge('switchyard_dead_letters', 'Messages (turn) and webhooks that were given up.', async (gauge) => {
      gauge.reset();
      const counts = await this.#sources.deadLetters().catch(() => undefined); // switchyard_redis_up shows it
      for (const [kind, count] of Object.entries(counts ?? {})) gauge.set({ kind }, count);
    });
  }

  #perAgent(name: string, help: string, set: (gauge: Gauge, agent: AgentReading) => void): void {
    this.#gauge(name, help, async (gauge) => {
      gauge.reset();
      const agents = await this.#agents().catch(() => []); // switchyard_redis_up shows it
      for (const agent of agents) set(gauge, agent);
    });
  }

  /** Read once for all gauges of a collection. */
  #agents(): Promise<readonly AgentReading[]> {
    this.#agentReadings ??= this.#sources.agents().finally(() => {
      this.#agentReadings = undefined;
    });
    return this.#agentReadings;
  }

  #gauge(name: string, help: string, collect: (gauge: Gauge) => void | Promise<void>): void {
    new Gauge({
      name,
      help,
      labelNames: ['agent', 'state', 'kind'],
      registers: [this.#registry],
      collect() {
        return collect(this);
      },
    });
  }
}
