// @ts-check
/** The rules with one of them broken at a time. The checker must catch each of these mutants. */
import * as rules from '../reference/turn-rules.ts';

/** @typedef {import('./world.mjs').Rules} Rules */
/** @typedef {import('../reference/turn-rules.ts').Reply} Reply */
/** @typedef {import('../reference/turn-rules.ts').TaskRecord} Task */

/** The reply with a changed record. @param {Reply} reply @param {Partial<Task>} change @returns {Reply} */
const leaving = (reply, change) => ({ ...reply, record: reply.record && { ...reply.record, ...change } });

/** @param {Task|null} task @returns {Partial<Task>} */
const was = (task) => (task ? { whileWorking: task.whileWorking } : {});

/** @param {Task|null} task */
const isEnded = (task) => !!task && rules.isTerminal(task.state);

/**
 * Changes the replies of all scripts.
 * @param {(reply: Reply, before: Task|null) => Reply} change
 * @returns {Partial<Rules>}
 */
const everywhere = (change) => ({
  accept: (task, message) => change(rules.accept(task, message), task),
  beginTurn: (task, run) => change(rules.beginTurn(task, run), task),
  append: (task, event) => change(rules.append(task, event), task),
  endTurn: (task, turn) => change(rules.endTurn(task, turn), task),
  handBackTurn: (task, turn) => change(rules.handBackTurn(task, turn), task),
  cancel: (task) => change(rules.cancel(task), task),
  sweep: (task, time) => change(rules.sweep(task, time), task),
});

/**
 * Compares only the epochs of fences. @template {{ fence: string }} T
 * @param {Task} task
 * @param {T} call
 * @returns {T}
 */
const byEpoch = (task, call) =>
  Number.parseInt(call.fence, 10) === task.epoch ? { ...call, fence: rules.lastFence(task) } : call;

/** @type {Record<string, Partial<Rules>>} */
const BROKEN = {
  'accept: a repeated message is a new message': {
    accept: (task, message) => rules.accept(task && { ...task, accepted: {} }, message),
  },
  'accept: accepts a message for a scheduled task that has not begun': {
    accept: (task, message) =>
      task?.waits
        ? leaving(rules.accept({ ...task, waits: undefined }, message), { waits: task.waits })
        : rules.accept(task, message),
  },
  'beginScheduled: a scheduled task begins each time': {
    beginScheduled: (task, time) => leaving(rules.beginScheduled(task, time), { waits: task.waits }),
  },
  'beginScheduled: adds no job': {
    beginScheduled: (task, time) => ({
      ...leaving(rules.beginScheduled(task, time), { job: 0, outbox: undefined }),
      job: 0,
    }),
  },
  'cancel: a canceled scheduled task still begins': {
    cancel: (task) => leaving(rules.cancel(task), { waits: task?.waits }),
  },
  'accept: a repeated message is refused after the end': {
    accept: (task, message) =>
      rules.accept(task && rules.isTerminal(task.state) ? { ...task, accepted: {} } : task, message),
  },
  'accept: accepts messages after a cancel request': {
    accept: (task, message) =>
      task?.cancel
        ? leaving(rules.accept({ ...task, cancel: false }, message), { cancel: true })
        : rules.accept(task, message),
  },
  'accept: adds no outbox entry': {
    accept: (task, message) => leaving(rules.accept(task, message), task?.job ? {} : { outbox: undefined }),
  },
  'accept: every job of a task has the same number': {
    accept: (task, message) => {
      const reply = rules.accept(task, message);
      return reply.job ? { ...leaving(reply, { job: 1, jobs: 1 }), job: 1 } : reply;
    },
  },
  'beginTurn: any job may begin': {
    beginTurn: (task, run) => rules.beginTurn(task, { ...run, job: task?.job || run.job }),
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
  'beginTurn: ignores a cancel request': {
    beginTurn: (task, run) =>
      task?.cancel
        ? leaving(rules.beginTurn({ ...task, cancel: false }, run), { cancel: true })
        : rules.beginTurn(task, run),
  },
  'beginTurn: attempts without a limit': {
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
  'append: a question ignores a cancel request': {
    append: (task, event) =>
      task.cancel && rules.isWaiting(event.state)
        ? leaving(rules.append({ ...task, cancel: false }, event), { cancel: true })
        : rules.append(task, event),
  },
  'append: the task stays interrupted while a message waits': {
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
  'append: a completion drops waiting messages': {
    append: (task, event) =>
      rules.append(event.state === 'C' && event.fence === task.turn ? { ...task, cancel: true } : task, event),
  },
  'endTurn: any epoch': {
    endTurn: (task, turn) => rules.endTurn(task, { ...turn, fence: task.turn || turn.fence }),
  },
  'handBackTurn: any epoch': {
    handBackTurn: (task, turn) => rules.handBackTurn(task, { ...turn, fence: task.turn || turn.fence }),
  },
  'handBackTurn: a shutdown spends an attempt': {
    handBackTurn: (task, turn) => rules.handBackTurn(task, { ...turn, isSpent: true }),
  },
  'handBackTurn: leaves the turn open': {
    handBackTurn: (task, turn) => {
      const reply = rules.handBackTurn(task, turn);
      return reply.verdict === 'given-back' ? leaving(reply, { turn: task.turn }) : reply;
    },
  },
  'handBackTurn: ignores a cancel request': {
    handBackTurn: (task, turn) =>
      leaving(rules.handBackTurn({ ...task, cancel: false }, turn), { cancel: task.cancel }),
  },
  'suspendTurn: misses an event that came before it': {
    suspendTurn: (task, turn) => leaving(rules.suspendTurn({ ...task, event: false }, turn), { event: task.event }),
  },
  'suspendTurn: leaves the turn open': {
    suspendTurn: (task, turn) => {
      const reply = rules.suspendTurn(task, turn);
      return reply.verdict === 'suspended' ? leaving(reply, { turn: task.turn }) : reply;
    },
  },
  'suspendTurn: a turn waits without its lost events': {
    suspendTurn: (task, turn) => rules.suspendTurn(task, { ...turn, published: 0 }),
  },
  'endTurn: a turn ends without its lost events': {
    endTurn: (task, turn) => rules.endTurn(task, { ...turn, published: 0 }),
  },
  'resumeTurn: a suspended turn resumes each time': {
    resumeTurn: (task, time) => leaving(rules.resumeTurn(task, time), { suspended: task.suspended }),
  },
  'cancel: a canceled suspended turn still resumes': {
    cancel: (task) => leaving(rules.cancel(task), task ? { suspended: task.suspended } : {}),
  },
  'cancel: a task without a turn is only marked as canceled': {
    cancel: (task) =>
      task && !task.turn && !rules.isTerminal(task.state)
        ? { verdict: 'requested', record: { ...task, cancel: true }, events: [] }
        : rules.cancel(task),
  },
  'sweep: deletes the outbox entry instead of renewing it': {
    sweep: (task, time) => leaving(rules.sweep(task, time), { outbox: undefined }),
  },
  'sweep: a new job number each time': {
    sweep: (task, time) => {
      const reply = rules.sweep(task, time);
      const job = task.jobs + 1;
      return reply.verdict === 'add' ? { ...leaving(reply, { job: job, jobs: job }), job } : reply;
    },
  },
  'sweep: a job that was added again cannot begin': {
    sweep: (task, time) => {
      const reply = rules.sweep(task, time);
      return reply.verdict === 'add' ? leaving(reply, { started: task.started }) : reply;
    },
  },
  'sweep: leaves a cancel to a crashed owner': {
    sweep: (task, time) =>
      task.cancel ? leaving(rules.sweep({ ...task, cancel: false }, time), { cancel: true }) : rules.sweep(task, time),
  },
  'a turn is fenced by its epoch alone': {
    append: (task, event) => rules.append(task, byEpoch(task, event)),
    endTurn: (task, turn) => rules.endTurn(task, byEpoch(task, turn)),
    handBackTurn: (task, turn) => rules.handBackTurn(task, byEpoch(task, turn)),
  },
  'beginTurn: the owner that begins its next turn gets the open one': {
    beginTurn: (task, run) =>
      rules.beginTurn(task, task?.turn && task.token === run.token ? { ...run, run: task.run } : run),
  },
  'accept: accepts a message although the agent rejects messages while it works': {
    accept: (task, message) => leaving(rules.accept(task && { ...task, whileWorking: '' }, message), was(task)),
  },
  'accept: a repeated message is refused while the agent rejects messages': {
    accept: (task, message) =>
      rules.accept(task && task.whileWorking === 'r' && task.turn ? { ...task, accepted: {} } : task, message),
  },
  'accept: an answer to a question is refused while the turn is open': {
    accept: (task, message) =>
      task?.turn && task.whileWorking === 'r' && rules.isWaiting(task.state) && !task.accepted[message.messageId]
        ? { verdict: 'working', record: task, events: [] }
        : rules.accept(task, message),
  },
  'steered: a received message leaves the inbox': {
    steered: (task, turn) => {
      const reply = rules.steered(task, turn);
      const inbox = task.inbox.filter((messageId) => messageId !== reply.given?.[0]);
      return reply.given?.length ? leaving(reply, { inbox }) : reply;
    },
  },
  'steered: the last message comes first': {
    steered: (task, turn) => {
      const reply = rules.steered(task, turn);
      return { ...reply, given: reply.given?.toReversed() };
    },
  },
  'steered: any fence': {
    steered: (task, turn) => rules.steered(task, { ...turn, fence: task.turn || turn.fence }),
  },
  'append: an outcome does not answer the messages that its turn received': {
    append: (task, event) => rules.append(task, { ...event, delivered: [] }),
  },
  'append: an outcome answers all waiting messages': {
    append: (task, event) => rules.append(task, { ...event, delivered: task.inbox.slice(1) }),
  },
  'append: an outcome answers the right number of messages, but not the right ones': {
    append: (task, event) =>
      rules.append(task, { ...event, delivered: task.inbox.slice(1, 1 + event.delivered.length) }),
  },
  'append: a repeated outcome answers messages that came after it': {
    append: (task, event) =>
      event.settles && event.fence === rules.lastFence(task) && !task.turn && task.inbox.length
        ? leaving(rules.append(task, event), { inbox: task.inbox.slice(1) })
        : rules.append(task, event),
  },
  'append: a completion of a steered turn ends the task although another message waits': {
    append: (task, event) =>
      rules.append(event.delivered.length && event.fence === task.turn ? { ...task, cancel: true } : task, event),
  },
  'endTurn: does not answer the messages that the turn received': {
    endTurn: (task, turn) => rules.endTurn(task, { ...turn, delivered: [] }),
  },
  'the end: the task stays in the outbox': everywhere((reply, before) =>
    before && !isEnded(before) && isEnded(reply.record) ? leaving(reply, { outbox: before.outbox }) : reply,
  ),
  'the last turn: the job stays scheduled': everywhere((reply) =>
    reply.verdict === 'idle' && reply.record && !isEnded(reply.record)
      ? leaving(reply, { job: reply.record.jobs })
      : reply,
  ),
};

/** @type {Record<string, Partial<Rules>>} */
const BROKEN_TIME_TO_LIVE = {
  'accept: an answer with a time to live does not say what it answers': {
    accept: (task, message) => leaving(rules.accept(task, message), { answers: '' }),
  },
  'beginScheduled: the time to live is lost': {
    beginScheduled: (task, time) => rules.beginScheduled(task.waits ? { ...task, beginBy: undefined } : task, time),
  },
  'beginTurn: the message keeps its time to live': {
    beginTurn: (task, run) => {
      const reply = rules.beginTurn(task, run);
      return reply.verdict === 'turn' && task
        ? leaving(reply, { beginBy: task.beginBy, answers: task.answers })
        : reply;
    },
  },
  'beginTurn: a message begins although its time to live has ended': {
    beginTurn: (task, run) => rules.beginTurn(task?.beginBy ? { ...task, beginBy: 'later' } : task, run),
  },
  'handBackTurn: the message gets its time to live again': {
    handBackTurn: (task, turn) => {
      const reply = rules.handBackTurn(task, turn);
      return reply.record !== task && reply.verdict === 'given-back' ? leaving(reply, { beginBy: 'later' }) : reply;
    },
  },
  'suspendTurn: the message gets its time to live again': {
    suspendTurn: (task, turn) => {
      const reply = rules.suspendTurn(task, turn);
      return reply.record !== task && reply.record?.suspended ? leaving(reply, { beginBy: 'later' }) : reply;
    },
  },
  'cancel: a canceled message is still rejected': {
    cancel: (task) => leaving(rules.cancel(task), task ? { beginBy: task.beginBy } : {}),
  },
  'rejectMessage: before its time to live has ended': {
    rejectMessage: (task) => rules.rejectMessage(task.beginBy ? { ...task, beginBy: 'due' } : task),
  },
  'rejectMessage: a message whose turn has begun': {
    rejectMessage: (task) => rules.rejectMessage(task.turn ? { ...task, beginBy: 'due' } : task),
  },
  'rejectMessage: a message whose turn has begun, and was given back': {
    rejectMessage: (task) =>
      rules.rejectMessage(task.epoch && task.job && !task.turn ? { ...task, beginBy: 'due' } : task),
  },
  'rejectMessage: a scheduled message before its begin': {
    rejectMessage: (task) => rules.rejectMessage({ ...task, beginBy: task.beginBy && 'due', waits: undefined }),
  },
  'rejectMessage: the task ends also if the message answers a question': {
    rejectMessage: (task) => rules.rejectMessage(task.beginBy === 'due' ? { ...task, answers: '' } : task),
  },
  'rejectMessage: the job leaves the queue although another message waits': {
    rejectMessage: (task) => ({ ...rules.rejectMessage(task), removed: task.job }),
  },
  'rejectMessage: the task keeps its job': {
    rejectMessage: (task) => {
      const reply = rules.rejectMessage(task);
      return reply.record?.inbox.length === 0 && !isEnded(reply.record) ? leaving(reply, { job: task.job }) : reply;
    },
  },
  'rejectMessage: nobody looks for such messages': {
    rejectMessage: (task) => ({ verdict: 'idle', record: task, events: [] }),
  },
};

/** @param {Record<string, Partial<Rules>>} broken @param {boolean} expires in which worlds the mutant shows */
const mutantsOf = (broken, expires) =>
  Object.entries(broken).map(([name, some]) => ({ name, expires, rules: { ...rules, ...some } }));

/** @type {{ name: string, expires: boolean, rules: Rules }[]} */
export const MUTANTS = [...mutantsOf(BROKEN, false), ...mutantsOf(BROKEN_TIME_TO_LIVE, true)];
