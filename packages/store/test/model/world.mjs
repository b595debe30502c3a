// @ts-check
/**
 * The small world around one task: clients, gateways, the queue, workers and the sweeper, and every fault that can
 * occur between two steps. `moves` lists all next steps of a state. There is no time: anything may be late.
 *
 * The queue: an add is ignored while a job of this number exists; a fetch counts a start and takes the lock; only the
 * holder of the lock can complete a job or give it back; when a lock expires, the job can be fetched again while its
 * old run continues without the lock; completing deletes the number. The lock stands for the token of the run and the
 * lease of its process: see running.lua, and leases.ts for more of both.
 */

/** @typedef {import('../reference/turn-rules.ts').TaskRecord} Task */
/** @typedef {import('../reference/turn-rules.ts').Reply} Reply */
/** @typedef {typeof import('../reference/turn-rules.ts')} Rules */

/**
 * @typedef {object} World
 * @property {string} name
 * @property {number} messages     different messages the client sends, in order
 * @property {number} slots        concurrent runs of all workers, including runs without the lock
 * @property {number} faults       faults of any kind, at any time
 * @property {number} maxAttempts
 * @property {number} turnsPerJob
 * @property {boolean} cancels     the client cancels once, at any time
 * @property {boolean} [failsOver] a fail-over may lose an acknowledged begin or outcome, and all later writes
 * @property {boolean} [losesMessages] a fail-over may also lose the latest message during a turn
 * @property {boolean} [later]     the first message is scheduled
 * @property {boolean} [expires]   messages have a time to live, which ends at any time
 * @property {boolean} [suspends]  turns are suspended until an event is given, or their time has come
 * @property {import('../reference/turn-rules.ts').WhileWorking} [whileWorking] default: '', such messages wait
 */

/**
 * @typedef {{ id: number, started: number, lock: number }} Job
 * lock: the token of the holder; 0: the job waits; DEAD: the holder has crashed
 */
/**
 * @typedef {object} Run  one call of a worker's processor
 * @property {number} job
 * @property {number} started
 * @property {number} token
 * @property {'begin'|'turn'|'end'|'lost'|'requeue'|'finish'} at  its next action
 * @property {string} fence    the fence of its turn
 * @property {number} id       the unique id of the begin that it will send, or sent last
 * @property {number} turnSeq  the number of events appended in this turn
 * @property {boolean} asked   whether the last event left the task waiting (auth-required)
 * @property {boolean} last    whether this is the last attempt
 * @property {number} turns    the number of turns this job has ended
 * @property {string[]} delivered  the steering messages that its turn has received
 * @property {string} resend   the call whose reply was lost, and which will be sent again
 */
/** @typedef {Pick<State, 'task'|'jobs'|'adds'|'cancel'|'accepted'|'settled'|'dropped'|'begun'|'rejected'>} Kept */
/**
 * @typedef {object} State
 * @property {Task|null} task
 * @property {Job[]} jobs
 * @property {number[]} adds     job numbers on their way to the queue
 * @property {Run[]} runs
 * @property {number} sent       messages sent
 * @property {boolean} asked     whether the client has canceled
 * @property {boolean} cancel    whether the cancel was accepted
 * @property {Kept|null} kept    the data of a replica without the latest begin, outcome or message and all later
 * writes; null: the replica has all writes
 * @property {string[]} accepted messages, in order
 * @property {string[]} settled  messages with an outcome, or answered by the end of the task, in order
 * @property {string[]} dropped  messages left at the end of the task
 * @property {string[]} begun    messages with a time to live with which a turn has begun
 * @property {string[]} rejected messages whose time to live ended before
 * @property {number} faults     faults so far
 * @property {boolean} isHarmed  whether a fault was more than the crash or shutdown of a worker
 */
/**
 * @typedef {object} Move
 * @property {string} label
 * @property {State} state
 * @property {'outside'|'fault'|'fair'|'sweeper'} kind  outside steps and faults may stop; fair steps and the sweeper
 * occur again and again
 * @property {string} [script]
 * @property {Reply} [reply]
 * @property {Run} [run]
 */

/** An entry of the outbox may be due at any time. */
const LEASE = 'due';
export const DEAD = -1;
const MAX_SAME_ADDS = 2; // one of a gateway and one of the sweeper

/** @type {State} */
export const START = {
  task: null,
  kept: null,
  jobs: [],
  adds: [],
  runs: [],
  sent: 0,
  asked: false,
  cancel: false,
  accepted: [],
  settled: [],
  dropped: [],
  begun: [],
  rejected: [],
  faults: 0,
  isHarmed: false,
};

/** @param {State} state @param {Rules} rules @param {World} world @returns {Move[]} */
export function moves(state, rules, world) {
  /** @type {Move[]} */
  const all = [];
  clientMoves(all, state, rules, world);
  queueMoves(all, state, world);
  timeMoves(all, state, rules, world);
  timeToLiveMoves(all, state, rules, world);
  waitMoves(all, state, rules, world);
  sweeperMoves(all, state, rules);
  failOverMoves(all, state, world);
  for (const run of state.runs) {
    runMoves(all, state, run, rules, world);
    crashMoves(all, state, run, world);
  }
  // When no further fault can occur, the data of the replica is irrelevant.
  for (const move of all)
    if (move.state.kept && !mayFail(move.state, world)) move.state = { ...move.state, kept: null };
  return all;
}

/** @param {State} state @param {World} world */
const mayFail = (state, world) => state.faults < world.faults;

/** Whether the run holds the lock of its job. @param {State} state @param {Run} run */
export const holdsLock = (state, run) => state.jobs.some((job) => job.id === run.job && job.lock === run.token);

// Clients -----------------------------------------------------------------------------------------------------------

/** @param {Move[]} all @param {State} state @param {Rules} rules @param {World} world */
function clientMoves(all, state, rules, world) {
  if (state.sent < world.messages && (state.sent === 0 || state.task)) {
    const messageId = `m${state.sent + 1}`;
    const waits = world.later ? LEASE : undefined;
    const ttl = world.expires ? 'later' : undefined;
    const reply = rules.accept(state.task, { messageId, fingerprint: messageId, lease: LEASE, waits, ttl });
    const isAccepted = reply.verdict === 'accepted';
    const canBeLost = world.losesMessages && isAccepted && state.task?.turn;
    const stored = record(canBeLost ? { ...state, kept: keep(state) } : state, reply);
    const next = { ...stored, sent: state.sent + 1 };
    if (isAccepted) next.accepted = [...state.accepted, messageId];
    all.push({
      label: `client sends ${messageId}: ${reply.verdict}`,
      kind: 'outside',
      script: 'accept',
      reply,
      state: reply.job ? withAdd(next, reply.job) : next,
    });
  }
  if (state.task && state.accepted.length) {
    const reply = rules.accept(state.task, { messageId: 'm1', fingerprint: 'm1', lease: LEASE });
    all.push({
      label: `client sends m1 again: ${reply.verdict}`,
      kind: 'outside',
      script: 'accept',
      reply,
      state: record(state, reply),
    });
  }
  if (world.cancels && !state.asked && state.task) {
    const reply = rules.cancel(state.task);
    all.push({
      label: `client cancels: ${reply.verdict}`,
      kind: 'outside',
      script: 'cancel',
      reply,
      state: { ...record(state, reply), asked: true, cancel: reply.verdict !== 'terminal' },
    });
  }
}

/**
 * The time to live of a message ends, and any process rejects what nobody has begun by then; it may also be late.
 * @param {Move[]} all @param {State} state @param {Rules} rules @param {World} world
 */
function timeToLiveMoves(all, state, rules, world) {
  if (!state.task || !world.expires) return;
  if (state.task.beginBy === 'later' && !state.task.waits)
    all.push({
      label: 'the time to live of the message ends',
      kind: 'fair',
      state: { ...state, task: { ...state.task, beginBy: 'due' } },
    });
  const reply = rules.rejectMessage(state.task);
  const canBeLost = world.failsOver && reply.verdict === 'rejected';
  const next = record(canBeLost ? { ...state, kept: keep(state) } : state, reply);
  const waits = next.jobs.some(({ id, lock }) => id === reply.removed && lock === 0);
  all.push({
    label: `a process looks for messages that nobody began in time: ${reply.verdict}`,
    kind: state.task.beginBy === 'due' ? 'fair' : 'outside',
    script: 'rejectMessage',
    reply,
    state: waits && reply.removed ? withoutJob(next, reply.removed) : next,
  });
}

/**
 * An event from outside, and the time of a suspended turn; also again, if it was late or its reply was lost.
 * @param {Move[]} all @param {State} state @param {Rules} rules @param {World} world
 */
function waitMoves(all, state, rules, world) {
  if (!state.task || !world.suspends) return;
  for (const script of /** @type {const} */ (['giveEvent', 'resumeTurn'])) {
    const reply = rules[script](state.task, { lease: LEASE });
    const next = record(state, reply);
    all.push({
      label: `${script === 'giveEvent' ? 'an event is given' : 'the time of the turn has come'}: ${reply.verdict}`,
      kind: script === 'resumeTurn' && state.task.suspended ? 'fair' : 'outside',
      script,
      reply,
      state: reply.job ? withAdd(next, reply.job) : next,
    });
  }
}

// The queue ---------------------------------------------------------------------------------------------------------

/** @param {Move[]} all @param {State} state @param {World} world */
function queueMoves(all, state, world) {
  state.adds.forEach((id, i) => {
    if (id === state.adds[i - 1]) return;
    const rest = { ...state, adds: state.adds.filter((_, j) => j !== i) };
    const isKnown = state.jobs.some((job) => job.id === id);
    all.push({
      label: `the add of job ${id} arrives${isKnown ? ', ignored' : ''}`,
      kind: 'fair',
      state: isKnown
        ? rest
        : { ...rest, jobs: [...state.jobs, { id, started: 0, lock: 0 }].sort((a, b) => a.id - b.id) },
    });
    if (mayFail(state, world))
      all.push({ label: `the add of job ${id} is lost: its sender crashed`, kind: 'fault', state: fault(rest) });
  });
  for (const job of state.jobs) {
    const reissued = withLock(state, job.id, 0);
    if (job.lock === 0 && state.runs.length < world.slots) all.push(fetch(state, job));
    if (job.lock === DEAD)
      all.push({ label: `the queue gives out job ${job.id} of a crashed worker again`, kind: 'fair', state: reissued });
    if (!mayFail(state, world)) continue;
    if (job.lock > 0)
      all.push({
        label: `the lock of job ${job.id} expires, its run continues`,
        kind: 'fault',
        state: fault(reissued),
      });
    all.push({ label: `the queue loses job ${job.id}`, kind: 'fault', state: fault(withoutJob(state, job.id)) });
  }
}

/** @param {State} state @param {Job} job @returns {Move} */
function fetch(state, { id, started }) {
  const token = Math.max(0, ...state.runs.map((run) => run.token)) + 1;
  /** @type {Run} */
  const run = { ...IDLE, job: id, started: started + 1, token, id: freshId(state), at: 'begin', turns: 0 };
  const jobs = state.jobs.map((job) => (job.id === id ? { id, started: started + 1, lock: token } : job));
  return {
    label: `a worker fetches job ${id}, start ${started + 1}`,
    kind: 'fair',
    state: { ...state, jobs, runs: [...state.runs, run] },
  };
}

// Time --------------------------------------------------------------------------------------------------------------

/**
 * A worker begins the scheduled task; also again, if it was late or its reply was lost.
 * @param {Move[]} all @param {State} state @param {Rules} rules @param {World} world
 */
function timeMoves(all, state, rules, world) {
  if (!state.task || !world.later) return;
  const reply = rules.beginScheduled(state.task, { lease: LEASE });
  const canBeLost = world.failsOver && reply.verdict === 'begun';
  const next = record(canBeLost ? { ...state, kept: keep(state) } : state, reply);
  all.push({
    label: `the scheduled task is due: ${reply.verdict}`,
    kind: state.task.waits ? 'fair' : 'outside',
    script: 'beginScheduled',
    reply,
    state: reply.job ? withAdd(next, reply.job) : next,
  });
}

// The sweeper -------------------------------------------------------------------------------------------------------

/** @param {Move[]} all @param {State} state @param {Rules} rules */
function sweeperMoves(all, state, rules) {
  if (!state.task || state.task.outbox === undefined) return;
  const reply = rules.sweep(state.task, { lease: LEASE });
  const next = record(state, reply);
  all.push({
    label: `sweeper: ${reply.verdict}${reply.job ? ` job ${reply.job}` : ''}`,
    kind: 'sweeper',
    script: 'sweep',
    reply,
    state: reply.job ? withAdd(next, reply.job) : next,
  });
}

// Redis -------------------------------------------------------------------------------------------------------------

/**
 * A replica becomes the master without the acknowledged writes since the latest begin, outcome or message. The
 * processes still know of them.
 * @param {Move[]} all @param {State} state @param {World} world
 */
function failOverMoves(all, state, world) {
  if (!state.kept || !mayFail(state, world)) return;
  // The task and its queue are on one node: they lose the same writes.
  all.push({
    label: 'a fail-over loses the latest begin, outcome or message',
    kind: 'fault',
    state: fault({ ...state, ...state.kept, kept: null }),
  });
}

/** The data of Redis, and what was counted of it, before a begin or an outcome. @param {State} state @returns {Kept} */
const keep = ({ task, jobs, adds, cancel, accepted, settled, dropped, begun, rejected }) => ({
  task,
  jobs,
  adds,
  cancel,
  accepted,
  settled,
  dropped,
  begun,
  rejected,
});

/** @param {State} state */
function freshId({ task, kept, runs }) {
  const begun = [task?.run, kept?.task?.run, ...runs.map(({ fence }) => fence.split('.')[1])];
  return Math.max(0, ...begun.map((run) => Number(run?.slice(1) || 0)), ...runs.map(({ id }) => id)) + 1;
}

// Workers -----------------------------------------------------------------------------------------------------------

/** @param {Move[]} all @param {State} state @param {Run} run @param {World} world */
function crashMoves(all, state, run, world) {
  const isLockLost = !holdsLock(state, run);
  if (!isLockLost && !mayFail(state, world)) return;
  const dead = { ...state, runs: state.runs.filter((other) => other !== run) };
  // A run without its lock may act late or never. Its end is no fault, so that no rule can depend on its next action.
  if (isLockLost) all.push({ label: `the run of job ${run.job} without its lock ends`, kind: 'fair', state: dead });
  else all.push({ label: `the worker of job ${run.job} is killed`, kind: 'fault', state: harmless(dead) });
}

/** @param {Move[]} all @param {State} state @param {Run} run @param {Rules} rules @param {World} world */
function runMoves(all, state, run, rules, world) {
  const kind = holdsLock(state, run) ? 'fair' : 'outside';
  if (run.at === 'finish' || run.at === 'requeue') {
    const isGiven = run.at === 'requeue';
    const without = { ...state, runs: state.runs.filter((other) => other !== run) };
    const done = isGiven ? withLock(without, run.job, 0) : withoutJob(without, run.job);
    const label = `${name(run)} ${isGiven ? 'gives the job back' : 'completes the job'}`;
    all.push(
      kind === 'fair' ? { label, kind, state: done } : { label: `${label}, refused: no lock`, kind, state: without },
    );
    return;
  }
  for (const call of run.resend ? [run.resend] : callsOf(state, run, world)) {
    const step = CALLS[call]?.(run, world);
    if (!step || !state.task) continue;
    const isFault = !!step.isFault && !run.resend;
    if (isFault && !mayFail(state, world)) continue;
    const reply = rules[step.script](/** @type {never} */ (state.task), /** @type {never} */ (step.args));
    const label = `${name(run)} ${call}: ${reply.verdict}`;
    const isBegin =
      step.script === 'beginTurn' && reply.record !== state.task && /^(turn|rejected)$/.test(reply.verdict);
    const isOutcome = step.script === 'append' && reply.settled !== undefined;
    const canBeLost = world.failsOver && (isBegin || isOutcome);
    const kept = record(canBeLost ? { ...state, kept: keep(state) } : state, reply);
    // The script that suspends a turn completes its job in the same step.
    const stored = reply.verdict === 'suspended' && holdsLock(state, run) ? withoutJob(kept, run.job) : kept;
    const moved = next({ ...run, ...step.sent, resend: '' }, call, reply, world);
    const after = withRun(stored, run, moved.at === 'begin' ? { ...moved, id: freshId(stored) } : moved);
    const move = { script: step.script, reply, run };
    all.push({ ...move, label, kind: isFault ? 'fault' : kind, state: isFault ? harmless(after) : after });
    // A read without a reply has no effect.
    if (!mayFail(state, world) || step.script === 'steered') continue;
    const unanswered = withRun(stored, run, { ...run, ...step.sent, resend: call });
    all.push({ ...move, label: `${label}, reply lost`, kind: 'fault', state: fault(unanswered) });
  }
}

/**
 * The possible next calls of an executor.
 * @param {State} state @param {Run} run @param {World} world @returns {string[]}
 */
function callsOf(state, run, { whileWorking, suspends }) {
  if (run.at === 'lost') return ['gives a lost turn back'];
  if (run.at !== 'turn') return [run.at];
  const calls = ['asks for input', 'completes', run.last ? 'fails' : 'fails, to be retried', 'gives the turn back'];
  if (!run.turnSeq) calls.push('publishes working', 'asks for authorization');
  if (run.asked) calls.push('end');
  const waiting = (state.task?.inbox.length ?? 0) - 1;
  if (whileWorking === 's' && waiting > run.delivered.length) calls.push('receives a steering message');
  if (state.task?.cancel) calls.push('ends as canceled');
  if (suspends) calls.push('waits');
  return calls;
}

/**
 * @typedef {{ script: 'beginTurn'|'append'|'endTurn'|'handBackTurn'|'suspendTurn'|'steered', args: object, sent?: Partial<Run>,
 * isFault?: boolean }} Step
 */
/** @type {Record<string, (run: Run, world: World) => Step>} */
const CALLS = {
  begin: ({ job, started, token, id }, { maxAttempts, whileWorking = '' }) => ({
    script: 'beginTurn',
    args: { job, started, token: `t${token}`, run: `r${id}`, maxAttempts, lease: LEASE, whileWorking },
  }),
  'publishes working': (run, world) => event(run, world, 'w', false),
  'asks for authorization': (run, world) => event(run, world, 'a', false),
  'asks for input': (run, world) => event(run, world, 'i', true),
  completes: (run, world) => event(run, world, 'C', true),
  fails: (run, world) => event(run, world, 'F', true),
  'ends as canceled': (run, world) => event(run, world, 'X', true),
  end: (run, world) => ({
    script: 'endTurn',
    args: {
      fence: run.fence,
      published: run.turnSeq,
      endsJobAfterTurn: isLastTurnOfJob(run, world),
      lease: LEASE,
      delivered: run.delivered,
    },
  }),
  'receives a steering message': ({ fence, delivered }) => ({
    script: 'steered',
    args: { fence, after: delivered.length },
  }),
  'fails, to be retried': ({ fence }) => ({ script: 'handBackTurn', args: { fence, isSpent: true, lease: LEASE } }),
  'gives a lost turn back': ({ fence }) => ({ script: 'handBackTurn', args: { fence, isSpent: false, lease: LEASE } }),
  waits: ({ fence, turnSeq: published }) => ({
    script: 'suspendTurn',
    args: { fence, published, lease: LEASE },
    isFault: true,
  }),
  'gives the turn back': ({ fence }) => ({
    script: 'handBackTurn',
    args: { fence, isSpent: false, lease: LEASE },
    isFault: true,
  }),
};

/**
 * @param {Run} run
 * @param {World} world
 * @param {import('../reference/turn-rules.ts').Letter} state
 * @param {boolean} settles
 * @returns {Step}
 */
function event(run, world, state, settles) {
  const number = run.resend ? run.turnSeq : run.turnSeq + 1;
  const [endsJobAfterTurn, delivered] = [isLastTurnOfJob(run, world), settles ? run.delivered : []];
  const args = { fence: run.fence, number, state, settles, endsJobAfterTurn, lease: LEASE, delivered };
  return { script: 'append', args, sent: { turnSeq: number, asked: state === 'a' } };
}

/** @param {Run} run @param {World} world */
const isLastTurnOfJob = (run, world) => run.turns + 1 >= world.turnsPerJob;

const IDLE = { fence: '', turnSeq: 0, asked: false, last: false, delivered: [], resend: '' };
const DONE = { ...IDLE, started: 0, turns: 0 };

/**
 * The run after a reply.
 * @param {Run} run @param {string} call @param {Reply} reply @param {World} world @returns {Run & { add?: number }}
 */
function next(run, call, reply, world) {
  switch (reply.verdict) {
    case 'turn':
      return {
        ...run,
        at: 'turn',
        fence: reply.fence ?? '',
        turnSeq: 0,
        asked: false,
        delivered: [],
        last: reply.attempt === world.maxAttempts,
      };
    case 'appended':
      // An outcome that did not settle its turn must be followed by endTurn. Only broken rules need this.
      return { ...run, at: call === 'asks for input' ? 'end' : 'turn' };
    case 'more':
      return { ...run, ...IDLE, at: 'begin', turns: run.turns + 1 };
    case 'rejected':
      return { ...run, ...IDLE, at: 'begin' };
    case 'successor':
      return { ...run, ...DONE, at: 'finish', add: reply.job ?? 0 };
    case 'given':
      return { ...run, delivered: [...run.delivered, ...(reply.given ?? []).slice(0, 1)] };
    case 'suspended':
      return { ...run, ...DONE, at: 'finish', ...(reply.job && { add: reply.job }) };
    case 'gap':
      return { ...run, at: 'lost' };
    case 'given-back':
      return { ...run, ...DONE, at: 'requeue' };
    default:
      return { ...run, ...DONE, at: 'finish' };
  }
}

/** @param {Run} run */
const name = (run) => `run ${run.token} (job ${run.job}, start ${run.started})`;

// Changes of a state ------------------------------------------------------------------------------------------------

/** @param {State} state @param {Reply} reply @returns {State} */
const record = (state, { record: task = null, settled = [], answered = [], dropped, message, rejected }) => ({
  ...state,
  task,
  begun: message && state.task?.beginBy && !state.begun.includes(message) ? [...state.begun, message] : state.begun,
  rejected: rejected ? [...state.rejected, rejected] : state.rejected,
  settled: settled.length || answered.length ? [...state.settled, ...settled, ...answered] : state.settled,
  dropped: dropped?.length ? [...state.dropped, ...dropped] : state.dropped,
});

/** @param {State} state @param {Run} run @param {Run & { add?: number }} change @returns {State} */
function withRun(state, run, { add, ...changed }) {
  const next = { ...state, runs: state.runs.map((other) => (other === run ? changed : other)) };
  return add ? withAdd(next, add) : next;
}

/** @param {State} state @param {number} id @returns {State} */
const withAdd = (state, id) =>
  state.adds.filter((other) => other === id).length < MAX_SAME_ADDS
    ? { ...state, adds: [...state.adds, id].sort() }
    : state;

/** @param {State} state @param {number} id @param {number} lock @returns {State} */
const withLock = (state, id, lock) => ({
  ...state,
  jobs: state.jobs.map((job) => (job.id === id ? { ...job, lock } : job)),
});

/** @param {State} state @param {number} id @returns {State} */
const withoutJob = (state, id) => ({ ...state, jobs: state.jobs.filter((job) => job.id !== id) });

/** @param {State} state @returns {State} */
const fault = (state) => ({ ...state, faults: state.faults + 1, isHarmed: true });

/** A fault that the queue repairs without the sweeper. @param {State} state @returns {State} */
const harmless = (state) => ({ ...state, faults: state.faults + 1 });
