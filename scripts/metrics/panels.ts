/** A question to Prometheus, and the name of its answers. */
export interface Query {
  readonly expr: string;
  readonly legend: string;
}

/** Of a panel's values, as Grafana names them. */
export type Unit = 'short' | 's' | 'reqps' | 'bytes' | 'percentunit' | 'bool_on_off';

export interface Panel {
  readonly title: string;
  readonly text: string;
  readonly unit: Unit;
  readonly queries: readonly Query[];
  /** One figure each instead of a graph; red from this value on, if there is one. */
  readonly figure?: { readonly redFrom?: number };
  readonly isStacked?: boolean;
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const AGENT = 'agent=~"$agent"';

/** A quantile of a histogram, over all processes. @param by labels, in its answers, too */
function quantile(q: number, histogram: string, { by = '', where = '' } = {}): string {
  const labels = by ? `le, ${by}` : 'le';
  return `histogram_quantile(${q}, sum by (${labels}) (rate(${histogram}_bucket${braces(where)}[$__rate_interval])))`;
}

function rate(counter: string, { by = '', where = '' } = {}): string {
  return `sum${by && ` by (${by})`} (rate(${counter}${braces(where)}[$__rate_interval]))`;
}

/** What each gateway reads from Redis: the same everywhere. */
function deployment(gauge: string, { by = '', where = '' } = {}): string {
  return `max${by && ` by (${by})`} (${gauge}${braces(where)})`;
}

const braces = (where: string): string => (where ? `{${where}}` : '');
const one = (expr: string, legend = ''): readonly Query[] => [{ expr, legend }];
const quantiles = (histogram: string, where = ''): readonly Query[] =>
  [0.5, 0.95, 0.99].map((q) => ({ expr: quantile(q, histogram, { where }), legend: `p${q * 100}` }));

const FAILED = 'outcome=~"TASK_STATE_FAILED|failed"';

const overview: readonly Panel[] = [
  {
    title: 'Messages',
    text: 'Accepted per second.',
    unit: 'reqps',
    figure: {},
    queries: one(rate('switchyard_messages_accepted_total', { where: AGENT })),
  },
  {
    title: 'Turns',
    text: 'Ended per second, with any outcome.',
    unit: 'reqps',
    figure: {},
    queries: one(rate('switchyard_turn_duration_seconds_count', { where: AGENT })),
  },
  {
    title: 'Failed turns',
    text: 'Their share of all turns.',
    unit: 'percentunit',
    figure: { redFrom: 0.1 },
    queries: one(
      `${rate('switchyard_turn_duration_seconds_count', { where: `${AGENT}, ${FAILED}` })} / ${rate('switchyard_turn_duration_seconds_count', { where: AGENT })}`,
    ),
  },
  {
    title: 'Queue wait, p95',
    text: 'From acceptance to the start of the turn.',
    unit: 's',
    figure: { redFrom: 30 },
    queries: one(quantile(0.95, 'switchyard_queue_wait_seconds', { where: AGENT })),
  },
  {
    title: 'First event, p95',
    text: 'From acceptance to the first event of the turn.',
    unit: 's',
    figure: { redFrom: 60 },
    queries: one(quantile(0.95, 'switchyard_time_to_first_event_seconds', { where: AGENT })),
  },
  {
    title: 'Turns of agents with limits',
    text: 'Beside how many may run, over all workers.',
    unit: 'short',
    queries: [
      ...one(deployment('switchyard_agent_places', { by: 'agent', where: AGENT }), '{{agent}}'),
      ...one(deployment('switchyard_agent_places_limit', { by: 'agent', where: AGENT }), '{{agent}}: limit'),
    ],
  },
  {
    title: 'Oldest wait',
    text: 'Of the next job, at any agent.',
    unit: 's',
    figure: { redFrom: 60 },
    queries: one(deployment('switchyard_queue_oldest_seconds', { where: AGENT })),
  },
  {
    title: 'Dead letters',
    text: 'Messages and webhooks that failed for good: retry or delete them.',
    unit: 'short',
    figure: { redFrom: 1 },
    queries: one(deployment('switchyard_dead_letters', { by: 'kind' }), '{{kind}}'),
  },
  {
    title: 'Redis memory',
    text: 'Used by Redis; for a Cluster, by all masters.',
    unit: 'bytes',
    figure: {},
    queries: one(deployment('switchyard_redis_used_memory_bytes')),
  },
  {
    title: 'Ended tasks are kept for',
    text: 'Less than RETENTION_MS while memory is short.',
    unit: 's',
    figure: {},
    queries: one(deployment('switchyard_retention_seconds')),
  },
];

const clients: readonly Panel[] = [
  {
    title: 'Requests by operation',
    text: 'Per second, over all gateways.',
    unit: 'reqps',
    isStacked: true,
    queries: one(rate('switchyard_request_duration_seconds_count', { by: 'operation' }), '{{operation}}'),
  },
  {
    title: 'Request duration, p95',
    text: 'For a stream: until it starts. A blocking send lasts as long as its turn.',
    unit: 's',
    queries: one(quantile(0.95, 'switchyard_request_duration_seconds', { by: 'operation' }), '{{operation}}'),
  },
  {
    title: 'Errors by code',
    text: 'Requests that were answered with an error.',
    unit: 'reqps',
    queries: one(
      rate('switchyard_request_duration_seconds_count', { by: 'outcome', where: 'outcome!="ok"' }),
      '{{outcome}}',
    ),
  },
  {
    title: 'Refusals at admission',
    text: 'By limit or error code.',
    unit: 'reqps',
    queries: one(rate('switchyard_admission_refusals_total', { by: 'reason' }), '{{reason}}'),
  },
  {
    title: 'Open streams',
    text: 'Per gateway.',
    unit: 'short',
    isStacked: true,
    queries: one('switchyard_open_streams', '{{instance}}'),
  },
  {
    title: 'Streams resumed, gaps filled',
    text: 'Many at once mean that a network, a load balancer or Redis has cut connections.',
    unit: 'reqps',
    queries: [
      { expr: rate('switchyard_streams_resumed_total'), legend: 'resumed' },
      { expr: rate('switchyard_feed_gaps_filled_total', { by: 'from' }), legend: 'filled from {{from}}' },
    ],
  },
  {
    title: 'Fan-out lag',
    text: 'From the timestamp of a status at the worker to its arrival at a reader; the clocks may differ.',
    unit: 's',
    queries: quantiles('switchyard_fan_out_lag_seconds'),
  },
];

const queues: readonly Panel[] = [
  {
    title: 'Waiting jobs',
    text: 'By agent.',
    unit: 'short',
    isStacked: true,
    queries: one(deployment('switchyard_queue_jobs', { by: 'agent', where: `${AGENT}, state="waiting"` }), '{{agent}}'),
  },
  {
    title: 'Oldest wait',
    text: 'Of the next job, by agent.',
    unit: 's',
    queries: one(deployment('switchyard_queue_oldest_seconds', { by: 'agent', where: AGENT }), '{{agent}}'),
  },
  {
    title: 'Queue wait, p95',
    text: 'By agent.',
    unit: 's',
    queries: one(quantile(0.95, 'switchyard_queue_wait_seconds', { by: 'agent', where: AGENT }), '{{agent}}'),
  },
  {
    title: 'Waiting jobs by tenant',
    text: 'The ten tenants with the most waiting jobs; workers serve tenants round-robin.',
    unit: 'short',
    isStacked: true,
    queries: one(deployment('switchyard_tenant_waiting_jobs', { by: 'tenant' }), '{{tenant}}'),
  },
  {
    title: 'Waiting tenants, and the largest of them',
    text: 'A tenant far above the others fills the queue of the agent.',
    unit: 'short',
    queries: [
      {
        expr: deployment('switchyard_queue_tenants', { by: 'agent', where: AGENT }),
        legend: '{{agent}}: tenants',
      },
      {
        expr: deployment('switchyard_queue_longest_tenant', { by: 'agent', where: AGENT }),
        legend: '{{agent}}: jobs of the longest',
      },
    ],
  },
  {
    title: 'Workers',
    text: 'Live workers by agent; at 0, messages of the agent wait.',
    unit: 'short',
    queries: [
      { expr: deployment('switchyard_agent_workers', { by: 'agent', where: AGENT }), legend: '{{agent}}' },
      {
        expr: `${deployment('switchyard_agent_paused', { by: 'agent', where: AGENT })} == 1`,
        legend: '{{agent}} is paused',
      },
    ],
  },
];

const turns: readonly Panel[] = [
  {
    title: 'Turns by outcome',
    text: 'The resulting task state, or retry, failed, or what interrupted the turn.',
    unit: 'reqps',
    isStacked: true,
    queries: one(rate('switchyard_turn_duration_seconds_count', { by: 'outcome', where: AGENT }), '{{outcome}}'),
  },
  {
    title: 'Turn duration, p95',
    text: 'By agent.',
    unit: 's',
    queries: one(quantile(0.95, 'switchyard_turn_duration_seconds', { by: 'agent', where: AGENT }), '{{agent}}'),
  },
  {
    title: 'Time to first event, p95',
    text: 'From acceptance to the first event of the turn, by agent.',
    unit: 's',
    queries: one(quantile(0.95, 'switchyard_time_to_first_event_seconds', { by: 'agent', where: AGENT }), '{{agent}}'),
  },
  {
    title: 'Running turns',
    text: 'By agent, over all workers.',
    unit: 'short',
    isStacked: true,
    queries: one(`sum by (agent) (switchyard_running_turns{${AGENT}})`, '{{agent}}'),
  },
  {
    title: 'Append duration',
    text: 'Time of a write of events to Redis.',
    unit: 's',
    queries: quantiles('switchyard_append_duration_seconds'),
  },
  {
    title: 'Taken over, fenced, given up',
    text: 'Turns taken over from crashed or frozen workers; refused late writes; messages without attempts left.',
    unit: 'reqps',
    queries: [
      { expr: rate('switchyard_turns_taken_over_total', { where: AGENT }), legend: 'taken over' },
      { expr: rate('switchyard_fenced_writes_total', { where: AGENT }), legend: 'fenced' },
      { expr: rate('switchyard_turns_given_up_total', { where: AGENT }), legend: 'given up' },
    ],
  },
  {
    title: 'Models',
    text: 'What turns pay for models in US dollars an hour, and the tokens that they use a second, by model.',
    unit: 'short',
    queries: [
      {
        expr: `3600 * ${rate('switchyard_model_cost_usd_total', { by: 'model', where: AGENT })}`,
        legend: 'USD/h: {{model}}',
      },
      { expr: rate('switchyard_model_tokens_total', { by: 'model', where: AGENT }), legend: 'tokens/s: {{model}}' },
    ],
  },
  {
    title: 'Scheduled tasks, suspended turns',
    text: 'Tasks that wait for their time, how late those entered the queue whose time came, and turns that wait.',
    unit: 'short',
    queries: [
      { expr: 'max(switchyard_scheduled_tasks)', legend: 'waiting' },
      { expr: quantile(0.95, 'switchyard_schedule_delay_seconds'), legend: 'late, p95, seconds' },
      { expr: 'max(switchyard_suspended_turns)', legend: 'suspended' },
      { expr: rate('switchyard_messages_rejected_total', { by: 'agent' }), legend: 'too late, by agent: {{agent}}' },
    ],
  },
  {
    title: 'Swept, and errors',
    text: 'Repairs by the sweeper, failed jobs, Redis errors: read the log.',
    unit: 'reqps',
    queries: [
      { expr: rate('switchyard_swept_total', { by: 'what' }), legend: 'swept: {{what}}' },
      { expr: rate('switchyard_errors_total', { by: 'kind' }), legend: 'error: {{kind}}' },
    ],
  },
];

const webhooks: readonly Panel[] = [
  {
    title: 'Deliveries by outcome',
    text: 'Per second, over all workers.',
    unit: 'reqps',
    isStacked: true,
    queries: one(rate('switchyard_push_deliveries_total', { by: 'outcome' }), '{{outcome}}'),
  },
  {
    title: 'Delivery duration, p95',
    text: 'Until the receiver answered or the request failed.',
    unit: 's',
    queries: one(quantile(0.95, 'switchyard_push_delivery_duration_seconds', { by: 'outcome' }), '{{outcome}}'),
  },
];

const files: readonly Panel[] = [
  {
    title: 'Requests for files',
    text: 'Per second, by operation and outcome. Unavailable: the folder or bucket is away or full.',
    unit: 'reqps',
    queries: one(rate('switchyard_file_requests_total', { by: 'operation, outcome' }), '{{operation}} {{outcome}}'),
  },
  {
    title: 'Bytes of files',
    text: 'Per second, that clients sent (in) and got (out).',
    unit: 'bytes',
    queries: one(rate('switchyard_file_bytes_total', { by: 'direction' }), '{{direction}}'),
  },
  {
    title: 'Stored bytes of files',
    text: 'With unfinished uploads, when a worker last looked.',
    unit: 'bytes',
    queries: one('max(switchyard_stored_file_bytes)', 'bytes'),
  },
  {
    title: 'Stored files',
    text: 'With unfinished uploads, when a worker last looked.',
    unit: 'short',
    queries: one('max(switchyard_stored_files)', 'files'),
  },
];

const ofBoth = (metric: string, rest = ''): string => `{__name__=~"switchyard_(gateway|worker)_${metric}"${rest}}`;

const processes: readonly Panel[] = [
  {
    title: 'Processors',
    text: 'Processor cores used by each process; a Node process gains little from a second core.',
    unit: 'short',
    queries: one(`rate(${ofBoth('process_cpu_seconds_total')}[$__rate_interval])`, '{{instance}}'),
  },
  {
    title: 'Memory',
    text: 'Resident memory of each process.',
    unit: 'bytes',
    queries: one(ofBoth('process_resident_memory_bytes'), '{{instance}}'),
  },
  {
    title: 'Event loop lag, p99',
    text: 'Of each process; it grows first when a process nears its limit.',
    unit: 's',
    queries: one(ofBoth('nodejs_eventloop_lag_p99_seconds'), '{{instance}}'),
  },
  {
    title: 'Redis, and the audit trail',
    text: 'Gateways that reach Redis; lost audit events.',
    unit: 'short',
    queries: [
      { expr: 'switchyard_redis_up', legend: '{{instance}}' },
      { expr: rate('switchyard_audit_dropped_total'), legend: 'audit events lost in a second' },
    ],
  },
];

export const rows: readonly Row[] = [
  { title: 'At a glance', panels: overview },
  { title: 'Clients', panels: clients },
  { title: 'Queues', panels: queues },
  { title: 'Turns', panels: turns },
  { title: 'Webhooks', panels: webhooks },
  { title: 'Files', panels: files },
  { title: 'Processes', panels: processes },
];
