// @ts-check
/**
 * What must hold. Four kinds: of a record alone (asked of every script, whatever led there), of a state, of a step,
 * and of all the ways onward (`isAtRest` is where every way must lead). Each check answers with the sentence it broke.
 */

import { isTerminal, isWaiting } from '../reference/turn-rules.ts';
import { taskKey } from './canonical.mjs';
import { holdsLock } from './world.mjs';

/** @typedef {import('../reference/turn-rules.ts').TaskRecord} Task */
/** @typedef {import('../reference/turn-rules.ts').Reply} Reply */
/** @typedef {import('./world.mjs').State} State */
/** @typedef {import('./world.mjs').Rules} Rules */

/** The sweeper may come at any moment. */
const LEASE = 'due';

/** Nothing left to do and nothing left over. @param {State} state */
export const isAtRest = ({ task, jobs, adds, runs, cancel }) =>
  !jobs.length &&
  !adds.length &&
  !runs.length &&
  (!task ||
    (!task.inbox.length &&
      !task.scheduled &&
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
    later(task, ask) ??
    (isTerminal(task.state) ? ended(task, ask) : cancels(task, ask)) ??
    (task.turn ? opened(task, ask, maxAttempts) : undefined)
  );
}

/** @typedef {ReturnType<typeof asker>} Asker */
/** @param {Task} task @param {Rules} rules @param {number} maxAttempts */
function asker(task, rules, maxAttempts) {
  const time = { lease: LEASE, handsOver: false, taken: [] };
  return {
    /** @param {string} messageId @param {string} [fingerprint] */
    accept: (messageId, fingerprint = messageId) => rules.accept(task, { messageId, fingerprint, ...time }),
    /** @param {number} started @param {string} token @param {Task} [from] */
    begin: (started, token, from = task) =>
      rules.beginTurn(from, {
        job: from.scheduled || 1,
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
    /** @param {string[]} taken */
    complete: (taken) =>
      rules.append(task, { fence: task.turn, number: task.turnSeq + 1, state: 'C', settles: true, ...time, taken }),
    /** @param {string} fence */
    end: (fence) => rules.endTurn(task, { fence, ...time }),
    /** @param {string} fence @param {boolean} isSpent */
    release: (fence, isSpent) => rules.releaseTurn(task, { fence, isSpent, ...time }),
    cancel: () => rules.cancel(task),
    /** @param {Task} [from] */
    beginLater: (from = task) => rules.beginLater(from, time),
    sweep: () => rules.sweep(task, time),
  };
}

/** @param {Task} task @param {Asker} ask */
function retries(task, ask) {
  for (const messageId of Object.keys(task.accepted)) {
    if (!isNothing(task, ask.accept(messageId), 'duplicate'))
      return 'a duplicate gets the same task and changes nothing';
    if (!isNothing(task, ask.accept(messageId, 'other'), 'conflict'))
      return 'the same messageId with another body is a conflict';
  }
  return undefined;
}

/** @param {Task} task @param {Asker} ask */
function later(task, ask) {
  const { record, verdict, job } = ask.beginLater();
  if (!task.waits) return record === task ? undefined : 'a task begins at its time once, and no other one does';
  if (!isNothing(task, ask.accept('new'), 'waits')) return 'a task that waits for its time takes no other message';
  if (verdict !== 'begun' || !job || !record || ask.beginLater(record).record !== record)
    return 'a task gets one job when its time comes';
  return ask.cancel().record?.state === 'X' ? undefined : 'a task that waits for its time is canceled at once';
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
    const replies = [...events, ask.end(fence), ask.release(fence, false), ask.release(fence, true)];
    if (ask.steered(fence).given?.length) return 'only the open turn is given messages';
    if (!replies.every((reply) => isNothing(task, reply))) return 'only the open turn writes';
  }
  return undefined;
}

/** @param {Task} task @param {Asker} ask */
function ended(task, ask) {
  const replies = [ask.accept('new'), ask.begin(9, 'new'), ask.cancel(), ask.sweep()];
  return replies.every((reply) => isNothing(task, reply)) ? undefined : 'nothing changes a task that has ended';
}

/** @param {Task} task @param {Asker} ask */
function cancels(task, ask) {
  const reply = ask.cancel();
  if (!task.turn && reply.record?.state !== 'X') return 'an idle task is canceled at once';
  if (!task.cancel) return undefined;
  if (!isNothing(task, reply, 'requested')) return 'a second cancel changes nothing';
  if (!isNothing(task, ask.accept('new'), 'canceling'))
    return 'no message is accepted to be dropped by a pending cancel';
  if (ask.sweep().record?.state !== 'X') return 'the sweeper alone finishes a cancel whose owner is silent';
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
    return 'a turn given back writes no more';
  if (task.cancel)
    return [afterOutcome, afterShutdown, afterFailure].every((next) => next?.state === 'X')
      ? undefined
      : 'however the turn ends, a pending cancel ends the task';
  if ((ask.begin(task.started || 1, 'other').verdict === 'stale') !== task.started > 0)
    return 'a turn is not taken over by a run that started no later';
  if (afterShutdown && ask.begin(9, 'next', afterShutdown).attempt !== task.attempts)
    return 'a turn handed back spends no attempt';
  const retried = [ask.begin(9, 'next'), ...(afterFailure ? [ask.begin(9, 'next', afterFailure)] : [])];
  const isCounted = retried.every((reply) =>
    task.attempts < maxAttempts
      ? reply.attempt === task.attempts + 1
      : reply.record?.state === 'F' && reply.events.length === 1,
  );
  return isCounted ? undefined : 'a turn taken over or retried spends an attempt; the last one ends FAILED';
}

/** Messages beside the one of the open turn. @param {Task} task @param {Asker} ask */
function steering(task, ask) {
  const reply = ask.steered(task.turn);
  if (!isNothing(task, reply, 'given') || reply.given?.join() !== task.inbox.slice(1).join())
    return 'a turn is given the messages behind its own, in order, and they go on to wait';
  if (!isNothing(task, ask.complete(['lost'])) || !isNothing(task, ask.complete([...task.inbox.slice(1), 'lost'])))
    return 'an outcome does not take messages that a fail-over has lost';
  if (task.cancel) return undefined;
  const isRefused = task.whileWorking === 'r' && !isWaiting(task.state);
  const { verdict, record } = ask.accept('new');
  if (isRefused !== (verdict === 'working') || isRefused !== (record?.inbox.length === task.inbox.length))
    return 'a message is refused while the turn works of an agent that takes none, and accepted otherwise';
  return undefined;
}

/** @param {Task} task @param {Reply} reply @param {string} [verdict] */
const isNothing = (task, reply, verdict = reply.verdict) =>
  reply.verdict === verdict &&
  !reply.events.length &&
  !!reply.record &&
  (reply.record === task || taskKey(reply.record) === taskKey(task));

// A state -----------------------------------------------------------------------------------------------------------

/** @param {State} state @param {Rules} rules @param {number} maxAttempts @returns {string|undefined} */
export function stateProblem(state, rules, maxAttempts) {
  return state.task
    ? (accounts(state, state.task) ?? standing(state.task, maxAttempts) ?? writers(state, state.task, rules))
    : undefined;
}

/** @param {State} state @param {Task} task */
function accounts({ accepted, settled, dropped, jobs }, task) {
  const accounted = [...settled, ...(isTerminal(task.state) ? dropped : task.inbox)];
  if (accounted.join() !== accepted.join())
    return 'every message is settled by one turn, in order, or named at the end';
  return jobs.length > accepted.length ? 'jobs do not pile up: never more than messages' : undefined;
}

/** @param {Task} task @param {number} maxAttempts */
function standing(task, maxAttempts) {
  if (task.waits)
    return task.inbox.length === 1 && !task.scheduled && !task.outbox && !task.turn && task.state === 's'
      ? undefined
      : 'a task that waits for its time has its message, and nothing else';
  const signs = [task.inbox.length > 0, task.scheduled > 0, task.outbox !== undefined];
  if (signs.some((sign) => sign !== signs[0])) return 'inbox, scheduled and outbox go together';
  if (isTerminal(task.state) && (signs[0] || task.turn)) return 'the end of a task leaves nothing behind';
  if (isWaiting(task.state) && task.inbox.length && !(task.turn && task.turnSeq))
    return 'a question stands only while its own turn or nobody waits';
  if (task.attempts > maxAttempts) return 'attempts are bounded';
  return undefined;
}

/** @param {State} state @param {Task} task @param {Rules} rules */
function writers({ runs }, task, rules) {
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
        handsOver: false,
        lease: LEASE,
        taken: [],
      }).events.length,
  );
  return able.length > 1 ? 'never do two runs both write' : undefined;
}

// A step ------------------------------------------------------------------------------------------------------------

/** @param {State} before @param {import('./world.mjs').Move} move @returns {string|undefined} */
export function stepProblem(before, { reply, script, run, state }) {
  const { task } = before;
  if (!reply || !task) return undefined;
  const states = reply.events;
  if (isTerminal(task.state) && states.length) return 'after the end no event is written';
  if (states.slice(0, -1).some(isTerminal)) return 'the terminal event is the last one';
  if (states.at(-1) === 'C' && reply.dropped?.length && !task.cancel) return 'a completion drops no message';
  if (states.includes('i') && state.task?.inbox[0] === task.inbox[0])
    return 'an outcome and its message leave together';
  if (reply.settled && reply.settled.slice(1).join() !== run?.taken.join())
    return 'an outcome takes what its turn was given, and nothing else';
  const isChanged = !!state.task && taskKey(state.task) !== taskKey(task);
  if (run && script !== 'beginTurn' && run.fence !== task.turn && isChanged) return 'only the open turn writes';
  if (script === 'beginTurn' && before.cancel && state.task?.turn && isChanged)
    return 'no turn begins after an accepted cancel';
  if (script === 'beginTurn' && run && state.task?.epoch !== task.epoch && isTheft(before, task, run))
    return 'a turn is not taken from a live owner that holds its job';
  return undefined;
}

/**
 * Not theft: the sweeper found the owner silent; or the queue lost the job since and counts its starts anew, so that an
 * old run looks young (the epoch still keeps the two apart).
 * @param {State} before @param {Task} task @param {import('./world.mjs').Run} run
 */
function isTheft(before, task, run) {
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
