/** The program that exposes a metric. */
export type Program = 'gateway' | 'worker';

export interface CatalogueEntry {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** `deployment`: each gateway reads it from Redis, so it is the same at all of them: use `max`, not `sum`. */
  readonly of: Program | 'deployment';
  readonly labels: readonly string[];
  readonly help: string;
  /** For a histogram, in seconds. */
  readonly buckets?: readonly number[];
}

/** From 1 ms to the longest wait of a blocking call. */
const requests = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const waits = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
/** Turns have no typical duration. */
const turns = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3_600];
const redis = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
const lags = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
const deliveries = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Every metric except Node's. Gateway, worker, docs, dashboard and alert rules are built from it. */
export const catalogue = {
  switchyard_request_duration_seconds: {
    type: 'histogram',
    of: 'gateway',
    labels: ['operation', 'outcome'],
    buckets: requests,
    help: 'Requests by A2A operation and outcome (ok, or the error code). For a stream: until it starts.',
  },
  switchyard_messages_accepted_total: {
    type: 'counter',
    of: 'gateway',
    labels: ['agent', 'kind'],
    help: 'Accepted messages that created a task (new-task) or continued one (follow-up).',
  },
  switchyard_admission_refusals_total: {
    type: 'counter',
    of: 'gateway',
    labels: ['reason'],
    help: 'Requests refused by authentication, authorization, rate limits or quotas, by error code or limit.',
  },
  switchyard_file_requests_total: {
    type: 'counter',
    of: 'gateway',
    labels: ['operation', 'outcome'],
    help: 'Requests for files (UploadFile, ReadFile, DeleteFile) by outcome: ok, or the error code. A piece of an upload is one.',
  },
  switchyard_file_bytes_total: {
    type: 'counter',
    of: 'gateway',
    labels: ['direction'],
    help: 'Bytes of files that this gateway got (in) and sent (out), in requests that were not broken off.',
  },
  switchyard_open_streams: {
    type: 'gauge',
    of: 'gateway',
    labels: [],
    help: 'Open streams of this gateway.',
  },
  switchyard_streams_resumed_total: {
    type: 'counter',
    of: 'gateway',
    labels: [],
    help: 'Streams that were resumed after the last event that the client had received.',
  },
  switchyard_feed_gaps_filled_total: {
    type: 'counter',
    of: 'gateway',
    labels: ['from'],
    help: 'Events that a reader missed or was too slow for, read from the stored stream, or replaced by a snapshot.',
  },
  switchyard_fan_out_lag_seconds: {
    type: 'histogram',
    of: 'gateway',
    labels: [],
    buckets: lags,
    help: 'From the timestamp of a status at the worker to its arrival at the gateway (1 in 64; the clocks may differ).',
  },
  switchyard_audit_dropped_total: {
    type: 'counter',
    of: 'gateway',
    labels: [],
    help: 'Audit events lost because Redis was unreachable for too long.',
  },
  switchyard_redis_up: {
    type: 'gauge',
    of: 'gateway',
    labels: [],
    help: '1 if Redis answers this gateway, else 0.',
  },
  switchyard_deployment_up: {
    type: 'gauge',
    of: 'gateway',
    labels: ['deployment'],
    help: 'Of each of several deployments: 1 if its Redis answers this gateway, else 0.',
  },
  switchyard_redis_used_memory_bytes: {
    type: 'gauge',
    of: 'deployment',
    labels: [],
    help: 'Memory used by Redis; for a Cluster, the sum of its masters.',
  },
  switchyard_limit_used_ratio: {
    type: 'gauge',
    of: 'deployment',
    labels: ['limit'],
    help: 'Share of a limit that is used, if it is 0.8 or more, and of the volume of files (file-volume) 0.9; of several of a kind, the fullest. GET /admin/overview names them.',
  },
  switchyard_retention_seconds: {
    type: 'gauge',
    of: 'deployment',
    labels: [],
    help: 'How long ended tasks are kept: RETENTION_MS, or less in the hour after some were dropped because Redis was nearly full.',
  },
  switchyard_queue_jobs: {
    type: 'gauge',
    of: 'deployment',
    labels: ['agent', 'state'],
    help: 'Jobs of an agent by state (waiting, active, delayed), over all shards.',
  },
  switchyard_queue_oldest_seconds: {
    type: 'gauge',
    of: 'deployment',
    labels: ['agent'],
    help: 'How long the next job of an agent has waited; 0 if none waits.',
  },
  switchyard_agent_places: {
    type: 'gauge',
    of: 'deployment',
    labels: ['agent'],
    help: 'Turns of an agent with limits that run, over all workers.',
  },
  switchyard_agent_places_limit: {
    type: 'gauge',
    of: 'deployment',
    labels: ['agent'],
    help: 'Turns that an agent may run at a time, over all workers; only if it has such a limit.',
  },
  switchyard_queue_tenants: {
    type: 'gauge',
    of: 'deployment',
    labels: ['agent'],
    help: 'Tenants with more than one waiting job at an agent, on the shard with the most of them.',
  },
  switchyard_queue_longest_tenant: {
    type: 'gauge',
    of: 'deployment',
    labels: ['agent'],
    help: 'Waiting jobs of the tenant with the most of them at an agent.',
  },
  switchyard_tenant_waiting_jobs: {
    type: 'gauge',
    of: 'deployment',
    labels: ['tenant'],
    help: 'Waiting jobs at all agents, for the ten tenants with the most; the rest are in "other".',
  },
  switchyard_agent_workers: {
    type: 'gauge',
    of: 'deployment',
    labels: ['agent'],
    help: 'Live workers that run an agent.',
  },
  switchyard_agent_paused: {
    type: 'gauge',
    of: 'deployment',
    labels: ['agent'],
    help: '1 if an agent is paused, else 0.',
  },
  switchyard_dead_letters: {
    type: 'gauge',
    of: 'deployment',
    labels: ['kind'],
    help: 'Dead letters: messages (turn) and webhooks.',
  },
  switchyard_scheduled_tasks: {
    type: 'gauge',
    of: 'deployment',
    labels: [],
    help: 'Tasks that wait for the time they are scheduled for.',
  },
  switchyard_suspended_turns: {
    type: 'gauge',
    of: 'deployment',
    labels: [],
    help: 'Turns that wait for a time or an event, and hold no worker.',
  },
  switchyard_queue_wait_seconds: {
    type: 'histogram',
    of: 'worker',
    labels: ['agent'],
    buckets: waits,
    help: 'How long the job of a turn waited in the queue.',
  },
  switchyard_time_to_first_event_seconds: {
    type: 'histogram',
    of: 'worker',
    labels: ['agent'],
    buckets: waits,
    help: 'From the enqueueing of a job until its first event was stored.',
  },
  switchyard_turn_duration_seconds: {
    type: 'histogram',
    of: 'worker',
    labels: ['agent', 'outcome'],
    buckets: turns,
    help: 'Turns by agent and outcome: the resulting task state, or retry, failed, waiting-for-auth, or what interrupted the turn.',
  },
  switchyard_running_turns: {
    type: 'gauge',
    of: 'worker',
    labels: ['agent'],
    help: 'Turns that this worker is running.',
  },
  switchyard_append_duration_seconds: {
    type: 'histogram',
    of: 'worker',
    labels: [],
    buckets: redis,
    help: 'Time of a write of events to Redis.',
  },
  switchyard_fenced_writes_total: {
    type: 'counter',
    of: 'worker',
    labels: ['agent'],
    help: 'Turns that another run took over while this worker was frozen or cut off; their late writes were refused.',
  },
  switchyard_turns_taken_over_total: {
    type: 'counter',
    of: 'worker',
    labels: ['agent'],
    help: 'Turns that this worker took over from a worker that was gone.',
  },
  switchyard_turns_given_up_total: {
    type: 'counter',
    of: 'worker',
    labels: ['agent'],
    help: 'Turns that used up their attempts or failed for good, and became dead letters.',
  },
  switchyard_push_deliveries_total: {
    type: 'counter',
    of: 'worker',
    labels: ['outcome'],
    help: 'Webhook deliveries: delivered, failed (to be retried), dead-letter (given up), ended (the receiver answered 410).',
  },
  switchyard_push_delivery_duration_seconds: {
    type: 'histogram',
    of: 'worker',
    labels: ['outcome'],
    buckets: deliveries,
    help: 'Requests to webhooks by result: delivered, failed, refused (4xx), gone (410).',
  },
  switchyard_model_tokens_total: {
    type: 'counter',
    of: 'worker',
    labels: ['agent', 'model', 'type'],
    help: 'Tokens that turns have used of models, by type (input, output): at most 50 models of a worker, others are "other".',
  },
  switchyard_model_cost_usd_total: {
    type: 'counter',
    of: 'worker',
    labels: ['agent', 'model'],
    help: 'What turns have paid for models in US dollars, by the prices of the worker (MODEL_PRICES).',
  },
  switchyard_schedule_delay_seconds: {
    type: 'histogram',
    of: 'worker',
    labels: [],
    buckets: waits,
    help: 'From the time a task was scheduled for until it entered the queue.',
  },
  switchyard_messages_rejected_total: {
    type: 'counter',
    of: 'worker',
    labels: ['agent'],
    help: 'Messages that no worker has begun in their time to live. Without workers, gateways reject them, and log it.',
  },
  switchyard_swept_total: {
    type: 'counter',
    of: 'worker',
    labels: ['what'],
    help: 'Repairs by the sweeper: lost jobs of silent tasks added again (silent), cancels completed for a worker that was gone (canceled).',
  },
  switchyard_tasks_dropped_total: {
    type: 'counter',
    of: 'worker',
    labels: [],
    help: 'Ended tasks that were deleted before RETENTION_MS was over, because Redis was nearly full (MAKE_ROOM_AT).',
  },
  switchyard_tasks_not_archived_total: {
    type: 'counter',
    of: 'worker',
    labels: [],
    help: 'Ended tasks that could not be copied to the archive, because of their data (ARCHIVE_URL).',
  },
  switchyard_stored_files: {
    type: 'gauge',
    of: 'worker',
    labels: [],
    help: 'Files and unfinished uploads in FILES_URL, as this worker found them when it last looked. All workers look.',
  },
  switchyard_stored_file_bytes: {
    type: 'gauge',
    of: 'worker',
    labels: [],
    help: 'Bytes of these files, with those that unfinished uploads will have.',
  },
  switchyard_errors_total: {
    type: 'counter',
    of: 'worker',
    labels: ['kind'],
    help: 'Failed jobs and Redis errors.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

type Catalogue = typeof catalogue;
export type MetricName = keyof Catalogue;
export type LabelsOf<Name extends MetricName> = Readonly<Record<Catalogue[Name]['labels'][number], string>>;

/** The metrics of a program with this type. A gateway also exposes those of the deployment. */
export type NamesOf<At extends Program, Type extends CatalogueEntry['type']> = {
  [Name in MetricName]: Catalogue[Name] extends {
    readonly type: Type;
    readonly of: At | (At extends 'gateway' ? 'deployment' : never);
  }
    ? Name
    : never;
}[MetricName];
