// @ts-check
/**
 * The properties that must hold. There are four kinds: of a record (the replies of every script to it), of a state,
 * of a step, and of liveness (every state must have a path to one that `isAtRest`). Each check returns the violated
 * property.
 */

import { isTerminal, isWaiting } from '../reference/turn-rules.ts';
import { taskKey } from './canonical.mjs';
import { holdsLock } from './world.mjs';

/** @typedef {import('../reference/turn-rules.ts').TaskRecord} Task */
/** @typedef {import('../reference/turn-rules.ts').Reply} Reply */
/** @typedef {import('./world.mjs').State} State */
/** @typedef {import('./world.mjs').Rules} Rules */

/** The sweeper may run at any time. */
const LEASE = 'due';

/** Whether nothing is left to do, and no data of turns is left. @param {State} state */
export const isAtRest = ({ task, jobs, adds, runs, cancel }) =>
  !jobs.length &&
  !adds.length &&
  !runs.length &&
  (!task ||
    (!task.inbox.length &&
      !task.job &&
      task.outbox === undefined &&
      !task.turn &&
      (isTerminal(task.state) || (isWaiting(task.state) && !cancel))));

// A record ----------------------------------------------------------------------------------------------------------

/** @param {Task} task @param {Rules} rules @param {number} maxAttempts @returns {string|undefined} */
export function recordProblem(task, rules, maxAttempts) {
  const ask = asker(task, rules, maxAttempts);
  return (
    retries(task, ask) ??
    fenced(task, ask) ??
    scheduled(task, ask) ??
    suspended(task, ask) ??
    timeToLive(task, ask) ??
    (isTerminal(task.state) ? ended(task, ask) : cancels(task, ask)) ??
    (task.turn ? opened(task, ask, maxAttempts) : undefined)
  );
}

/** @typedef {ReturnType<typeof asker>} Asker */
/** @param {Task} task @param {Rules} rules @param {number} maxAttempts */
function asker(task, rules, maxAttempts) {
  const time = { lease: LEASE, endsJobAfterTurn: false, delivered: [] };
  return {
    /** @param {string} messageId @param {string} [fingerprint] */
    accept: (messageId, fingerprint = messageId) => rules.accept(task, { messageId, fingerprint, ...time }),
    reject: () => rules.rejectMessage(task),
    /** @param {number} started @param {string} token @param {Task} [from] */
    begin: (started, token, from = task) =>
      rules.beginTurn(from, {
        job: from.job || 1,
        started,
        token,
        run: token === task.token ? task.run : 'new',
        maxAttempts,
        whileWorking: from.whileWorking,
        ...time,
      }),
    /**
     * @param {string} fence
     * @param {import('../reference/turn-rules.ts').Letter} state
     * @param {number} [number]
     * @param {Task} [from]
     */
    append: (fence, state, number = task.turnSeq + 1, from = task) =>
      rules.append(from, { fence, number, state, settles: state !== 'w', ...time }),
    /** @param {string} fence */
    steered: (fence) => rules.steered(task, { fence, after: 0 }),
    /** @param {string[]} delivered */
    complete: (delivered) =>
      rules.append(task, { fence: task.turn, number: task.turnSeq + 1, state: 'C', settles: true, ...time, delivered }),
    /** @param {string} fence @param {number} [published] */
    end: (fence, published = 0) => rules.endTurn(task, { fence, published, ...time }),
    /** @param {string} fence @param {boolean} isSpent */
    release: (fence, isSpent) => rules.handBackTurn(task, { fence, isSpent, ...time }),
    cancel: () => rules.cancel(task),
    /** @param {Task} [from] */
    beginScheduled: (from = task) => rules.beginScheduled(from, time),
    sweep: () => rules.sweep(task, time),
    /** @param {string} fence @param {number} [published] */
    suspend: (fence, published = 0) => rules.suspendTurn(task, { fence, published, ...time }),
    giveEvent: () => rules.giveEvent(task, time),
    resume: () => rules.resumeTurn(task, time),
  };
}

/** @param {Task} task @param {Asker} ask */
function retries(task, ask) {
  for (const messageId of Object.keys(task.accepted)) {
    if (!isNothing(task, ask.accept(messageId), 'duplicate'))
      return 'a repeated message gets the same task and changes nothing';
    if (!isNothing(task, ask.accept(messageId, 'other'), 'conflict'))
      return 'the same messageId with another body is a conflict';
  }
  return undefined;
}

/** @param {Task} task @param {Asker} ask */
function scheduled(task, ask) {
  const { record, verdict, job } = ask.beginScheduled();
  if (!task.waits) return record === task ? undefined : 'only a scheduled task begins at its time, and once';
  if (!isNothing(task, ask.accept('new'), 'waits')) return 'a scheduled task accepts no other message before its begin';
  if (verdict !== 'begun' || !job || !record || ask.beginScheduled(record).record !== record)
    return 'a scheduled task gets one job when it is due';
  if (record.beginBy !== task.beginBy) return 'a scheduled message has its time to live from its begin on';
  return ask.cancel().record?.state === 'X' ? undefined : 'a scheduled task is canceled at once';
}

/** @param {Task} task @param {Asker} ask */
function suspended(task, ask) {
  const { record, verdict, job } = ask.resume();
  if (!task.suspended) return record === task ? undefined : 'only a suspended turn resumes, and once';
  if (verdict !== 'resumed' || !job || record?.job !== job || record.suspended)
    return 'a suspended turn gets one job when its time has come';
  if (!task.event && !ask.giveEvent().job) return 'an event resumes a suspended turn';
  return ask.cancel().record?.suspended ? 'a suspended turn ends with its task' : undefined;
}

/** @param {Task} task @param {Asker} ask */
function timeToLive(task, ask) {
  const reply = ask.reject();
  if (task.beginBy !== 'due' || task.waits)
    return isNothing(task, reply) ? undefined : 'a message is rejected only when its time to live has ended';
  const late = ask.begin(task.started + 1, 'new');
  if (reply.verdict !== 'rejected' || late.verdict !== 'rejected')
    return 'a message whose time to live has ended is rejected, by the first process that looks at it';
  const after = reply.record;
  if (!after || !late.record || taskKey(after) !== taskKey(late.record) || reply.events.length !== 1)
    return 'a rejection leaves the same task, and writes one event, whichever process rejects';
  if (!task.answers) return after.state === 'R' ? undefined : 'a task ends with the message that made it';
  const state = after.inbox.length ? 's' : task.answers;
  return after.state === state &&
    after.inbox.join() === task.inbox.slice(1).join() &&
    !!after.job === !!after.inbox.length
    ? undefined
    : 'a rejected answer leaves the task as it was before, or with the next message';
}

/** @param {Task} task @param {Asker} ask */
function fenced(task, ask) {
  const others = [task.epoch - 1, task.epoch, task.epoch + 1].flatMap((epoch) => [
    `${epoch}.${task.run}`,
    `${epoch}.other`,
  ]);
  for (const fence of others) {
    if (fence === task.turn) continue;
    const events = [ask.append(fence, 'w'), ask.append(fence, 'C')];
    const replies = [
      ...events,
      ask.end(fence),
      ask.release(fence, false),
      ask.release(fence, true),
      ask.suspend(fence),
    ];
    if (ask.steered(fence).given?.length) return 'only the open turn receives steering messages';
    if (!replies.every((reply) => isNothing(task, reply))) return 'only the open turn writes';
  }
  return undefined;
}

/** @param {Task} task @param {Asker} ask */
function ended(task, ask) {
  const replies = [
    ask.accept('new'),
    ask.begin(9, 'new'),
    ask.cancel(),
    ask.sweep(),
    ask.giveEvent(),
    ask.resume(),
    ask.reject(),
  ];
  return replies.every((reply) => isNothing(task, reply)) ? undefined : 'nothing changes a task that has ended';
}

/** @param {Task} task @param {Asker} ask */
function cancels(task, ask) {
  const reply = ask.cancel();
  if (!task.turn && reply.record?.state !== 'X') return 'a task without a turn is canceled at once';
  if (!task.cancel) return undefined;
  if (!isNothing(task, reply, 'requested')) return 'a second cancel changes nothing';
  if (!isNothing(task, ask.accept('new'), 'canceling')) return 'no message is accepted after a cancel request';
  if (ask.sweep().record?.state !== 'X') return 'the sweeper cancels a task whose owner has crashed';
  if (ask.begin(9, 'new').record?.state !== 'X') return 'no turn begins after an accepted cancel';
  return undefined;
}

/** @param {Task} task @param {Asker} ask @param {number} maxAttempts */
function opened(task, ask, maxAttempts) {
  if (!isNothing(task, ask.begin(task.started, task.token), 'turn'))
    return 'a beginTurn sent twice opens one turn and spends one attempt';
  if (task.turnSeq && ask.append(task.turn, 'w', task.turnSeq).events.length)
    return 'an append sent twice writes one event';
  const problem = steering(task, ask);
  if (problem) return problem;
  const afterOutcome = ask.append(task.turn, 'i').record;
  const afterShutdown = ask.release(task.turn, false).record;
  const afterFailure = ask.release(task.turn, true).record;
  if (afterShutdown && ask.append(task.turn, 'w', task.turnSeq + 1, afterShutdown).events.length)
    return 'a turn that was given back cannot write';
  const lost = task.turnSeq + 1;
  if (![ask.suspend(task.turn, lost), ask.end(task.turn, lost)].every((reply) => isNothing(task, reply, 'gap')))
    return 'a turn whose events a fail-over has lost neither waits nor ends';
  const waits = ask.suspend(task.turn);
  if (!task.cancel && task.event !== !!waits.job)
    return 'a turn is suspended, unless the event has come that it waits for';
  if (!task.cancel && waits.record?.attempts !== task.attempts - 1) return 'a turn that is suspended spends no attempt';
  if (task.cancel)
    return [afterOutcome, afterShutdown, afterFailure].every((next) => next?.state === 'X')
      ? undefined
      : 'a requested cancel ends the task, however the turn ends';
  if ((ask.begin(task.started || 1, 'other').verdict === 'stale') !== task.started > 0)
    return 'only a run with a later start takes a turn over';
  if (afterShutdown && ask.begin(9, 'next', afterShutdown).attempt !== task.attempts)
    return 'a turn that is given back spends no attempt';
  const retried = [ask.begin(9, 'next'), ...(afterFailure ? [ask.begin(9, 'next', afterFailure)] : [])];
  const isCounted = retried.every((reply) =>
    task.attempts < maxAttempts
      ? reply.attempt === task.attempts + 1
      : reply.record?.state === 'F' && reply.events.length === 1,
  );
  return isCounted ? undefined : 'a turn that is taken over or retried spends an attempt; the last one fails the task';
}

/** The messages that wait behind that of the open turn. @param {Task} task @param {Asker} ask */
function steering(task, ask) {
  const reply = ask.steered(task.turn);
  if (!isNothing(task, reply, 'given') || reply.given?.join() !== task.inbox.slice(1).join())
    return 'a turn receives the messages behind its own, in order, and they stay in the inbox';
  if (!isNothing(task, ask.complete(['lost'])) || !isNothing(task, ask.complete([...task.inbox.slice(1), 'lost'])))
    return 'an outcome does not answer messages that a fail-over has lost';
  if (task.cancel) return undefined;
  const isRefused = task.whileWorking === 'r' && !isWaiting(task.state);
  const { verdict, record } = ask.accept('new');
  if (isRefused !== (verdict === 'working') || isRefused !== (record?.inbox.length === task.inbox.length))
    return 'a message is refused if the agent rejects messages and its turn works, and accepted otherwise';
  return undefined;
}

/** @param {Task} task @param {Reply} reply @param {string} [verdict] */
const isNothing = (task, reply, verdict = reply.verdict) =>
  reply.verdict === verdict &&
  !reply.events.length &&
  !!reply.record &&
  (reply.record === task || taskKey(reply.record) === taskKey(task));

// A state -----------------------------------------------------------------------------------------------------------

/**
 * @param {State} state @param {Rules} rules @param {import('./world.mjs').World} world @returns {string|undefined}
 */
export function stateProblem(state, rules, { maxAttempts, suspends }) {
  return state.task
    ? (messagesProblem(state, state.task, suspends ? state.faults : 0) ??
        timeProblem(state, state.task) ??
        fieldsProblem(state.task, maxAttempts) ??
        writersProblem(state, state.task, rules))
    : undefined;
}

/** @param {State} state @param {Task} task @param {number} surplus */
function messagesProblem({ accepted, settled, dropped, jobs }, task, surplus) {
  const accounted = [...settled, ...(isTerminal(task.state) ? dropped : task.inbox)];
  if (accounted.join() !== accepted.join())
    return 'every message is settled by one turn or by the end, in order, or listed as dropped at the end';
  // A suspended turn resumes with a new job. The old one is left if its lock had expired; a suspension counts as a fault.
  return jobs.length > accepted.length + surplus ? 'there are at most as many jobs as messages' : undefined;
}

/** @param {State} state @param {Task} task */
function timeProblem({ begun, rejected }, { beginBy, inbox, turn, suspended, attempts, state, answers }) {
  if (begun.some((messageId) => rejected.includes(messageId))) return 'a message is begun or rejected, and never both';
  if (beginBy && (!inbox.length || turn || suspended || attempts || state !== 's'))
    return 'only a message that waits and has not begun has a time to live';
  return answers && !beginBy ? 'what a message answers is known as long as it has a time to live' : undefined;
}

/** @param {Task} task @param {number} maxAttempts */
function fieldsProblem(task, maxAttempts) {
  if (task.waits)
    return task.inbox.length === 1 && !task.job && !task.outbox && !task.turn && task.state === 's'
      ? undefined
      : 'a scheduled task that has not begun has one message, and neither a job nor a turn';
  if (task.suspended)
    return task.inbox.length > 0 && !task.job && !task.outbox && !task.turn && task.state === 'w'
      ? undefined
      : 'a task whose turn is suspended has a message, and neither a job nor a turn';
  const present = [task.inbox.length > 0, task.job > 0, task.outbox !== undefined];
  if (present.some((one) => one !== present[0])) return 'a task has an inbox, a job and an outbox entry together';
  if (isTerminal(task.state) && (present[0] || task.turn)) return 'an ended task has no inbox, job, entry or turn';
  if (isWaiting(task.state) && task.inbox.length && !(task.turn && task.turnSeq))
    return 'a task is interrupted only while no message waits, or while the turn that asked is open';
  if (task.attempts > maxAttempts) return 'attempts are limited';
  return undefined;
}

/** @param {State} state @param {Task} task @param {Rules} rules */
function writersProblem({ runs }, task, rules) {
  const turns = runs.filter((run) => run.at === 'turn' || run.at === 'end');
  for (const run of turns) if (run.fence === task.turn && task.turnSeq > run.turnSeq) return 'an event is written once';
  if (turns.length < 2) return undefined;
  const able = turns.filter(
    (run) =>
      rules.append(task, {
        fence: run.fence,
        number: run.turnSeq + 1,
        state: 'w',
        settles: false,
        endsJobAfterTurn: false,
        lease: LEASE,
        delivered: [],
      }).events.length,
  );
  return able.length > 1 ? 'at most one run can write' : undefined;
}

// A step ------------------------------------------------------------------------------------------------------------

/** @param {State} before @param {import('./world.mjs').Move} move @returns {string|undefined} */
export function stepProblem(before, { reply, script, run, state }) {
  const { task } = before;
  if (!reply || !task) return undefined;
  const states = reply.events;
  if (isTerminal(task.state) && states.length) return 'no event is written after the end';
  if (states.slice(0, -1).some(isTerminal)) return 'the terminal event is the last one';
  if (states.at(-1) === 'C' && reply.dropped?.length && !task.cancel) return 'a completion drops no message';
  if (reply.rejected && (states.at(-1) === 'R') !== (reply.rejected === before.accepted[0]))
    return 'a rejection ends the task if the message made it, and otherwise not';
  if (states.includes('i') && !reply.rejected && state.task?.inbox[0] === task.inbox[0])
    return 'an outcome removes its message from the inbox';
  if (reply.settled && reply.settled.slice(1).join() !== run?.delivered.join())
    return 'an outcome answers exactly the messages that its turn received';
  const isChanged = !!state.task && taskKey(state.task) !== taskKey(task);
  if (run && script !== 'beginTurn' && run.fence !== task.turn && isChanged) return 'only the open turn writes';
  if (script === 'beginTurn' && before.cancel && state.task?.turn && isChanged)
    return 'no turn begins after an accepted cancel';
  if (script === 'beginTurn' && run && state.task?.epoch !== task.epoch && isWrongTakeover(before, task, run))
    return 'a turn is not taken over from a live owner that holds its job';
  return undefined;
}

/**
 * Whether a run takes the turn over from a live owner. Allowed exceptions: the sweeper has reset the starts; or the
 * queue lost the job and counts its starts from 0 again, so that an old run looks new (the fence still separates them).
 * @param {State} before @param {Task} task @param {import('./world.mjs').Run} run
 */
function isWrongTakeover(before, task, run) {
  const owner = before.runs.find((other) => task.token === `t${other.token}`);
  const job = before.jobs.find((other) => other.id === run.job);
  return (
    !!task.turn &&
    task.started > 0 &&
    !!owner &&
    owner !== run &&
    holdsLock(before, owner) &&
    !!job &&
    run.started <= job.started
  );
}
