// @ts-check
/**
 * States that differ in names only are one state: the names of workers, and the absolute epochs and job numbers. The
 * rules only compare these for equality and create new ones, so that renaming them changes no behaviour.
 */
import { DEAD } from './world.mjs';

/** @typedef {import('./world.mjs').State} State */
/** @typedef {import('./world.mjs').Run} Run */
/** @typedef {import('../reference/turn-rules.ts').TaskRecord} Task */

/** @param {State} state @returns {{ state: State, key: string }} */
export function canonical(state) {
  const named = renameFences(renameRuns(renumberJobs(state)));
  return { state: named, key: keyOf(named) };
}

/** Replaces ids of begins and epochs by their ranks, also in fences. @param {State} state @returns {State} */
function renameFences(state) {
  const { task, kept } = state;
  const runs = state.runs.map((run) => withoutOldNames(run, task, kept));
  /** @type {number[]} */
  const [ids, epochs] = [[0], [0]];
  /** @param {string} fence */
  const use = (fence) => {
    epochs[epochOf(fence)] = 1;
    ids[idOf(fence)] = 1;
  };
  for (const one of [task, kept?.task]) if (one?.epoch) use(`${one.epoch}.${one.run}`);
  for (const run of runs) {
    if (run.fence) use(run.fence);
    ids[run.id] = 1;
  }
  const areRenamed = [rank(ids), rank(epochs)];
  // Most states have no unused number.
  if (!areRenamed.includes(true)) return { ...state, runs };
  /** @param {string} fence */
  const renamed = (fence) => fence && `${epochs[epochOf(fence)]}.r${ids[idOf(fence)]}`;
  /** @param {Task|null|undefined} one */
  const fenced = (one) =>
    one?.epoch
      ? { ...one, epoch: epochs[one.epoch] ?? 0, run: `r${ids[Number(one.run.slice(1))]}`, turn: renamed(one.turn) }
      : (one ?? null);
  return {
    ...state,
    task: fenced(task),
    kept: kept && { ...kept, task: fenced(kept.task) },
    runs: runs.map((run) => ({ ...run, id: ids[run.id] ?? 0, fence: renamed(run.fence) })),
  };
}

/** Of a fence such as `3.r2`: the epoch. @param {string} fence */
const epochOf = (fence) => Number.parseInt(fence, 10);
/** And the id of its begin. @param {string} fence */
const idOf = (fence) => Number(fence.slice(fence.indexOf('r') + 1));

/**
 * Puts its rank in the place of each number that is used.
 * @param {number[]} used by number, 1 if it is; 0 is not ranked @returns {boolean} whether a number is not its own rank
 */
function rank(used) {
  let count = 0;
  used[0] = 0;
  for (let number = 1; number < used.length; number++) if (used[number]) used[number] = ++count;
  return count < used.length - 1;
}

/**
 * Makes all old epochs equal, because only a fail-over can give one out again. The id of a begin is needed until its
 * reply.
 * @param {Run} run @param {Task|null} task @param {import('./world.mjs').Kept|null} kept @returns {Run}
 */
function withoutOldNames(run, task, kept) {
  const isOld = !kept && task && Number.parseInt(run.fence, 10) < task.epoch;
  return { ...run, id: run.at === 'begin' ? run.id : 0, fence: isOld ? '0.r0' : run.fence };
}

/** Renumbers the jobs without the numbers that are no longer used. @param {State} state @returns {State} */
function renumberJobs(state) {
  const { task, kept, jobs, adds, runs } = state;
  // The state of the replica uses job numbers, too: do not change them.
  if (!task || kept) return state;
  /** @type {boolean[]} */
  const isUsed = [];
  isUsed[task.job] = true;
  for (const job of jobs) isUsed[job.id] = true;
  for (const id of adds) isUsed[id] = true;
  for (const run of runs) isUsed[run.job] = true;
  const rank = [0];
  let count = 0;
  for (let id = 1; id < isUsed.length; id++) rank[id] = isUsed[id] ? ++count : 0;
  if (count === task.jobs) return state;
  /** @param {number} id */
  const ranked = (id) => rank[id] ?? 0;
  return {
    ...state,
    task: { ...task, job: ranked(task.job), jobs: count },
    jobs: jobs.map((job) => ({ ...job, id: ranked(job.id) })),
    adds: adds.map(ranked),
    runs: runs.map((run) => ({ ...run, job: ranked(run.job) })),
  };
}

/** Sorts the runs by their contents, and makes their positions their tokens. @param {State} state @returns {State} */
function renameRuns(state) {
  const { task, kept, jobs, runs } = state;
  const sorted = runs.length > 1 ? sortRuns(state) : runs;
  /** @type {number[]} */
  const position = [];
  sorted.forEach((run, i) => {
    position[run.token] = i + 1;
  });
  /** @template {Task|null} T @param {T} one @returns {T} */
  const owned = (one) => (one?.token ? { ...one, token: `t${position[Number(one.token.slice(1))] ?? ''}` } : one);
  /** @param {import('./world.mjs').Job[]} some */
  const locked = (some) => some.map((job) => (job.lock > 0 ? { ...job, lock: position[job.lock] ?? DEAD } : job));
  return {
    ...state,
    task: owned(task),
    kept: kept && { ...kept, task: owned(kept.task), jobs: locked(kept.jobs) },
    jobs: locked(jobs),
    runs: sorted.map((run, i) => (run.token === i + 1 ? run : { ...run, token: i + 1 })),
  };
}

/** @param {State} state */
function sortRuns({ task, jobs, runs }) {
  /** @param {Run} run */
  const text = (run) => {
    const isHolder = jobs.some((job) => job.lock === run.token);
    return `${runText(run)}${isHolder ? 'L' : ''}${task?.token === `t${run.token}` ? 'T' : ''}`;
  };
  const texts = new Map(runs.map((run) => [run, text(run)]));
  return [...runs].sort((a, b) => ((texts.get(a) ?? '') < (texts.get(b) ?? '') ? -1 : 1));
}

/** @param {State} state */
function keyOf(state) {
  const { task, kept, jobs, adds, runs, sent, asked, cancel, accepted, settled, dropped, faults, isHarmed } = state;
  let key = task ? taskKey(task) : '';
  for (const job of jobs) key += `;${job.id},${job.started},${job.lock}`;
  key += `|${adds.join()}`;
  for (const run of runs) key += runText(run);
  const past = `${sent}${asked ? 'a' : ''}${cancel ? 'c' : ''}${faults}${isHarmed ? 'h' : ''}`;
  if (kept) key += keptKey(kept);
  return `${key}|${past}${accepted.join('')},${settled.join('')},${dropped.join('')}${timesOf(state)}`;
}

/** @param {import('./world.mjs').Kept} kept */
const keptKey = ({ task, jobs, adds, cancel, accepted, settled, dropped, ...times }) =>
  `|${task ? taskKey(task) : ''};${jobs.map((job) => Object.values(job))};${adds};${cancel},` +
  `${accepted.join('')},${settled.join('')},${dropped.join('')}${timesOf(times)}`;

/** @param {Pick<State, 'begun'|'rejected'>} state */
const timesOf = ({ begun, rejected }) =>
  begun.length || rejected.length ? `b${begun.join('')}r${rejected.join('')}` : '';

/** @param {Task} task */
export const taskKey = (task) =>
  `${task.state}${task.inbox.join('')},${task.job},${task.jobs},${task.outbox},` +
  `${task.epoch},${task.run},${task.turn},${task.token},${task.started},${task.turnSeq},${task.attempts}` +
  `${task.cancel ? 'c' : ''}${task.whileWorking}${task.waits ?? ''}${task.suspended ? 'z' : ''}${task.event ? 'e' : ''}${task.beginBy ?? ''}${task.answers}${Object.keys(task.accepted).join('')}`;

/** @param {Run} run */
const runText = (run) =>
  `;${run.job},${run.started},${run.at}${run.fence},${run.id},${run.turnSeq}` +
  `${run.asked ? 'a' : ''}${run.last ? 'l' : ''}${run.turns},${run.delivered.join('')},${run.resend}`;
