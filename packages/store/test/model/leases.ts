// Leases of processes and runs of jobs, over every interleaving of a small world: two processes, two jobs, lost replies,
// leases that run out, kills, and checks that are sent before a job is given back and arrive after it.

import { type Found, type Step, visit } from './visit.ts';

/** What Redis has: see running.lua. A token is the name of its process and a number. */
export interface RedisState {
  readonly waiting: readonly string[];
  /** Field `token` of the jobs. */
  readonly tokens: Readonly<Record<string, string>>;
  /** Process → token → job. */
  readonly held: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** `over`: it has run out, and nobody has recovered the jobs. */
  readonly leases: Readonly<Record<string, 'lasts' | 'over'>>;
  readonly done: readonly string[];
}

interface Taking {
  readonly number: number;
  /** Unset: the command is on its way; else the reply is: the job, or '' if none waits. */
  readonly reply?: string;
}

interface Process {
  readonly isAlive: boolean;
  /** Tokens of the runs that it knows, with their jobs. */
  readonly runs: Readonly<Record<string, string>>;
  readonly taking?: Taking;
  readonly takes: number;
  /** Runs of a check that is on its way. */
  readonly checking?: Readonly<Record<string, string>>;
  /** Tokens of runs that were confirmed, or requested, longer ago than a lease lasts. */
  readonly uncertain: readonly string[];
  /** A comparison found these tokens in Redis, but not here. */
  readonly unknown: readonly string[];
}

export interface State {
  readonly redis: RedisState;
  readonly processes: Readonly<Record<string, Process>>;
  readonly faults: number;
  /** Tokens of runs that gave their job back. */
  readonly givenBack: readonly string[];
}

const without = <T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
const processOf = (token: string): string => token.slice(0, 1);
const heldBy = (redis: RedisState, process: string) => redis.held[process] ?? {};

function put(redis: RedisState, token: string, job: string): RedisState {
  const process = processOf(token);
  return { ...redis, held: { ...redis.held, [process]: { ...heldBy(redis, process), [token]: job } } };
}

function drop(redis: RedisState, token: string): RedisState {
  const process = processOf(token);
  const rest = without(heldBy(redis, process), token);
  const held = Object.keys(rest).length > 0 ? { ...redis.held, [process]: rest } : without(redis.held, process);
  return { ...redis, held };
}

/** The rules of the scripts, and of the process that calls them. */
export const leaseRules = {
  beginLease: (redis: RedisState, process: string): RedisState => ({
    ...redis,
    leases: { ...redis.leases, [process]: 'lasts' },
  }),

  /** A command that is sent twice finds what it took. */
  takenBefore: (redis: RedisState, token: string): string | undefined => heldBy(redis, processOf(token))[token],

  /** take-jobs.lua, of one job. */
  take(redis: RedisState, token: string): [RedisState, job: string] {
    const before = this.takenBefore(redis, token);
    if (before) return [this.beginLease(redis, processOf(token)), before];
    const [job, ...waiting] = redis.waiting;
    if (!job) return [redis, ''];
    const taken = { ...redis, waiting, tokens: { ...redis.tokens, [job]: token } };
    return [this.beginLease(put(taken, token, job), processOf(token)), job];
  },

  /** renew.lua: whether there is a lease. */
  renew(redis: RedisState, process: string): [RedisState, boolean] {
    return redis.leases[process] ? [this.beginLease(redis, process), true] : [redis, false];
  },

  mustCheck: (hasLease: boolean, isUncertain: boolean): boolean => !hasLease || isUncertain,

  mayTakeBack: (redis: RedisState, token: string, job: string): boolean =>
    redis.tokens[job] === token && redis.waiting.includes(job),

  /** check-runs.lua, of one run. */
  check(redis: RedisState, token: string, job: string): [RedisState, 'held' | 'fenced'] {
    const leased = this.beginLease(redis, processOf(token));
    if (heldBy(redis, processOf(token))[token] === job) return [leased, 'held'];
    if (!this.mayTakeBack(redis, token, job)) return [leased, 'fenced'];
    const waiting = redis.waiting.filter((one) => one !== job);
    return [put({ ...leased, waiting }, token, job), 'held'];
  },

  isHeld: (redis: RedisState, token: string, job: string): boolean => heldBy(redis, processOf(token))[token] === job,

  /** A check that was sent before must not take the job back. */
  afterLostRun: (redis: RedisState, token: string, job: string): RedisState =>
    redis.tokens[job] === token ? { ...redis, tokens: without(redis.tokens, job) } : redis,

  /** finish-jobs.lua */
  finish(redis: RedisState, token: string, job: string): RedisState {
    if (!this.isHeld(redis, token, job)) return this.afterLostRun(redis, token, job);
    return { ...drop(redis, token), tokens: without(redis.tokens, job), done: [...redis.done, job] };
  },

  tokenAfterGivingBack: (tokens: RedisState['tokens'], job: string): RedisState['tokens'] => without(tokens, job),

  /** end-run.lua with `requeue` */
  giveBack(redis: RedisState, token: string, job: string): RedisState {
    if (!this.isHeld(redis, token, job)) return this.afterLostRun(redis, token, job);
    const tokens = this.tokenAfterGivingBack(redis.tokens, job);
    return { ...drop(redis, token), tokens, waiting: [job, ...redis.waiting] };
  },

  isRecovered: (lease: 'lasts' | 'over' | undefined): boolean => lease === 'over',

  afterRecovery: (redis: RedisState, process: string): RedisState => ({
    ...redis,
    held: without(redis.held, process),
    leases: without(redis.leases, process),
  }),

  /** recover-leases.lua, of one process */
  recover(redis: RedisState, process: string): RedisState {
    if (!this.isRecovered(redis.leases[process])) return redis;
    const jobs = Object.values(heldBy(redis, process));
    return this.afterRecovery({ ...redis, waiting: [...jobs, ...redis.waiting] }, process);
  },

  /** Lease.#giveBackUnknown */
  isUnknown: (token: string, process: Process, isFoundAgain: boolean): boolean =>
    isFoundAgain && !(token in process.runs),
};

export type LeaseRules = typeof leaseRules;

export interface World {
  readonly jobs: number;
  readonly faults: number;
  /** Takes of each process. */
  readonly takes: { readonly P: number; readonly Q: number };
  /** Whether a process notices that it was suspended. */
  readonly notices: boolean;
}

const newProcess: Process = { isAlive: true, runs: {}, takes: 0, uncertain: [], unknown: [] };

function firstState({ jobs }: World): State {
  return {
    redis: { waiting: ['x', 'y'].slice(0, jobs), tokens: {}, held: {}, leases: {}, done: [] },
    processes: { P: newProcess, Q: newProcess },
    faults: 0,
    givenBack: [],
  };
}

function stepsOf(state: State, rules: LeaseRules, world: World): Step<State>[] {
  const steps: Step<State>[] = [];
  for (const [name, process] of Object.entries(state.processes)) {
    const step = (what: string, change: Partial<Process>, more: Partial<State> = {}, isFair = true): void => {
      const processes = { ...state.processes, [name]: { ...process, ...change } };
      steps.push({ name: `${name} ${what}`, isFair, state: { ...state, processes, ...more } });
    };
    ofRedis(state, { name, process, rules, world }, step);
    if (process.isAlive) ofProcess(state, { name, process, rules, world }, step);
  }
  return steps;
}

type AddStep = (what: string, change: Partial<Process>, more?: Partial<State>, isFair?: boolean) => void;
interface Actor {
  readonly name: string;
  readonly process: Process;
  readonly rules: LeaseRules;
  readonly world: World;
}

/** What happens to the lease of a process. */
function ofRedis({ redis, faults }: State, { name, process, rules, world }: Actor, step: AddStep): void {
  const isOver = (): RedisState => ({ ...redis, leases: { ...redis.leases, [name]: 'over' } });
  const { runs, taking, checking } = process;
  const tokens = [...Object.keys(runs), ...(taking ? [`${name}${taking.number}`] : [])];
  // A machine that does not notice that it was stopped finds out by the next renewal.
  const mayStop = world.notices || !(taking || checking);
  if (redis.leases[name] === 'lasts') {
    if (process.isAlive && faults < world.faults && mayStop) {
      const uncertain = world.notices ? tokens : process.uncertain;
      step('loses its lease', { uncertain }, { redis: isOver(), faults: faults + 1 }, false);
    }
    if (!process.isAlive) step('has no lease any more', {}, { redis: isOver() });
  }
  if (redis.leases[name]) {
    const recovered = rules.recover(redis, name);
    if (recovered !== redis) step('is recovered', {}, { redis: recovered });
  }
  if (process.isAlive && faults < world.faults)
    step('is killed', { ...newProcess, isAlive: false, takes: process.takes }, { faults: faults + 1 }, false);
}

/** What a process does. */
function ofProcess(state: State, actor: Actor, step: AddStep): void {
  takes(state, actor, step);
  renews(state, actor, step);
  const { redis, givenBack } = state;
  const { process, rules } = actor;
  for (const [token, job] of Object.entries(process.runs)) {
    const runs = without(process.runs, token);
    step(`ends ${token}`, { runs }, { redis: rules.finish(redis, token, job) });
    const more = { redis: rules.giveBack(redis, token, job), givenBack: [...givenBack, token] };
    step(`gives ${token} back`, { runs }, more);
  }
}

function takes({ redis, faults }: State, { name, process, rules, world }: Actor, step: AddStep): void {
  const { taking, takes: count, ...rest } = process;
  // A process that does not notice its suspensions, and takes beside its runs, finds out by comparing numbers.
  const mayTake = world.notices || Object.keys(process.runs).length === 0;
  if (!taking) {
    if (count < world.takes[name === 'P' ? 'P' : 'Q'] && mayTake)
      step('sends a take', { taking: { number: count }, takes: count + 1 });
    return;
  }
  const token = `${name}${taking.number}`;
  if (taking.reply === undefined) {
    const [after, reply] = rules.take(redis, token);
    step(`takes ${reply || 'nothing'}`, { taking: { ...taking, reply } }, { redis: after });
    return;
  }
  const runs = taking.reply ? { ...rest.runs, [token]: taking.reply } : rest.runs;
  step('gets the reply', { taking: undefined as never, runs });
  if (faults >= world.faults) return;
  const one = { faults: faults + 1 };
  step('loses the reply, and sends the take again', { taking: { number: taking.number } }, one, false);
  step('loses the reply for good', { taking: undefined as never }, one, false);
}

function renews({ redis }: State, { name, process, rules }: Actor, step: AddStep): void {
  const { runs, checking } = process;
  if (Object.keys(runs).length > 0) {
    const [after, hasLease] = rules.renew(redis, name);
    const known = Object.keys(runs);
    const uncertain = known.filter((token) => rules.mustCheck(hasLease, process.uncertain.includes(token)));
    step(
      'renews',
      { uncertain: [...uncertain, ...process.uncertain.filter((one) => !known.includes(one))] },
      { redis: after },
    );
  }
  if (checking) checks(redis, { process, rules, checking }, step);
  else if (Object.keys(runs).length > 0) step('sends a check', { checking: runs });
  const found = Object.keys(heldBy(redis, name)).filter((token) => !(token in runs) && !process.taking);
  if (found.join() !== process.unknown.join()) step('compares', { unknown: found });
  for (const token of found)
    if (rules.isUnknown(token, process, process.unknown.includes(token))) {
      const job = heldBy(redis, name)[token] ?? '';
      step(`gives unknown ${token} back`, { unknown: [] }, { redis: rules.giveBack(redis, token, job) });
    }
}

type Check = Pick<Actor, 'process' | 'rules'> & { readonly checking: Readonly<Record<string, string>> };

function checks(redis: RedisState, { process, rules, checking }: Check, step: AddStep): void {
  let [after, runs] = [redis, process.runs];
  const uncertain = process.uncertain.filter((token) => !(token in checking));
  for (const [token, job] of Object.entries(checking)) {
    const [next, verdict] = rules.check(after, token, job);
    after = next;
    if (verdict === 'fenced') runs = without(runs, token);
  }
  step('is checked', { checking: undefined as never, runs, uncertain }, { redis: after });
}

/** What is wrong with a state; undefined: nothing. */
function problemOf({ redis, processes, givenBack }: State, before?: State): string | undefined {
  const holds = Object.entries(redis.held).flatMap(([process, runs]) =>
    Object.entries(runs).map(([token, job]) => ({ process, token, job })),
  );
  for (const job of ['x', 'y']) {
    const places = [...redis.waiting, ...redis.done, ...holds.map((hold) => hold.job)].filter((one) => one === job);
    if (places.length > 1) return `${job} is in two places`;
    if (places.length === 0 && before && placesOf(before, job) > 0) return `${job} is lost`;
  }
  for (const { process, token } of holds) {
    if (!redis.leases[process]) return `${token} has no lease: nobody recovers it`;
    if (givenBack.includes(token)) return `${token} was given back, and runs again`;
  }
  for (const [name, { isAlive, uncertain, runs }] of Object.entries(processes))
    if (isAlive && redis.leases[name] === 'lasts')
      for (const [token, job] of Object.entries(runs))
        if (!uncertain.includes(token) && redis.held[name]?.[token] !== job)
          return `${name} relies on ${token}, which has lost ${job}`;
  return before && problemOfStep(redis, before.redis);
}

function placesOf({ redis }: State, job: string): number {
  const held = Object.values(redis.held).flatMap((runs) => Object.values(runs));
  return [...redis.waiting, ...redis.done, ...held].filter((one) => one === job).length;
}

/** A run whose lease lasts is not put back: only its own process ends or gives back its job. */
function problemOfStep(after: RedisState, before: RedisState): string | undefined {
  for (const process of Object.keys(before.held))
    if (before.leases[process] === 'lasts' && !after.leases[process]) return `${process} was recovered under its lease`;
  return undefined;
}

/** Visits every state; then checks that from each of them every job can come to rest by fair steps alone. */
export function searchLeases(world: World, rules: LeaseRules = leaseRules): Found {
  return visit<State>({
    first: firstState(world),
    stepsOf: (state) => stepsOf(state, rules, world),
    problemOf,
    // Nobody has a job.
    isAtRest: ({ redis }) => Object.keys(redis.held).length === 0,
    stuck: 'a job never waits again',
  });
}

/** One rule broken at a time. */
export const LEASE_MUTANTS: readonly { readonly name: string; readonly rules: Partial<LeaseRules> }[] = [
  { name: 'a take begins no lease', rules: { beginLease: (redis) => redis } },
  { name: 'a take that is sent twice takes twice', rules: { takenBefore: () => undefined } },
  {
    name: 'a renewal brings back a lease that is gone',
    rules: { renew: (redis, process) => [leaseRules.beginLease(redis, process), true] },
  },
  { name: 'a process that was stopped does not check its runs', rules: { mustCheck: (hasLease) => !hasLease } },
  {
    name: 'a check takes back any job that waits',
    rules: { mayTakeBack: (redis, _, job) => redis.waiting.includes(job) },
  },
  { name: 'who ends a run that has lost its job leaves the token', rules: { afterLostRun: (redis) => redis } },
  { name: 'who gives a job back leaves its token', rules: { tokenAfterGivingBack: (tokens) => tokens } },
  { name: 'a run that had a job may end it', rules: { isHeld: () => true } },
  { name: 'a lease that lasts is recovered', rules: { isRecovered: (lease) => lease !== undefined } },
  {
    name: 'a recovered process keeps its runs',
    rules: { afterRecovery: (redis, process) => ({ ...redis, leases: without(redis.leases, process) }) },
  },
  { name: 'nobody is recovered', rules: { isRecovered: () => false } },
  { name: 'a job that its process does not know stays with it', rules: { isUnknown: () => false } },
];

const [once, twice] = [
  { P: 1, Q: 1 },
  { P: 2, Q: 0 },
];
/** Small ones, in which every mutant is caught. With two takes of each process: 51 thousand states, which hold, too. */
export const LEASE_WORLDS: readonly World[] = [
  { jobs: 1, faults: 2, takes: once, notices: true },
  { jobs: 2, faults: 1, takes: once, notices: true },
  { jobs: 1, faults: 1, takes: twice, notices: true },
  { jobs: 1, faults: 1, takes: once, notices: false },
];
