import { stringify } from 'yaml';

export interface Alert {
  readonly name: string;
  readonly expr: string;
  /** How long the condition must hold. */
  readonly lasts: string;
  readonly severity: 'critical' | 'warning';
  /** The problem, with labels as `{{ $labels.agent }}`. */
  readonly summary: string;
  readonly whatToDo: string;
}

const AGENT = '{{ $labels.agent }}';

export const alerts: readonly Alert[] = [
  {
    name: 'SwitchyardDown',
    expr: 'up{job=~"switchyard.*"} == 0',
    lasts: '1m',
    severity: 'critical',
    summary: '{{ $labels.instance }} does not answer Prometheus',
    whatToDo: 'Check whether the process runs, and read its last log lines. Other workers take over its turns.',
  },
  {
    name: 'SwitchyardRedisDown',
    expr: 'min(switchyard_redis_up) == 0',
    lasts: '30s',
    severity: 'critical',
    summary: 'Redis does not answer a gateway',
    whatToDo: 'Check Redis and the network. Until Redis answers, no message is accepted, and accepted ones wait.',
  },
  {
    name: 'SwitchyardDeploymentDown',
    expr: 'min by (deployment) (switchyard_deployment_up) == 0',
    lasts: '30s',
    severity: 'critical',
    summary: 'Redis of deployment {{ $labels.deployment }} does not answer a gateway',
    whatToDo: 'Check its Redis and the network. Requests for its tasks get 503; those of other deployments go on.',
  },
  {
    name: 'SwitchyardNoWorker',
    expr:
      'max by (agent) (switchyard_queue_jobs{state="waiting"}) > 0 and max by (agent) (switchyard_agent_paused) == 0 ' +
      'and max by (agent) (switchyard_agent_workers) == 0',
    lasts: '1m',
    severity: 'critical',
    summary: `Messages wait for ${AGENT}, and no live worker runs it`,
    whatToDo: 'Start a worker that runs this agent.',
  },
  {
    name: 'SwitchyardQueueOld',
    expr:
      'max by (agent) (switchyard_queue_oldest_seconds) > 60 and max by (agent) (switchyard_agent_paused) == 0 ' +
      'and max by (agent) (switchyard_agent_workers) > 0',
    lasts: '2m',
    severity: 'warning',
    summary: `The next message for ${AGENT} has waited for {{ $value | humanizeDuration }}`,
    whatToDo: 'Start more workers, or find out what the turns wait for: docs/scaling.md.',
  },
  {
    name: 'SwitchyardDeadLetters',
    expr: 'max by (kind) (switchyard_dead_letters) > 0',
    lasts: '1m',
    severity: 'warning',
    summary: '{{ $value }} dead letters of the kind {{ $labels.kind }}',
    whatToDo: 'Read the reasons: `switchyard dead list`, or the console. Fix the cause, then retry or delete them.',
  },
  {
    name: 'SwitchyardTurnsFail',
    expr:
      'sum by (agent) (rate(switchyard_turn_duration_seconds_count{outcome=~"TASK_STATE_FAILED|failed|retry"}[5m])) ' +
      '/ sum by (agent) (rate(switchyard_turn_duration_seconds_count[5m])) > 0.2',
    lasts: '5m',
    severity: 'warning',
    summary: `{{ $value | humanizePercentage }} of the turns of ${AGENT} fail or are retried`,
    whatToDo: 'Read the log of its workers: the lines of its turns have the error.',
  },
  {
    name: 'SwitchyardRequestsFail',
    expr:
      'sum(rate(switchyard_request_duration_seconds_count{outcome=~"Internal|Unavailable|InvalidAgentResponse"}[5m])) ' +
      '/ sum(rate(switchyard_request_duration_seconds_count[5m])) > 0.01',
    lasts: '5m',
    severity: 'critical',
    summary: '{{ $value | humanizePercentage }} of the requests fail',
    whatToDo: 'Read the logs of the gateways: each of these requests has a line with level error.',
  },
  {
    name: 'SwitchyardMemoryShort',
    expr: 'max(switchyard_retention_seconds) and sum(increase(switchyard_tasks_dropped_total[15m])) > 0',
    lasts: '0m',
    severity: 'warning',
    summary: 'Redis is nearly full: ended tasks are kept for {{ $value | humanizeDuration }}',
    whatToDo: 'Raise maxmemory, or lower RETENTION_MS. When nothing is left to drop, messages are refused.',
  },
  {
    name: 'SwitchyardLimitNear',
    expr: 'max by (limit) (switchyard_limit_used_ratio) >= 0.8',
    lasts: '5m',
    severity: 'warning',
    summary: '{{ $value | humanizePercentage }} of a limit are used: {{ $labels.limit }}',
    whatToDo: 'The overview of the console and `switchyard doctor` name whom it limits, and its setting.',
  },
  {
    name: 'SwitchyardRefusals',
    expr:
      'sum by (reason) ' +
      '(rate(switchyard_admission_refusals_total{reason!~"Unauthenticated|PermissionDenied|failed-auth"}[5m])) > 1',
    lasts: '10m',
    severity: 'warning',
    summary: '{{ $value | humanize }} requests per second are refused: {{ $labels.reason }}',
    whatToDo: 'A client sends too much, or a limit is too low: docs/settings.md, docs/scaling.md.',
  },
  {
    name: 'SwitchyardCredentialsRefused',
    expr: 'sum(rate(switchyard_admission_refusals_total{reason=~"Unauthenticated|failed-auth"}[5m])) > 1',
    lasts: '10m',
    severity: 'warning',
    summary: '{{ $value | humanize }} requests per second have wrong credentials',
    whatToDo: 'A client has an old key, or somebody guesses keys: GET /admin/audit has the addresses.',
  },
  {
    name: 'SwitchyardWebhooksFail',
    expr:
      'sum(rate(switchyard_push_deliveries_total{outcome=~"failed|dead-letter"}[10m])) ' +
      '/ sum(rate(switchyard_push_deliveries_total[10m])) > 0.5',
    lasts: '10m',
    severity: 'warning',
    summary: '{{ $value | humanizePercentage }} of the webhook deliveries fail',
    whatToDo: 'List them: `switchyard dead list --kind webhook`, or the console. Inform their owners.',
  },
  {
    name: 'SwitchyardWorkersLost',
    expr: 'sum by (agent) (increase(switchyard_turns_taken_over_total[15m])) > 3',
    lasts: '0m',
    severity: 'warning',
    summary: `Workers of ${AGENT} crash or freeze, and others take over their turns`,
    whatToDo: 'Look for processes that were killed for lack of memory, and at the event loop lag of workers.',
  },
  {
    name: 'SwitchyardSwept',
    expr: 'sum(increase(switchyard_swept_total[15m])) > 10',
    lasts: '0m',
    severity: 'warning',
    summary: 'The sweeper repaired {{ $value | humanize }} tasks in 15 minutes',
    whatToDo: 'A few after a fail-over are normal. Otherwise read the logs of Redis and the workers.',
  },
  {
    name: 'SwitchyardTasksNotArchived',
    expr: 'sum(increase(switchyard_tasks_not_archived_total[15m])) > 0',
    lasts: '0m',
    severity: 'warning',
    summary: '{{ $value | humanize }} ended tasks could not be copied to the archive',
    whatToDo: '`switchyard doctor` names them, and the logs of workers say why. Redis forgets them after RETENTION_MS.',
  },
  {
    name: 'SwitchyardAuditLost',
    expr: 'sum(increase(switchyard_audit_dropped_total[15m])) > 0',
    lasts: '0m',
    severity: 'warning',
    summary: '{{ $value | humanize }} audit events were not stored',
    whatToDo: 'Redis was unreachable for too long. The log of the gateway has the events.',
  },
];

/** The rules as Prometheus reads them. */
export function alertRules(): string {
  const rules = alerts.map(({ name, expr, lasts, severity, summary, whatToDo }) => ({
    alert: name,
    expr,
    for: lasts,
    labels: { severity },
    annotations: { summary, description: whatToDo },
  }));
  const words = '# Written by npm run docs from scripts/metrics/alerts.ts.\n';
  return words + stringify({ groups: [{ name: 'switchyard', rules }] }, { lineWidth: 0 });
}
