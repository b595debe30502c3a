// @ts-check
/** The rules with one of them broken at a time. A checker that does not catch each of these proves nothing. */
import * as rules from '../reference/turn-rules.ts';

/** @typedef {import('./world.mjs').Rules} Rules */
/** @typedef {import('../reference/turn-rules.ts').Reply} Reply */
/** @typedef {import('../reference/turn-rules.ts').TaskRecord} Task */

/** What a broken script leaves behind. @param {Reply} reply @param {Partial<Task>} change @returns {Reply} */
const leaving = (reply, change) => ({ ...reply, record: reply.record && { ...reply.record, ...change } });

/** @param {Task|null} task @returns {Partial<Task>} */
const was = (task) => (task ? { whileWorking: task.whileWorking } : {});

/** @param {Task|null} task */
const isEnded = (task) => !!task && rules.isTerminal(task.state);

/**
 * Breaks every script whose reply it changes.
 * @param {(reply: Reply, before: Task|null) => Reply} change
 * @returns {Partial<Rules>}
 */
const everywhere = (change) => ({
  accept: (task, message) => change(rules.accept(task, message), task),
  beginTurn: (task, run) => change(rules.beginTurn(task, run), task),
  append: (task, event) => change(rules.append(task, event), task),
  endTurn: (task, turn) => change(rules.endTurn(task, turn), task),
  releaseTurn: (task, turn) => change(rules.releaseTurn(task, turn), task),
  cancel: (task) => change(rules.cancel(task), task),
  sweep: (task, time) => change(rules.sweep(task, time), task),
});

/**
 * As if a fencing token were no more than its number. @template {{ fence: string }} T
 * @param {Task} task
 * @param {T} call
 * @returns {T}
 */
const byEpoch = (task, call) =>
  Number.parseInt(call.fence, 10) === task.epoch ? { ...call, fence: rules.lastFence(task) } : call;

/** @type {Record<string, Partial<Rules>>} */
const BROKEN = {
  'accept: a retry is a new message': {
    accept: (task, message) => rules.accept(task && { ...task, accepted: {} }, message),
  },
  'accept: takes a message for a task that waits for its time': {
    accept: (task, message) =>
      task?.waits
        ? leaving(rules.accept({ ...task, waits: undefined }, message), { waits: task.waits })
        : rules.accept(task, message),
  },
  'beginLater: a task begins each time': {
    beginLater: (task, time) => leaving(rules.beginLater(task, time), { waits: task.waits }),
  },
  'beginLater: no job': {
    beginLater: (task, time) => ({
      ...leaving(rules.beginLater(task, time), { scheduled: 0, outbox: undefined }),
      job: 0,
    }),
  },
  'cancel: a task that waits for its time begins all the same': {
    cancel: (task) => leaving(rules.cancel(task), { waits: task?.waits }),
  },
  'accept: a retry after the end is refused': {
    accept: (task, message) =>
      rules.accept(task && rules.isTerminal(task.state) ? { ...task, accepted: {} } : task, message),
  },
  'accept: takes messages while a cancel waits': {
    accept: (task, message) =>
      task?.cancel
        ? leaving(rules.accept({ ...task, cancel: false }, message), { cancel: true })
        : rules.accept(task, message),
  },
  'accept: no outbox entry': {
    accept: (task, message) => leaving(rules.accept(task, message), task?.scheduled ? {} : { outbox: undefined }),
  },
  'accept: every job of a task has the same number': {
    accept: (task, message) => {
      const reply = rules.accept(task, message);
      return reply.job ? { ...leaving(reply, { scheduled: 1, jobs: 1 }), job: 1 } : reply;
    },
  },
  'beginTurn: any job may begin': {
    beginTurn: (task, run) => rules.beginTurn(task, { ...run, job: task?.scheduled || run.job }),
  },
  'beginTurn: any start of the job takes over': {
    beginTurn: (task, run) => rules.beginTurn(task && task.token !== run.token ? { ...task, started: 0 } : task, run),
  },
  'beginTurn: an open turn is never taken over': {
    beginTurn: (task, run) =>
      task?.turn && task.token !== run.token
        ? { verdict: 'stale', record: task, events: [] }
        : rules.beginTurn(task, run),
  },
  'beginTurn: taking over keeps the epoch': {
    beginTurn: (task, run) => {
      const reply = rules.beginTurn(task, run);
      if (!task?.turn || reply.verdict !== 'turn') return reply;
      return { ...leaving(reply, { epoch: task.epoch, run: task.run, turn: task.turn }), fence: task.turn };
    },
  },
  'beginTurn: sent twice, counted twice': {
    beginTurn: (task, run) =>
      rules.beginTurn(task && task.token === run.token ? { ...task, token: '', started: 0 } : task, run),
  },
  'beginTurn: ignores a waiting cancel': {
    beginTurn: (task, run) =>
      task?.cancel
        ? leaving(rules.beginTurn({ ...task, cancel: false }, run), { cancel: true })
        : rules.beginTurn(task, run),
  },
  'beginTurn: attempts without bound': {
    beginTurn: (task, run) => rules.beginTurn(task, { ...run, maxAttempts: Infinity }),
  },
  'append: any epoch': {
    append: (task, event) => rules.append(task, { ...event, fence: task.turn || event.fence }),
  },
  'append: sent twice, written twice': {
    append: (task, event) => rules.append(task, { ...event, number: task.turnSeq + 1 }),
  },
  'append: the outcome leaves its message to endTurn': {
    append: (task, event) => rules.append(task, { ...event, settles: false }),
  },
  'append: a question forgets a waiting cancel': {
    append: (task, event) =>
      task.cancel && rules.isWaiting(event.state)
        ? leaving(rules.append({ ...task, cancel: false }, event), { cancel: true })
        : rules.append(task, event),
  },
  'append: a question stands while a message waits': {
    append: (task, event) => {
      const reply = rules.append(task, event);
      const isQuestion = rules.isWaiting(event.state) && reply.events.length > 0;
      return reply.verdict === 'more' && isQuestion ? leaving(reply, { state: event.state }) : reply;
    },
  },
  'append: the end leaves the turn open': {
    append: (task, event) =>
      leaving(rules.append(task, event), rules.isTerminal(event.state) ? { turn: task.turn } : {}),
  },
  'append: a completion drops the messages that wait': {
    append: (task, event) =>
      rules.append(event.state === 'C' && event.fence === task.turn ? { ...task, cancel: true } : task, event),
  },
  'endTurn: any epoch': {
    endTurn: (task, turn) => rules.endTurn(task, { ...turn, fence: task.turn || turn.fence }),
  },
  'releaseTurn: any epoch': {
    releaseTurn: (task, turn) => rules.releaseTurn(task, { ...turn, fence: task.turn || turn.fence }),
  },
  'releaseTurn: a shutdown spends an attempt': {
    releaseTurn: (task, turn) => rules.releaseTurn(task, { ...turn, isSpent: true }),
  },
  'releaseTurn: leaves the turn open': {
    releaseTurn: (task, turn) => {
      const reply = rules.releaseTurn(task, turn);
      return reply.verdict === 'released' ? leaving(reply, { turn: task.turn }) : reply;
    },
  },
  'releaseTurn: ignores a waiting cancel': {
    releaseTurn: (task, turn) => leaving(rules.releaseTurn({ ...task, cancel: false }, turn), { cancel: task.cancel }),
  },
  'cancel: an idle task only gets the flag': {
    cancel: (task) =>
      task && !task.turn && !rules.isTerminal(task.state)
        ? { verdict: 'requested', record: { ...task, cancel: true }, events: [] }
        : rules.cancel(task),
  },
  'sweep: drops the entry instead of moving it': {
    sweep: (task, time) => leaving(rules.sweep(task, time), { outbox: undefined }),
  },
  'sweep: a new job number each time': {
    sweep: (task, time) => {
      const reply = rules.sweep(task, time);
      const job = task.jobs + 1;
      return reply.verdict === 'add' ? { ...leaving(reply, { scheduled: job, jobs: job }), job } : reply;
    },
  },
  'sweep: does not let a job added anew in': {
    sweep: (task, time) => {
      const reply = rules.sweep(task, time);
      return reply.verdict === 'add' ? leaving(reply, { started: task.started }) : reply;
    },
  },
  'sweep: leaves a cancel to an owner that is gone': {
    sweep: (task, time) =>
      task.cancel ? leaving(rules.sweep({ ...task, cancel: false }, time), { cancel: true }) : rules.sweep(task, time),
  },
  'a turn is fenced by its epoch alone': {
    append: (task, event) => rules.append(task, byEpoch(task, event)),
    endTurn: (task, turn) => rules.endTurn(task, byEpoch(task, turn)),
    releaseTurn: (task, turn) => rules.releaseTurn(task, byEpoch(task, turn)),
  },
  'beginTurn: the owner that asks for its next turn gets the one that is open': {
    beginTurn: (task, run) =>
      rules.beginTurn(task, task?.turn && task.token === run.token ? { ...run, run: task.run } : run),
  },
  'accept: a message enters although the agent takes none': {
    accept: (task, message) => leaving(rules.accept(task && { ...task, whileWorking: '' }, message), was(task)),
  },
  'accept: a retry is refused while the agent takes none': {
    accept: (task, message) =>
      rules.accept(task && task.whileWorking === 'r' && task.turn ? { ...task, accepted: {} } : task, message),
  },
  'accept: an answer to a question is refused while the turn runs': {
    accept: (task, message) =>
      task?.turn && task.whileWorking === 'r' && rules.isWaiting(task.state) && !task.accepted[message.messageId]
        ? { verdict: 'working', record: task, events: [] }
        : rules.accept(task, message),
  },
  'steered: what is given leaves the inbox': {
    steered: (task, turn) => {
      const reply = rules.steered(task, turn);
      const inbox = task.inbox.filter((messageId) => messageId !== reply.given?.[0]);
      return reply.given?.length ? leaving(reply, { inbox }) : reply;
    },
  },
  'steered: the last one first': {
    steered: (task, turn) => {
      const reply = rules.steered(task, turn);
      return { ...reply, given: reply.given?.toReversed() };
    },
  },
  'steered: any fence': {
    steered: (task, turn) => rules.steered(task, { ...turn, fence: task.turn || turn.fence }),
  },
  'append: an outcome leaves what its turn was given': {
    append: (task, event) => rules.append(task, { ...event, taken: [] }),
  },
  'append: an outcome takes all that waits': {
    append: (task, event) => rules.append(task, { ...event, taken: task.inbox.slice(1) }),
  },
  'append: an outcome takes as many as its turn was given, whichever they are': {
    append: (task, event) => rules.append(task, { ...event, taken: task.inbox.slice(1, 1 + event.taken.length) }),
  },
  'append: sent again, an outcome takes what has come since': {
    append: (task, event) =>
      event.settles && event.fence === rules.lastFence(task) && !task.turn && task.inbox.length
        ? leaving(rules.append(task, event), { inbox: task.inbox.slice(1) })
        : rules.append(task, event),
  },
  'append: a completion ends the task whose turn was given a message, though another one waits': {
    append: (task, event) =>
      rules.append(event.taken.length && event.fence === task.turn ? { ...task, cancel: true } : task, event),
  },
  'endTurn: leaves what the turn was given': {
    endTurn: (task, turn) => rules.endTurn(task, { ...turn, taken: [] }),
  },
  'the end: the task stays in the outbox': everywhere((reply, before) =>
    before && !isEnded(before) && isEnded(reply.record) ? leaving(reply, { outbox: before.outbox }) : reply,
  ),
  'the last turn: the job stays scheduled': everywhere((reply) =>
    reply.verdict === 'idle' && reply.record && !isEnded(reply.record)
      ? leaving(reply, { scheduled: reply.record.jobs })
      : reply,
  ),
};

/** @type {{ name: string, rules: Rules }[]} */
export const MUTANTS = Object.entries(BROKEN).map(([name, broken]) => ({ name, rules: { ...rules, ...broken } }));
