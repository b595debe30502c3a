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
    text: 'Accepted in a second.',
    unit: 'reqps',
    figure: {},
    queries: one(rate('switchyard_messages_accepted_total', { where: AGENT })),
  },
  {
    title: 'Turns',
    text: 'Ended in a second, however.',
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
    text: 'From accepted to begun.',
    unit: 's',
    figure: { redFrom: 30 },
    queries: one(quantile(0.95, 'switchyard_queue_wait_seconds', { where: AGENT })),
  },
  {
    title: 'First event, p95',
    text: 'From accepted to the first event of the turn.',
    unit: 's',
    figure: { redFrom: 60 },
    queries: one(quantile(0.95, 'switchyard_time_to_first_event_seconds', { where: AGENT })),
  },
  {
    title: 'Oldest wait',
    text: 'Of the job that is next, at any agent.',
    unit: 's',
    figure: { redFrom: 60 },
    queries: one(deployment('switchyard_queue_oldest_seconds', { where: AGENT })),
  },
  {
    title: 'Dead letters',
    text: 'Messages and webhooks that were given up, and wait for somebody.',
    unit: 'short',
    figure: { redFrom: 1 },
    queries: one(deployment('switchyard_dead_letters', { by: 'kind' }), '{{kind}}'),
  },
  {
    title: 'Redis memory',
    text: 'Used by Redis; of a cluster: by all masters.',
    unit: 'bytes',
    figure: {},
    queries: one(deployment('switchyard_redis_used_memory_bytes')),
  },
];

const clients: readonly Panel[] = [
  {
    title: 'Requests by operation',
    text: 'In a second, over all gateways.',
    unit: 'reqps',
    isStacked: true,
    queries: one(rate('switchyard_request_duration_seconds_count', { by: 'operation' }), '{{operation}}'),
  },
  {
    title: 'Request duration, p95',
    text: 'Of a stream: until it begins. A blocking send lasts as long as its turn.',
    unit: 's',
    queries: one(quantile(0.95, 'switchyard_request_duration_seconds', { by: 'operation' }), '{{operation}}'),
  },
  {
    title: 'Errors by code',
    text: 'Requests that were not answered with ok.',
    unit: 'reqps',
    queries: one(
      rate('switchyard_request_duration_seconds_count', { by: 'outcome', where: 'outcome!="ok"' }),
      '{{outcome}}',
    ),
  },
  {
    title: 'Refusals at admission',
    text: 'By the limit that was reached, or the code.',
    unit: 'reqps',
    queries: one(rate('switchyard_admission_refusals_total', { by: 'reason' }), '{{reason}}'),
  },
  {
    title: 'Open streams',
    text: 'At each gateway.',
    unit: 'short',
    isStacked: true,
    queries: one('switchyard_open_streams', '{{instance}}'),
  },
  {
    title: 'Streams resumed, gaps filled',
    text: 'Many at once: a network, a load balancer or Redis has cut connections.',
    unit: 'reqps',
    queries: [
      { expr: rate('switchyard_streams_resumed_total'), legend: 'resumed' },
      { expr: rate('switchyard_feed_gaps_filled_total', { by: 'from' }), legend: 'filled from {{from}}' },
    ],
  },
  {
    title: 'Fan-out lag',
    text: 'From the timestamp of a status at its worker to its arrival at a reader; the clocks may differ.',
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
    text: 'Of the job that is next, by agent.',
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
    text: 'The ten tenants that wait the most; each gets its share of the turns.',
    unit: 'short',
    isStacked: true,
    queries: one(deployment('switchyard_tenant_waiting_jobs', { by: 'tenant' }), '{{tenant}}'),
  },
  {
    title: 'Tenants that wait, and the longest of them',
    text: 'One far beyond the others fills the queue of its agent.',
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
    text: 'That are alive and can run an agent; 0 and it only waits.',
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
    text: 'The state that they led to, or retry, failed, interrupted by what.',
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
    text: 'From accepted to the first event of the turn, by agent.',
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
    text: 'What Redis takes for a batch of events.',
    unit: 's',
    queries: quantiles('switchyard_append_duration_seconds'),
  },
  {
    title: 'Taken over, fenced, given up',
    text: 'Workers that died or froze; what they wrote late; messages whose attempts are spent.',
    unit: 'reqps',
    queries: [
      { expr: rate('switchyard_turns_taken_over_total', { where: AGENT }), legend: 'taken over' },
      { expr: rate('switchyard_fenced_writes_total', { where: AGENT }), legend: 'fenced' },
      { expr: rate('switchyard_turns_given_up_total', { where: AGENT }), legend: 'given up' },
    ],
  },
  {
    title: 'Swept, and errors',
    text: 'What the sweeper found, and what should not happen often: look at the log.',
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
    text: 'In a second, over all workers.',
    unit: 'reqps',
    isStacked: true,
    queries: one(rate('switchyard_push_deliveries_total', { by: 'outcome' }), '{{outcome}}'),
  },
  {
    title: 'Delivery duration, p95',
    text: 'Until the receiver answered, or failed to.',
    unit: 's',
    queries: one(quantile(0.95, 'switchyard_push_delivery_duration_seconds', { by: 'outcome' }), '{{outcome}}'),
  },
];

const ofBoth = (metric: string, rest = ''): string => `{__name__=~"switchyard_(gateway|worker)_${metric}"${rest}}`;

const processes: readonly Panel[] = [
  {
    title: 'Processors',
    text: 'That each process uses; a process of Node gets little from a second one.',
    unit: 'short',
    queries: one(`rate(${ofBoth('process_cpu_seconds_total')}[$__rate_interval])`, '{{instance}}'),
  },
  {
    title: 'Memory',
    text: 'Resident, of each process.',
    unit: 'bytes',
    queries: one(ofBoth('process_resident_memory_bytes'), '{{instance}}'),
  },
  {
    title: 'Event loop lag, p99',
    text: 'Of each process: near its limit this grows first.',
    unit: 's',
    queries: one(ofBoth('nodejs_eventloop_lag_p99_seconds'), '{{instance}}'),
  },
  {
    title: 'Redis, and the audit trail',
    text: 'Gateways that Redis answers; audit events that were lost.',
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
  { title: 'Processes', panels: processes },
];
