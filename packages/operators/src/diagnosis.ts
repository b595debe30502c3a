import { ended, webhookText } from './ended-tasks.ts';
import type { Diagnosis } from './finding.ts';
import { withSpentBudget } from './task-budget.ts';
import type { JobFacts, PlaceFacts, TaskFacts, TurnFacts } from './task-facts.ts';
import type { SuspendedWait } from './task-record.ts';

/** Workers report every second; a worker without a report for this long counts as frozen. */
const FROZEN_AFTER_MS = 5_000;

/** Workers start due tasks every second. A worker that dies while it starts a task delays that task by 2 s. */
const LATE_AFTER_MS = 10_000;

type Rule = (facts: TaskFacts) => Diagnosis | undefined;

/**
 * The first rule that applies gives the diagnosis. `workerFrozen` comes before `noWorker`, because a frozen worker no
 * longer counts as live after a while.
 */
const rules: readonly Rule[] = [
  ended,
  cancelWaits,
  waitsForPerson,
  scheduled,
  suspended,
  agentUnknown,
  workerFrozen,
  waitsForCall,
  remoteUnreachable,
  running,
  agentPaused,
  workersSilent,
  noWorker,
  workerDead,
  retryWaits,
  notSwept,
  waitsForPlace,
  waiting,
  jobMissing,
];

export function diagnose(facts: TaskFacts): Diagnosis {
  return withTimeToLive(withSpentBudget(firstOf(facts), facts.record, facts.budget.spent), facts.record);
}

function withTimeToLive(diagnosis: Diagnosis, { beginBy, isTerminal }: TaskFacts['record']): Diagnosis {
  if (beginBy === undefined || isTerminal) return diagnosis;
  return { ...diagnosis, text: `${diagnosis.text} It is rejected if no worker has begun it by ${beginBy}.` };
}

function firstOf(facts: TaskFacts): Diagnosis {
  for (const rule of rules) {
    const diagnosis = rule(facts);
    if (diagnosis) return diagnosis;
  }
  const { agent } = facts.record;
  return {
    finding: 'starting',
    isStuck: false,
    text: 'A worker has just taken the task.',
    see: [link('agent', agent)],
    actions: ['wait'],
  };
}

function cancelWaits({ record, turn }: TaskFacts): Diagnosis | undefined {
  if (!record.cancelRequested) return undefined;
  const base = { ...since(turn?.sinceMs), see: workerOf(turn) };
  if (!isSilent(turn)) {
    const text = turn
      ? `The agent has been told to stop, and worker ${turn.worker} waits for it to end the turn.`
      : 'The cancel waits for the sweeper, which completes it.';
    return {
      ...base,
      finding: 'cancel-waits',
      isStuck: false,
      text,
      actions: turn ? ['wait', 'drain-worker'] : ['wait'],
    };
  }
  const text =
    `The cancel waits for worker ${turn.worker}, which has been silent for ${duration(turn.silentMs)}; ` +
    `another worker may complete it ${inTime(turn.leaseMs)}.`;
  return { ...base, finding: 'worker-frozen', isStuck: true, text, actions: ['start-worker', 'drain-worker'] };
}

/** Nothing is wrong with the task, so it is not stuck: its client has the next word. */
function waitsForPerson({ record, interruption, budget, failingWebhooks }: TaskFacts): Diagnosis | undefined {
  const isInput = record.state === 'TASK_STATE_INPUT_REQUIRED';
  if (!isInput && record.state !== 'TASK_STATE_AUTH_REQUIRED') return undefined;
  const webhooks = webhookText(failingWebhooks);
  const texts = [
    isInput ? questionText(budget.asksAfter) : 'The task waits for an authorization by its client.',
    interruption &&
      `Without ${isInput ? 'an answer' : 'it'} it is canceled at ${new Date(interruption.endsAtMs).toISOString()}.`,
    webhooks && `The client may not know of it: ${webhooks}.`,
  ];
  return {
    finding: isInput ? 'waits-for-input' : 'waits-for-auth',
    isStuck: false,
    text: texts.filter(Boolean).join(' '),
    ...since(interruption?.sinceMs),
    see: [link('agent', record.agent)],
    actions: ['answer', 'cancel'],
  };
}

function questionText(spent: string | undefined): string {
  if (spent === undefined) return 'The task waits for an answer of its client to its question.';
  return (
    `The task has spent its budget, ${spent}, and asks whether it may go on: ` +
    '"yes" lets it spend as much again, "no" ends it.'
  );
}

function scheduled({ record, nowMs }: TaskFacts): Diagnosis | undefined {
  if (record.scheduledFor === undefined) return undefined;
  const see = [link('agent', record.agent)];
  if (record.isSchedulePaused) {
    const text = 'The schedule of the task is paused: the task begins after the schedule is resumed.';
    return { finding: 'scheduled', isStuck: false, text, see, actions: ['wait', 'cancel'] };
  }
  const lateMs = nowMs - Date.parse(record.scheduledFor);
  const isLate = lateMs > LATE_AFTER_MS;
  return {
    finding: 'scheduled',
    isStuck: isLate,
    text: isLate
      ? `The task is scheduled for ${record.scheduledFor}; ${duration(lateMs)} later, no worker has begun it.`
      : `The task is scheduled for ${record.scheduledFor}.`,
    see,
    actions: [isLate ? 'start-worker' : 'wait', 'cancel'],
  };
}

function suspended({ record, nowMs, statusMs }: TaskFacts): Diagnosis | undefined {
  const { waits, agent } = record;
  if (!waits) return undefined;
  const events = waits.flatMap(({ event }) => event ?? []);
  const lateMs = nowMs - Math.min(...waits.map(({ until }) => (until === undefined ? nowMs : Date.parse(until))));
  const isLate = lateMs > LATE_AFTER_MS;
  const what = waits.map(waitText).join(', or ');
  return {
    finding: 'suspended',
    isStuck: isLate,
    text: isLate
      ? `The turn waits ${what}; ${duration(lateMs)} later, no worker has resumed it.`
      : `The turn waits ${what}. It holds no worker.`,
    ...since(statusMs),
    see: [...waits.flatMap(({ task }) => (task === undefined ? [] : [link('task', task)])), link('agent', agent)],
    actions: [...(events.length > 0 ? (['give-event'] as const) : []), isLate ? 'start-worker' : 'wait', 'cancel'],
  };
}

function waitText({ event, task, until }: SuspendedWait): string {
  const end = until === undefined ? '' : ` until ${until}`;
  if (event !== undefined) return `for the event "${event}"${end}`;
  return task === undefined ? `until ${until}` : `for the task ${task} of another agent${end}`;
}

function agentUnknown({ record, agent }: TaskFacts): Diagnosis | undefined {
  if (agent) return undefined;
  const text = `No worker has ever announced the agent "${record.agent}".`;
  return { finding: 'agent-unknown', isStuck: true, text, see: [], actions: ['start-worker', 'cancel'] };
}

function workerFrozen({ record, turn }: TaskFacts): Diagnosis | undefined {
  if (!isSilent(turn)) return undefined;
  return {
    finding: 'worker-frozen',
    isStuck: true,
    text:
      `Worker ${turn.worker} runs the task. ${howSilent(record, turn)} ` +
      `Another worker may take the task over ${inTime(turn.leaseMs)}.`,
    ...since(turn.sinceMs),
    see: [link('worker', turn.worker), link('agent', record.agent)],
    actions: ['start-worker', 'wait', 'cancel'],
  };
}

/** Why the worker is silent, as far as its process could see it. */
function howSilent({ taskId }: TaskFacts['record'], { silentMs = 0, blocked }: TurnFacts): string {
  const silent = `The worker has not answered for ${duration(silentMs)}`;
  if (!blocked) return `${silent}: it is frozen, or its connection is lost.`;
  const task = blocked.taskId === undefined ? 'one of its tasks' : `task ${blocked.taskId}`;
  const who = blocked.taskId === taskId ? "the task's own agent" : `the agent of ${task}`;
  return `${silent}: ${who} blocks it${blocked.at === undefined ? '' : ` at ${blocked.at}`}.`;
}

function waitsForCall({ turn, calls }: TaskFacts): Diagnosis | undefined {
  if (!isAlive(turn) || calls.length === 0) return undefined;
  const text = `The turn waits for ${calls.length === 1 ? 'a task' : `${calls.length} tasks`} of another agent.`;
  const see = [...calls.map((id) => link('task', id)), ...workerOf(turn)];
  return { finding: 'waits-for-call', isStuck: false, text, ...since(turn.sinceMs), see, actions: ['wait', 'cancel'] };
}

/** Nothing is wrong here: the agent elsewhere must answer. */
function remoteUnreachable({ turn, record }: TaskFacts): Diagnosis | undefined {
  if (!isAlive(turn) || turn.waitsFor?.for !== 'remote-agent') return undefined;
  const text =
    `Worker ${turn.worker} cannot reach the remote agent, and tries again every few seconds: ` +
    `${turn.waitsFor.text.replace(/\.$/, '')}.`;
  const see = [...workerOf(turn), link('agent', record.agent)];
  return {
    finding: 'remote-unreachable',
    isStuck: false,
    text: record.attempts > 1 ? `${text} This is attempt ${record.attempts}.` : text,
    ...since(turn.sinceMs),
    see,
    actions: ['wait', 'cancel'],
  };
}

function running({ turn, record }: TaskFacts): Diagnosis | undefined {
  if (!isAlive(turn)) return undefined;
  const texts = [
    `Worker ${turn.worker} runs the task.`,
    turn.waitsFor && `It waits for room of the limit "${turn.waitsFor.text}".`,
    record.reason && `The attempt before has failed: ${record.reason.message.replace(/\.$/, '')}.`,
  ];
  const text = texts.filter(Boolean).join(' ');
  return {
    finding: 'running',
    isStuck: false,
    text,
    ...since(turn.sinceMs),
    see: workerOf(turn),
    actions: ['wait', 'cancel'],
  };
}

function agentPaused({ record, agent, job }: TaskFacts): Diagnosis | undefined {
  if (!agent?.paused) return undefined;
  return {
    finding: 'agent-paused',
    isStuck: true,
    text: `The agent "${record.agent}" is paused; ${waitingTasks(agent.waiting)}.`,
    ...since(job.sinceMs),
    see: [link('agent', record.agent)],
    actions: ['resume-agent', 'cancel'],
  };
}

function workersSilent({ record, agent, job }: TaskFacts): Diagnosis | undefined {
  if (agent?.silentSince === undefined) return undefined;
  return {
    finding: 'worker-frozen',
    isStuck: true,
    text:
      `No worker of "${record.agent}" has answered since ${agent.silentSince}: they are frozen, or were killed; ` +
      `${waitingTasks(agent.waiting)}.`,
    ...since(job.sinceMs),
    see: [link('agent', record.agent)],
    actions: ['start-worker', 'cancel'],
  };
}

function noWorker({ record, agent, job }: TaskFacts): Diagnosis | undefined {
  if (!agent || agent.workers > 0) return undefined;
  return {
    finding: 'no-worker',
    isStuck: true,
    text: `No live worker runs "${record.agent}"; ${waitingTasks(agent.waiting)}.`,
    ...since(job.sinceMs),
    see: [link('agent', record.agent)],
    actions: ['start-worker', 'cancel'],
  };
}

/** A turn is open, but its worker has sent no report, or its last report has expired. */
function workerDead({ turn }: TaskFacts): Diagnosis | undefined {
  if (!turn) return undefined;
  const text = `Worker ${turn.worker}, which ran the task, is gone; another worker will take it over.`;
  return {
    finding: 'worker-dead',
    isStuck: false,
    text,
    ...since(turn.sinceMs),
    see: workerOf(turn),
    actions: ['wait', 'cancel'],
  };
}

function retryWaits({ record, job, nowMs }: TaskFacts): Diagnosis | undefined {
  if (job.delayedToMs === undefined) return undefined;
  const why = record.reason ? `: ${record.reason.message.replace(/\.$/, '')}` : '';
  const ms = job.delayedToMs - nowMs;
  const next = ms > 0 ? `begins in ${duration(ms)}` : 'waits for a free worker';
  const text = `Attempt ${record.attempts} has failed${why}; the next attempt ${next}.`;
  return {
    finding: 'retry-waits',
    isStuck: false,
    text,
    see: [link('agent', record.agent)],
    actions: ['wait', 'cancel'],
  };
}

/** Waiting tasks are swept regularly, because the queue may have lost their job. */
function notSwept({ record, nowMs, sweepAfterMs }: TaskFacts): Diagnosis | undefined {
  if (record.jobState === 'active' || record.sweeps > 0 || record.dueAt === undefined) return undefined;
  const lateMs = nowMs - Date.parse(record.dueAt);
  if (lateMs < sweepAfterMs) return undefined;
  const text = `No worker sweeps waiting tasks: this task should have been swept ${duration(lateMs)} ago.`;
  return { finding: 'not-swept', isStuck: true, text, since: record.dueAt, see: [], actions: ['start-worker'] };
}

function waitsForPlace({ record, job, agent, places, nowMs }: TaskFacts): Diagnosis | undefined {
  if (record.jobState !== 'waiting' || !places) return undefined;
  const text = placeText(places, record, nowMs);
  if (text === undefined) return undefined;
  return {
    finding: 'waits-for-place',
    isStuck: false,
    text: `The task waits for ${text}; ${waitingTasks(agent?.waiting ?? 0)}.`,
    ...since(job.sinceMs),
    see: [link('agent', record.agent)],
    actions: ['wait', 'cancel'],
  };
}

/** @returns undefined: there is a place */
function placeText(
  { limits, used, key }: PlaceFacts,
  { agent, tenant }: TaskFacts['record'],
  nowMs: number,
): string | undefined {
  const { running = Infinity, runningPerTenant = Infinity, runningPerKey = Infinity, startsPerMinute } = limits;
  const place = (whose: string, count: number, most: number): string =>
    `a free place of ${whose}: ${count} of ${most} run`;
  if (used.running >= running) return place(`the agent "${agent}"`, used.running, running);
  if (used.ofTenant >= runningPerTenant) return place(`tenant ${tenant}`, used.ofTenant, runningPerTenant);
  if (key && used.ofKey >= runningPerKey) return place(`the key "${key}"`, used.ofKey, runningPerKey);
  if (startsPerMinute === undefined || used.nextStartMs <= nowMs) return undefined;
  return `its start: "${agent}" begins ${Number(startsPerMinute.toFixed(2))} attempts a minute`;
}

function waiting({ record, agent, job, share }: TaskFacts): Diagnosis | undefined {
  if (record.jobState !== 'waiting') return undefined;
  const place = withPriority(placeOf(job), record);
  const isOver = share.hasOthers && 2 * share.waiting > (agent?.waiting ?? 0);
  if (!isOver) {
    const text = `${place} in the queue of "${record.agent}"; ${waitingTasks(agent?.waiting ?? 0)}.`;
    const see = [link('agent', record.agent)];
    return { finding: 'queued', isStuck: false, text, ...since(job.sinceMs), see, actions: ['wait', 'cancel'] };
  }
  return {
    finding: 'tenant-over-share',
    isStuck: false,
    text:
      `Tenant "${record.tenant}" has ${share.waiting} of ${agent?.waiting} tasks that wait for "${record.agent}", ` +
      `which alternate with those of other tenants: ${place.replace(/^T/, 't')}.`,
    ...since(job.sinceMs),
    see: [link('tenant', record.tenant), link('agent', record.agent)],
    actions: ['wait', 'cancel'],
  };
}

function jobMissing({ record }: TaskFacts): Diagnosis | undefined {
  if (record.jobState === 'active') return undefined;
  const text = 'The queue has no job for the task; the sweeper will add one.';
  return { finding: 'job-missing', isStuck: false, text, see: [link('agent', record.agent)], actions: ['wait'] };
}

/** Whether the turn's worker is alive. If it has not reported yet, the lease decides. */
function isAlive(turn: TurnFacts | undefined): turn is TurnFacts {
  return turn !== undefined && (turn.silentMs === undefined ? turn.leaseMs > 0 : turn.silentMs <= FROZEN_AFTER_MS);
}

/** The turn's worker has reported before, but does not now: it is frozen, or cut off. */
function isSilent(turn: TurnFacts | undefined): turn is TurnFacts & { readonly silentMs: number } {
  return turn?.silentMs !== undefined && (turn.blocked !== undefined || turn.silentMs > FROZEN_AFTER_MS);
}

type Link = Diagnosis['see'][number];
const link = (kind: Link['kind'], id: string): Link => ({ kind, id });
const workerOf = (turn: TurnFacts | undefined): Link[] => (turn ? [link('worker', turn.worker)] : []);
const since = (ms: number | undefined) => (ms === undefined ? {} : { since: new Date(ms).toISOString() });
/** The place of a job in its queue, for people. */
function placeOf({ before }: JobFacts): string {
  if (before === 0) return 'The task is next';
  return before === 1 ? '1 task is ahead of this one' : `${before} tasks are ahead of this one`;
}

/** A high or low priority explains the place. */
const withPriority = (place: string, { priority }: TaskFacts['record']): string =>
  priority === undefined ? place : `The task has ${priority} priority. ${place}`;

const waitingTasks = (count: number): string => (count === 1 ? '1 task waits' : `${count} tasks wait`);

const inTime = (ms: number): string => (ms > 0 ? `in ${duration(ms)}` : 'now');

/** A duration for people: `12 s`, `3 min`, `2 h`. */
function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
