import { isOutage } from '@switchyard/store';
import { agentLine, type Line } from '@switchyard/telemetry';
import type { LevelWithSilent, Logger } from 'pino';
import type { Emit, WorkerEvent } from './events.ts';

/**
 * Level and text of each kind of event; undefined: it is only measured, or the agent's own line is logged. With an
 * error, the level is at least `warn`.
 */
export const lines: Readonly<Record<WorkerEvent['kind'], Line | undefined>> = {
  'agent-log': undefined,
  'first-event': undefined,
  'push-answered': undefined,
  started: ['info', 'the worker runs its agents'],
  stopping: ['info', 'stopping: running turns may end, then they are given back'],
  stopped: ['info', 'stopped'],
  'stop-given-up': ['warn', 'the worker ends without having given its turns back: other workers take them over'],
  measuring: ['info', 'serving metrics'],
  draining: ['info', 'an operator drains the worker: it takes no turns'],
  'drain-ended': ['info', 'the worker takes turns again'],
  'too-old': ['error', 'the worker stops: it must not work with this Redis any more'],
  'turn-begun': ['info', 'turn begun'],
  'turn-taken-over': ['warn', 'turn taken over: its worker is gone'],
  'turn-ended': ['info', 'turn ended'],
  'turn-given-back': ['info', 'turn given back: it runs again'],
  'turn-fenced': ['warn', 'turn lost to another run: its late writes were refused'],
  'turn-given-up': ['error', 'message given up: its task has failed, and it is a dead letter'],
  'job-without-turn': ['debug', 'job without a turn'],
  'job-failed': ['warn', 'job failed: the queue starts it again'],
  swept: ['info', 'tasks without an owner were repaired'],
  'migration-waits': ['info', 'a migration waits for older programs to end'],
  'migration-began': ['info', 'migration begun'],
  'migration-runs': ['info', 'migration goes on'],
  'migration-done': ['info', 'migration done'],
  'scheduled-task-begun': ['info', 'scheduled task begun: it is in the queue'],
  'schedule-not-followed': ['warn', 'the next task of a schedule was refused'],
  'orphans-canceled': ['info', "tasks whose caller's task has ended were canceled"],
  'unhandled-rejection': ['error', 'an agent left a rejection unhandled: its turn fails'],
  'module-changed': ['info', 'a module has changed: a new worker takes over'],
  'agent-reachable': ['info', 'the remote agent answers'],
  'agent-unreachable': ['warn', 'the remote agent does not answer: messages to it wait'],
  'change-loaded': ['info', 'the changed agents run'],
  'change-refused': ['warn', 'the change cannot be loaded'],
  'worker-died': ['warn', 'the worker has died: it is started again'],
  'push-failed': ['debug', 'a delivery to a webhook failed: it will be retried'],
  'push-dead-letter': ['error', 'deliveries to a webhook were given up: it is a dead letter'],
  'push-delivered': ['debug', 'delivered to a webhook'],
  'push-ended': ['debug', 'the receiver answered 410 Gone: its webhook is deleted'],
  error: ['warn', 'error'],
};

/** How the lines of agents are written. */
export interface AgentLog {
  /** Unset: the worker's own level. */
  readonly level?: LevelWithSilent | undefined;
  /** Texts that are never written to the log. */
  readonly secrets?: readonly string[];
}

export function logTo(log: Logger, agentLog: AgentLog = {}): Emit {
  let agents: Logger | undefined;
  return (event) => {
    if (event.kind === 'agent-log') {
      // Created with the first line: by then the log is bound to the worker's id.
      agents ??= agentLog.level ? log.child({}, { level: agentLog.level }) : log;
      return writeAgentLine([log, agents], event, agentLog.secrets);
    }
    const line = lines[event.kind];
    if (!line) return;
    const [usual, text] = line;
    const { err }: { readonly err?: unknown; readonly kind: unknown } = event;
    const level = err !== undefined && usual === 'info' ? 'warn' : usual;
    if (!log.isLevelEnabled(level)) return;
    // The stack of an outage error is of no use.
    log[level](isOutage(err) ? { ...event, err: String(err) } : event, text);
  };
}

/** @param logs the first one whose level allows the line writes it */
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
