import { isOutage } from '@switchyard/store';
import { agentLine, type Line } from '@switchyard/telemetry';
import type { LevelWithSilent, Logger } from 'pino';
import type { Emit, StrayError, WorkerEvent } from './events.ts';

/**
 * Level and text of each kind of event. Undefined: the event is only measured, or brings a text of its own. An event
 * with an error is logged as `warn` at least.
 */
export const lines: Readonly<Record<WorkerEvent['kind'], Line | undefined>> = {
  'agent-log': undefined,
  'first-event': undefined,
  'model-used': undefined,
  'push-answered': undefined,
  started: ['info', 'the worker runs its agents'],
  stopping: ['info', 'stopping: turns that do not end in time go back to the queue'],
  stopped: ['info', 'stopped'],
  'stop-given-up': ['warn', 'the worker ends before its turns are back in the queue: other workers take them over'],
  measuring: ['info', 'serving metrics'],
  draining: ['info', 'an operator drains the worker: it takes no new turns'],
  'drain-ended': ['info', 'the worker takes turns again'],
  'too-old': ['error', 'the worker stops: it is too old for the schema in this Redis'],
  'turn-begun': ['info', 'turn begun'],
  'turn-taken-over': ['warn', 'turn taken over: its worker is gone'],
  'turn-ended': ['info', 'turn ended'],
  'turn-suspended': ['info', 'turn suspended: it waits, and holds no worker'],
  'message-rejected': ['info', 'message rejected: no worker has begun it in its time to live'],
  'turns-resumed': ['debug', 'suspended turns go on: their time has come'],
  'turn-given-back': ['info', 'turn is back in the queue: it will run again'],
  'turn-fenced': ['warn', 'turn lost to another run: its late writes were refused'],
  'turn-given-up': ['error', 'message given up: its task failed, and the message is a dead letter'],
  'job-without-turn': ['debug', 'a job had no turn to run'],
  'job-failed': ['warn', 'job failed: the queue starts it again'],
  swept: ['info', 'tasks that had lost their worker or their job were repaired'],
  'overdue-canceled': ['info', 'tasks that had waited too long for their client were canceled'],
  'room-made': ['warn', 'Redis is nearly full: ended tasks were deleted before their retention was over'],
  archived: ['debug', 'ended tasks were copied to the archive'],
  'task-not-archived': ['error', 'an ended task is left out of the archive: Redis forgets it after its retention'],
  'archive-expired': ['info', 'tasks of the archive were older than ARCHIVE_RETENTION_MS, and were removed'],
  'files-swept': undefined,
  'raw-not-moved': ['warn', 'a large raw part stays in its task: it could not be stored as a file'],
  'files-removed': ['info', 'files that no task refers to any more were removed'],
  'migration-waits': ['info', 'a migration waits until older programs have stopped'],
  'migration-began': ['info', 'migration begun'],
  'migration-runs': ['info', 'migration in progress'],
  'migration-done': ['info', 'migration done'],
  'scheduled-task-begun': ['info', 'scheduled task is due: it is in the queue'],
  'scheduled-task-refused': ['warn', 'the next task of a schedule was not created'],
  'orphans-canceled': ['info', 'tasks whose calling task has ended were canceled'],
  'unhandled-rejection': ['error', 'an agent did not handle a rejected promise: its turn fails'],
  'uncaught-exception': ['error', 'an agent threw where nothing could catch it: its turn fails'],
  'worker-blocked': ['warn', 'an agent blocks the worker'],
  'worker-unblocked': ['info', 'the worker answers again'],
  'worker-ended-by-agent': ['error', 'an agent made the worker end'],
  'module-changed': ['info', 'a module has changed: a new worker takes over'],
  'agent-reachable': ['info', 'the remote agent answers'],
  'agent-unreachable': ['warn', 'the remote agent does not answer: its messages wait'],
  'agent-card-refused': ['error', 'the card of the remote agent cannot be used: its messages fail until it can'],
  'change-loaded': ['info', 'the changed agents are running'],
  'change-refused': ['warn', 'the changed module cannot be loaded'],
  'worker-died': ['warn', 'the worker died: it will be started again'],
  'push-failed': ['debug', 'a delivery to a webhook failed: it will be retried'],
  'push-dead-letter': ['error', 'deliveries to a webhook were given up: the webhook is a dead letter'],
  'push-delivered': ['debug', 'delivered to a webhook'],
  'push-ended': ['debug', 'the receiver answered 410 Gone: its webhook is deleted'],
  error: ['warn', 'error'],
};

/** Instead of the texts above, if the turn does not fail, because it has its outcome. */
export const afterOutcome: Readonly<Record<StrayError, string>> = {
  'unhandled-rejection': 'an agent did not handle a rejected promise; its turn had its outcome already',
  'uncaught-exception': 'an agent threw where nothing could catch it; its turn had its outcome already',
};

/** Settings for the log lines of agents. */
export interface AgentLog {
  /** Unset: the worker's own level. */
  readonly level?: LevelWithSilent | undefined;
  /** Values that are never written to the log. */
  readonly secrets?: readonly string[];
}

export function logTo(log: Logger, agentLog: AgentLog = {}): Emit {
  let agents: Logger | undefined;
  return (event) => {
    if (event.kind === 'agent-log') {
      // Created with the first line, because only then the log has the worker's id.
      agents ??= agentLog.level ? log.child({}, { level: agentLog.level }) : log;
      return writeAgentLine([log, agents], event, agentLog.secrets);
    }
    const line = lines[event.kind];
    if (!line) return;
    const [eventLevel, usualText] = line;
    const { text = usualText, ...fields }: { readonly text?: string; readonly kind: unknown } = event;
    const { err }: { readonly err?: unknown; readonly kind: unknown } = event;
    const level = err !== undefined && eventLevel === 'info' ? 'warn' : eventLevel;
    if (!log.isLevelEnabled(level)) return;
    // The stack of an outage error is useless.
    log[level](isOutage(err) ? { ...fields, err: String(err) } : fields, text);
  };
}

/** @param logs the first log whose level allows the line writes it */
function writeAgentLine(
  logs: readonly Logger[],
  { kind, line, ...turn }: Extract<WorkerEvent, { kind: 'agent-log' }>,
  secrets: readonly string[] | undefined,
): void {
  const log = logs.find((each) => each.isLevelEnabled(line.level));
  if (!log) return;
  const { text, fields } = agentLine(line, secrets);
  log[line.level]({ event: kind, ...turn, fields }, text);
}
