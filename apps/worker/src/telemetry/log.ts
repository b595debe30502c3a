import { isOutage } from '@switchyard/store';
import { agentLine, type Line } from '@switchyard/telemetry';
import type { LevelWithSilent, Logger } from 'pino';
import type { Emit, WorkerEvent } from './events.ts';

/**
 * Level and text of each kind; none: it is only measured, or its line is the agent's own. An error makes a warning of
 * what would be less.
 */
export const lines: Readonly<Record<WorkerEvent['kind'], Line | undefined>> = {
  'agent-log': undefined,
  'first-event': undefined,
  'push-answered': undefined,
  started: ['info', 'the worker runs its agents'],
  stopping: ['info', 'stopping: running turns may end, then they are given back'],
  stopped: ['info', 'stopped'],
  'stop-given-up': ['warn', 'the worker ends without having given its turns back: others take them over'],
  measuring: ['info', 'serving metrics'],
  draining: ['info', 'an operator drains the worker: it takes no turns'],
  'drain-ended': ['info', 'the worker takes turns again'],
  'too-old': ['error', 'the worker stops: it must not work with this Redis any more'],
  'turn-begun': ['info', 'turn begun'],
  'turn-taken-over': ['warn', 'turn taken over: its worker is gone'],
  'turn-ended': ['info', 'turn ended'],
  'turn-given-back': ['info', 'turn given back: it runs again'],
  'turn-fenced': ['warn', 'turn lost to another run: what it wrote late was refused'],
  'turn-given-up': ['error', 'message given up: its task has failed, and it is a dead letter'],
  'job-without-turn': ['debug', 'job without a turn'],
  'job-failed': ['warn', 'job failed: the queue starts it again'],
  swept: ['info', 'tasks without an owner were repaired'],
  'migration-waits': ['info', 'what older releases left is to be migrated'],
  'migration-began': ['info', 'migration begun'],
  'migration-runs': ['info', 'migration goes on'],
  'migration-done': ['info', 'migration done'],
  'orphans-canceled': ['info', "tasks whose caller's task has ended were canceled"],
  'unhandled-rejection': ['error', 'an agent left a rejection unhandled: its turn fails'],
  'module-changed': ['info', 'a module has changed: a new worker takes over'],
  'agent-there': ['info', 'the agent elsewhere answers'],
  'agent-away': ['warn', 'the agent elsewhere does not answer: messages to it wait'],
  'change-taken': ['info', 'the changed agents run'],
  'change-refused': ['warn', 'the change cannot be loaded'],
  'worker-died': ['warn', 'the worker has died: it is started again'],
  'push-failed': ['debug', 'a webhook was not delivered: it is tried again'],
  'push-dead-letter': ['error', 'a webhook was given up: it is a dead letter'],
  'push-delivered': ['debug', 'webhook delivered'],
  'push-ended': ['debug', 'the receiver wants no more'],
  error: ['warn', 'error'],
};

/** How the lines of agents are written. */
export interface AgentLog {
  /** Another level than the worker's own. */
  readonly level?: LevelWithSilent | undefined;
  /** Never written. */
  readonly secrets?: readonly string[];
}

export function logTo(log: Logger, agentLog: AgentLog = {}): Emit {
  let agents: Logger | undefined;
  return (event) => {
    if (event.kind === 'agent-log') {
      // Made with the first line: by then the log says which worker it is.
      agents ??= agentLog.level ? log.child({}, { level: agentLog.level }) : log;
      return writeAgentLine([log, agents], event, agentLog.secrets);
    }
    const line = lines[event.kind];
    if (!line) return;
    const [usual, text] = line;
    const { kind, err, ...fields } = { err: undefined, ...event };
    const level = err !== undefined && usual === 'info' ? 'warn' : usual;
    if (!log.isLevelEnabled(level)) return;
    // The stack of an outage says nothing.
    log[level]({ event: kind, ...fields, err: isOutage(err) ? String(err) : err }, text);
  };
}

/** @param logs one of them writes it, if its level is one of theirs */
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
