/** Which program has a metric. */
export type Home = 'gateway' | 'worker';

export interface CatalogueEntry {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** `deployment`: read from Redis by each gateway, so it is the same at all of them: take `max`, not `sum`. */
  readonly of: Home | 'deployment';
  readonly labels: readonly string[];
  readonly help: string;
  /** Of a histogram, in seconds. */
  readonly buckets?: readonly number[];
}

/** From 1 ms to the longest wait of a blocking call. */
const requests = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const waits = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Turns are as long as agents like. */
const turns = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3_600];
const redis = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
const lags = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
const deliveries = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Every metric but those of Node. Gateway, worker, docs, dashboard and alert rules have them from here. */
export const catalogue = {
  switchyard_request_duration_seconds: {
    type: 'histogram',
    of: 'gateway',
    labels: ['operation', 'outcome'],
    buckets: requests,
    help: 'Requests by A2A operation and outcome (ok, or the code of the error). Of a stream: until it begins.',
  },
  switchyard_messages_accepted_total: {
    type: 'counter',
    of: 'gateway',
    labels: ['agent', 'kind'],
    help: 'Messages accepted: those that made a task (new-task), and those that went on with one (follow-up).',
  },
  switchyard_admission_refusals_total: {
    type: 'counter',
    of: 'gateway',
    labels: ['reason'],
    help: 'Requests refused for who asked, how often, or how much: the code of the error, or the limit that was reached.',
  },
  switchyard_open_streams: {
    type: 'gauge',
    of: 'gateway',
    labels: [],
    help: 'Streams that are open at this gateway.',
  },
  switchyard_streams_resumed_total: {
    type: 'counter',
    of: 'gateway',
    labels: [],
    help: 'Streams that went on after the last event that their client had received.',
  },
  switchyard_feed_gaps_filled_total: {
    type: 'counter',
    of: 'gateway',
    labels: ['from'],
    help: 'Events that a reader had missed, or was too slow for, read from the stream; or a snapshot in their place.',
  },
  switchyard_fan_out_lag_seconds: {
    type: 'histogram',
    of: 'gateway',
    labels: [],
    buckets: lags,
    help: 'Of one status in 64: from its timestamp at the worker to its arrival here. The two clocks may differ.',
  },
  switchyard_audit_dropped_total: {
    type: 'counter',
    of: 'gateway',
    labels: [],
    help: 'Events that never come into the audit trail, as Redis did not take them for too long.',
  },
  switchyard_redis_up: {
    type: 'gauge',
    of: 'gateway',
    labels: [],
    help: 'Whether Redis answers this gateway.',
  },
  switchyard_redis_used_memory_bytes: {
    type: 'gauge',
    of: 'deployment',
    labels: [],
    help: 'Memory that Redis uses; of a cluster: all its masters together.',
  },
  switchyard_queue_jobs: {
    type: 'gauge',
    of: 'deployment',
    labels: ['agent', 'state'],
    help: 'Jobs of an agent, over all shards: waiting, active, delayed.',
  },
  switchyard_queue_oldest_seconds: {
    type: 'gauge',
    of: 'deployment',
    labels: ['agent'],
    help: 'For how long the job that is next has waited for an agent; 0: none waits.',
  },
  switchyard_queue_tenants: {
    type: 'gauge',
    of: 'deployment',
    labels: ['agent'],
    help: 'Tenants that wait for an agent with more than a turn, on the shard that has the most of them.',
  },
  switchyard_queue_longest_tenant: {
    type: 'gauge',
    of: 'deployment',
    labels: ['agent'],
    help: 'Jobs that wait for an agent, of the tenant that has the most of them.',
  },
  switchyard_tenant_waiting_jobs: {
    type: 'gauge',
    of: 'deployment',
    labels: ['tenant'],
    help: 'Jobs that wait for any agent, of the ten tenants that have the most of them; the others are "other".',
  },
  switchyard_agent_workers: {
    type: 'gauge',
    of: 'deployment',
    labels: ['agent'],
    help: 'Workers that are alive and can run an agent.',
  },
  switchyard_agent_paused: {
    type: 'gauge',
    of: 'deployment',
    labels: ['agent'],
    help: 'Whether an agent is paused.',
  },
  switchyard_dead_letters: {
    type: 'gauge',
    of: 'deployment',
    labels: ['kind'],
    help: 'Messages (turn) and webhooks that were given up.',
  },
  switchyard_queue_wait_seconds: {
    type: 'histogram',
    of: 'worker',
    labels: ['agent'],
    buckets: waits,
    help: 'For how long the job of a turn waited in the queue.',
  },
  switchyard_time_to_first_event_seconds: {
    type: 'histogram',
    of: 'worker',
    labels: ['agent'],
    buckets: waits,
    help: 'From when the job of a turn came into the queue until its first event was in Redis.',
  },
  switchyard_turn_duration_seconds: {
    type: 'histogram',
    of: 'worker',
    labels: ['agent', 'outcome'],
    buckets: turns,
    help: 'Turns by agent and outcome: the state that the turn led to, or retry, failed, interrupted (by what), waiting-for-auth.',
  },
  switchyard_running_turns: {
    type: 'gauge',
    of: 'worker',
    labels: ['agent'],
    help: 'Turns that this worker runs.',
  },
  switchyard_append_duration_seconds: {
    type: 'histogram',
    of: 'worker',
    labels: [],
    buckets: redis,
    help: 'From when a batch of events was sent to Redis until it answered.',
  },
  switchyard_fenced_writes_total: {
    type: 'counter',
    of: 'worker',
    labels: ['agent'],
    help: 'Turns that were lost to another run, as of a worker that was frozen: what they wrote late was refused.',
  },
  switchyard_turns_taken_over_total: {
    type: 'counter',
    of: 'worker',
    labels: ['agent'],
    help: 'Turns that this worker began again, as the worker that ran them was gone.',
  },
  switchyard_turns_given_up_total: {
    type: 'counter',
    of: 'worker',
    labels: ['agent'],
    help: 'Turns that used up their attempts, or failed for good: they are dead letters now.',
  },
  switchyard_push_deliveries_total: {
    type: 'counter',
    of: 'worker',
    labels: ['outcome'],
    help: 'Deliveries to webhooks: delivered, failed (tried again), dead-letter (given up), ended (the receiver wants no more).',
  },
  switchyard_push_delivery_duration_seconds: {
    type: 'histogram',
    of: 'worker',
    labels: ['outcome'],
    buckets: deliveries,
    help: 'Requests to webhooks, until they were answered, or failed: delivered, failed, refused (4xx), gone (410).',
  },
  switchyard_swept_total: {
    type: 'counter',
    of: 'worker',
    labels: ['what'],
    help: 'What the sweeper found: silent tasks whose job was added again, cancels whose worker is gone.',
  },
  switchyard_errors_total: {
    type: 'counter',
    of: 'worker',
    labels: ['kind'],
    help: 'What should not happen often: jobs that failed, errors of Redis.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

type Catalogue = typeof catalogue;
export type MetricName = keyof Catalogue;
export type LabelsOf<Name extends MetricName> = Readonly<Record<Catalogue[Name]['labels'][number], string>>;

/** The metrics of a program that are of this type. A gateway has those of the deployment, too. */
export type NamesOf<At extends Home, Type extends CatalogueEntry['type']> = {
  [Name in MetricName]: Catalogue[Name] extends {
    readonly type: Type;
    readonly of: At | (At extends 'gateway' ? 'deployment' : never);
  }
    ? Name
    : never;
}[MetricName];
