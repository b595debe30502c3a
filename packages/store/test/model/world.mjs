// @ts-check
/**
 * The small world around one task: clients, gateways, the queue, workers and the sweeper, and everything that can go
 * wrong between two steps. `moves` lists all next steps of a state; time does not exist, so that anything may be late.
 *
 * The queue (BullMQ, as measured): jobs by number; an add is swallowed while the number exists; a fetch counts a start
 * and takes the lock; completing or giving back works for the holder of the lock only; a lock that runs out re-issues
 * the job while its old run, now a zombie, goes on; completing forgets the number.
 */

/** @typedef {import('../reference/turn-rules.ts').TaskRecord} Task */
/** @typedef {import('../reference/turn-rules.ts').Reply} Reply */
/** @typedef {typeof import('../reference/turn-rules.ts')} Rules */

/**
 * @typedef {object} World
 * @property {string} name
 * @property {number} messages     different messages the client sends, in order
 * @property {number} slots        runs that the workers hold at the same time, zombies included
 * @property {number} faults       faults of any kind, at any moment
 * @property {number} maxAttempts
 * @property {number} turnsPerJob
 * @property {boolean} cancels     the client cancels once, at any moment
 * @property {boolean} [failsOver] a fail-over may forget an acknowledged begin or outcome, and all that came after it
 * @property {boolean} [forgetsMessages] it may also forget the latest message that came while a turn ran
 * @property {boolean} [later] the first message is for later
 * @property {import('../reference/turn-rules.ts').WhileWorking} [whileWorking] default: '', such messages wait
 */

/**
 * @typedef {{ id: number, started: number, lock: number }} Job  lock: token of the holder; 0: waiting; DEAD: holder
 * gone
 */
/**
 * @typedef {object} Run  one call of a worker's processor
 * @property {number} job
 * @property {number} started
 * @property {number} token
 * @property {'begin'|'turn'|'end'|'lost'|'requeue'|'finish'} at  what it does next
 * @property {string} fence    fencing token of its turn
 * @property {number} id       of the begin that it is about to send, or sent last: no two begins have the same
 * @property {number} turnSeq    events handed to append in this turn
 * @property {boolean} asked  the last of them left the task waiting (auth-required)
 * @property {boolean} last   no attempt is left after this one
 * @property {number} turns   turns this job has ended
 * @property {string[]} taken messages that its turn was given beside its own
 * @property {string} resend  the call whose reply was lost, to be sent again
 */
/** @typedef {Pick<State, 'task'|'jobs'|'adds'|'cancel'|'accepted'|'settled'|'dropped'>} Kept */
/**
 * @typedef {object} State
 * @property {Task|null} task
 * @property {Job[]} jobs
 * @property {number[]} adds     job numbers on their way to the queue
 * @property {Run[]} runs
 * @property {number} sent       messages sent
 * @property {boolean} asked     cancel was called
 * @property {boolean} cancel    cancel was accepted
 * @property {Kept|null} kept    what a replica has that lacks the latest begin, outcome or message, and all that came
 * after it; null: it lacks nothing
 * @property {string[]} accepted messages, in order
 * @property {string[]} settled  messages with an outcome, in order
 * @property {string[]} dropped  messages left at the end of the task
 * @property {number} faults     faults so far
 * @property {boolean} isHarmed   one of them was more than a worker's death or shutdown
 */
/**
 * @typedef {object} Move
 * @property {string} label
 * @property {State} state
 * @property {'outside'|'fault'|'fair'|'sweeper'} kind  outside and faults may stop; fair steps and the sweeper keep
 * coming
 * @property {string} [script]
 * @property {Reply} [reply]
 * @property {Run} [run]
 */

/** An entry of the outbox may be due at any moment. */
const LEASE = 'due';
export const DEAD = -1;
const MAX_SAME_ADDS = 2; // a gateway's and the sweeper's

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
  sweeperMoves(all, state, rules);
  failOverMoves(all, state, world);
  for (const run of state.runs) {
    runMoves(all, state, run, rules, world);
    deathMoves(all, state, run, world);
  }
  // What a replica lacks makes no difference once nothing more can fail.
  for (const move of all)
    if (move.state.kept && !mayFail(move.state, world)) move.state = { ...move.state, kept: null };
  return all;
}

/** @param {State} state @param {World} world */
const mayFail = (state, world) => state.faults < world.faults;

/** Does this run hold the lock of its job? If not it is a zombie. @param {State} state @param {Run} run */
export const holdsLock = (state, run) => state.jobs.some((job) => job.id === run.job && job.lock === run.token);

// Clients -----------------------------------------------------------------------------------------------------------

/** @param {Move[]} all @param {State} state @param {Rules} rules @param {World} world */
function clientMoves(all, state, rules, world) {
  if (state.sent < world.messages && (state.sent === 0 || state.task)) {
    const messageId = `m${state.sent + 1}`;
    const waits = world.later ? LEASE : undefined;
    const reply = rules.accept(state.task, { messageId, fingerprint: messageId, lease: LEASE, waits });
    const isAccepted = reply.verdict === 'scheduled' || reply.verdict === 'queued';
    const mayForget = world.forgetsMessages && isAccepted && state.task?.turn;
    const told = record(mayForget ? { ...state, kept: keep(state) } : state, reply);
    const next = { ...told, sent: state.sent + 1 };
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

// The queue ---------------------------------------------------------------------------------------------------------

/** @param {Move[]} all @param {State} state @param {World} world */
function queueMoves(all, state, world) {
  state.adds.forEach((id, i) => {
    if (id === state.adds[i - 1]) return;
    const rest = { ...state, adds: state.adds.filter((_, j) => j !== i) };
    const isKnown = state.jobs.some((job) => job.id === id);
    all.push({
      label: `add of job ${id} arrives${isKnown ? ', swallowed' : ''}`,
      kind: 'fair',
      state: isKnown
        ? rest
        : { ...rest, jobs: [...state.jobs, { id, started: 0, lock: 0 }].sort((a, b) => a.id - b.id) },
    });
    if (mayFail(state, world))
      all.push({ label: `add of job ${id} is lost: its sender died`, kind: 'fault', state: fault(rest) });
  });
  for (const job of state.jobs) {
    const reissued = withLock(state, job.id, 0);
    if (job.lock === 0 && state.runs.length < world.slots) all.push(fetch(state, job));
    if (job.lock === DEAD)
      all.push({ label: `queue re-issues job ${job.id} of a dead worker`, kind: 'fair', state: reissued });
    if (!mayFail(state, world)) continue;
    if (job.lock > 0)
      all.push({
        label: `lock of job ${job.id} runs out, its run goes on as a zombie`,
        kind: 'fault',
        state: fault(reissued),
      });
    all.push({ label: `queue loses job ${job.id}`, kind: 'fault', state: fault(withoutJob(state, job.id)) });
  }
}

/** @param {State} state @param {Job} job @returns {Move} */
function fetch(state, { id, started }) {
  const token = Math.max(0, ...state.runs.map((run) => run.token)) + 1;
  /** @type {Run} */
  const run = { ...IDLE, job: id, started: started + 1, token, id: freshId(state), at: 'begin', turns: 0 };
  const jobs = state.jobs.map((job) => (job.id === id ? { id, started: started + 1, lock: token } : job));
  return {
    label: `worker fetches job ${id}, start ${started + 1}`,
    kind: 'fair',
    state: { ...state, jobs, runs: [...state.runs, run] },
  };
}

// Time --------------------------------------------------------------------------------------------------------------

/** A worker that was late, or whose reply was lost, begins it again. @param {Move[]} all @param {State} state @param {Rules} rules @param {World} world */
function timeMoves(all, state, rules, world) {
  if (!state.task || !world.later) return;
  const reply = rules.beginLater(state.task, { lease: LEASE });
  const mayForget = world.failsOver && reply.verdict === 'begun';
  const next = record(mayForget ? { ...state, kept: keep(state) } : state, reply);
  all.push({
    label: `its time has come: ${reply.verdict}`,
    kind: state.task.waits ? 'fair' : 'outside',
    script: 'beginLater',
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
 * The writes of Redis since the latest begin, outcome or message are lost, though they were acknowledged: a replica
 * without them takes over. What processes know stays as it is.
 * @param {Move[]} all @param {State} state @param {World} world
 */
function failOverMoves(all, state, world) {
  if (!state.kept || !mayFail(state, world)) return;
  // The queue may lack what the task has, and the other way round: they lie on one node, so they go together.
  all.push({
    label: 'a fail-over forgets the latest begin, outcome or message',
    kind: 'fault',
    state: fault({ ...state, ...state.kept, kept: null }),
  });
}

/** What Redis held, and what had come of it, before a begin or an outcome. @param {State} state @returns {Kept} */
const keep = ({ task, jobs, adds, cancel, accepted, settled, dropped }) => ({
  task,
  jobs,
  adds,
  cancel,
  accepted,
  settled,
  dropped,
});

/** @param {State} state */
function freshId({ task, kept, runs }) {
  const begun = [task?.run, kept?.task?.run, ...runs.map(({ fence }) => fence.split('.')[1])];
  return Math.max(0, ...begun.map((run) => Number(run?.slice(1) || 0)), ...runs.map(({ id }) => id)) + 1;
}

// Workers -----------------------------------------------------------------------------------------------------------

/** @param {Move[]} all @param {State} state @param {Run} run @param {World} world */
function deathMoves(all, state, run, world) {
  const isZombie = !holdsLock(state, run);
  if (!isZombie && !mayFail(state, world)) return;
  const dead = { ...state, runs: state.runs.filter((other) => other !== run) };
  // A zombie may act late or never; its end costs no fault, so that nothing may depend on it.
  if (isZombie) all.push({ label: `zombie of job ${run.job} ends`, kind: 'fair', state: dead });
  else all.push({ label: `worker of job ${run.job} is killed`, kind: 'fault', state: harmless(dead) });
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
    const isBegin = step.script === 'beginTurn' && reply.verdict === 'turn' && reply.record !== state.task;
    const isOutcome = step.script === 'append' && reply.settled !== undefined;
    const mayForget = world.failsOver && (isBegin || isOutcome);
    const told = record(mayForget ? { ...state, kept: keep(state) } : state, reply);
    const moved = next({ ...run, ...step.sent, resend: '' }, call, reply, world);
    const after = withRun(told, run, moved.at === 'begin' ? { ...moved, id: freshId(told) } : moved);
    const move = { script: step.script, reply, run };
    all.push({ ...move, label, kind: isFault ? 'fault' : kind, state: isFault ? harmless(after) : after });
    // A read that is not answered is as if it never was.
    if (!mayFail(state, world) || step.script === 'steered') continue;
    const deaf = withRun(told, run, { ...run, ...step.sent, resend: call });
    all.push({ ...move, label: `${label}, reply lost`, kind: 'fault', state: fault(deaf) });
  }
}

/** What an executor may do next. @param {State} state @param {Run} run @param {World} world @returns {string[]} */
function callsOf(state, run, { whileWorking }) {
  if (run.at === 'lost') return ['gives back what was lost'];
  if (run.at !== 'turn') return [run.at];
  const calls = ['asks for input', 'completes', run.last ? 'fails for good' : 'fails, to be retried', 'hands back'];
  if (!run.turnSeq) calls.push('says working', 'asks for authorization');
  if (run.asked) calls.push('end');
  const waiting = (state.task?.inbox.length ?? 0) - 1;
  if (whileWorking === 's' && waiting > run.taken.length) calls.push('is given a message');
  if (state.task?.cancel) calls.push('carries the cancel out');
  return calls;
}

/**
 * @typedef {{ script: 'beginTurn'|'append'|'endTurn'|'releaseTurn'|'steered', args: object, sent?: Partial<Run>,
 * isFault?: boolean }} Step
 */
/** @type {Record<string, (run: Run, world: World) => Step>} */
const CALLS = {
  begin: ({ job, started, token, id }, { maxAttempts, whileWorking = '' }) => ({
    script: 'beginTurn',
    args: { job, started, token: `t${token}`, run: `r${id}`, maxAttempts, lease: LEASE, whileWorking },
  }),
  'says working': (run, world) => event(run, world, 'w', false),
  'asks for authorization': (run, world) => event(run, world, 'a', false),
  'asks for input': (run, world) => event(run, world, 'i', true),
  completes: (run, world) => event(run, world, 'C', true),
  'fails for good': (run, world) => event(run, world, 'F', true),
  'carries the cancel out': (run, world) => event(run, world, 'X', true),
  end: (run, world) => ({
    script: 'endTurn',
    args: { fence: run.fence, handsOver: isShareRun(run, world), lease: LEASE, taken: run.taken },
  }),
  'is given a message': ({ fence, taken }) => ({ script: 'steered', args: { fence, after: taken.length } }),
  'fails, to be retried': ({ fence }) => ({ script: 'releaseTurn', args: { fence, isSpent: true, lease: LEASE } }),
  'gives back what was lost': ({ fence }) => ({ script: 'releaseTurn', args: { fence, isSpent: false, lease: LEASE } }),
  'hands back': ({ fence }) => ({
    script: 'releaseTurn',
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
  const [handsOver, taken] = [isShareRun(run, world), settles ? run.taken : []];
  const args = { fence: run.fence, number, state, settles, handsOver, lease: LEASE, taken };
  return { script: 'append', args, sent: { turnSeq: number, asked: state === 'a' } };
}

/** @param {Run} run @param {World} world */
const isShareRun = (run, world) => run.turns + 1 >= world.turnsPerJob;

const IDLE = { fence: '', turnSeq: 0, asked: false, last: false, taken: [], resend: '' };
const DONE = { ...IDLE, started: 0, turns: 0 };

/**
 * What the worker does with a verdict.
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
        taken: [],
        last: reply.attempt === world.maxAttempts,
      };
    case 'appended':
      // An outcome that did not settle must still be ended. The rules leave nothing to end; a broken one may.
      return { ...run, at: call === 'asks for input' ? 'end' : 'turn' };
    case 'more':
      return { ...run, ...IDLE, at: 'begin', turns: run.turns + 1 };
    case 'successor':
      return { ...run, ...DONE, at: 'finish', add: reply.job ?? 0 };
    case 'given':
      return { ...run, taken: [...run.taken, ...(reply.given ?? []).slice(0, 1)] };
    case 'gap':
      return { ...run, at: 'lost' };
    case 'released':
      return { ...run, ...DONE, at: 'requeue' };
    default:
      return { ...run, ...DONE, at: 'finish' };
  }
}

/** @param {Run} run */
const name = (run) => `run ${run.token} (job ${run.job}, start ${run.started})`;

// Small changes -----------------------------------------------------------------------------------------------------

/** @param {State} state @param {Reply} reply @returns {State} */
const record = (state, { record: task = null, settled, dropped }) => ({
  ...state,
  task,
  settled: settled ? [...state.settled, ...settled] : state.settled,
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

/** What the queue alone repairs. @param {State} state @returns {State} */
const harmless = (state) => ({ ...state, faults: state.faults + 1 });
