// Places of an agent with limits (docs/adr/0152), over every interleaving of a small world: two processes take turns of
// two jobs. Places are held on one shard, jobs on another one, each under a lease of its own: both may end at any time.
import { type Found, type Step, visit } from './visit.ts';

type Shard = 'places' | 'jobs';
/** Token → job. A token is the name of its process and a number; the place has the token of the job's run. */
type Held = Readonly<Record<string, string>>;
type Leases = Readonly<Record<string, 'lasts' | 'over'>>;

/** A turn that a process wants to run, or runs. */
interface Turn {
  readonly token: string;
  readonly job: string;
  /** What it does next: it takes a place, takes the job, runs and ends the job, or frees the place. */
  readonly at: 'place' | 'job' | 'run' | 'free';
  /** Its place is lost: it stops. */
  readonly stops: boolean;
  /** Shards where its lease may have ended since it was last known to last. */
  readonly uncertain: readonly Shard[];
}

interface Process {
  readonly isAlive: boolean;
  /** It looks for a job. */
  readonly isAwake: boolean;
  /** It remembers that there was no place. */
  readonly isFull: boolean;
  readonly turns: readonly Turn[];
}

interface State {
  readonly held: Readonly<Record<Shard, Held>>;
  readonly leases: Readonly<Record<Shard, Leases>>;
  /** Of places that are taken, as Redis counts them. */
  readonly count: number;
  /** Somebody was refused, or has taken the last place. */
  readonly waited: boolean;
  readonly waiting: readonly string[];
  /** Wakes one of the processes that wait for a job. */
  readonly marker: boolean;
  /** Jobs that have left the queue, and those that a run has ended. */
  readonly done: readonly string[];
  readonly ended: readonly string[];
  readonly processes: Readonly<Record<string, Process>>;
  readonly faults: number;
}

export const placeRules = {
  /** take-places.lua */
  hasPlace: (count: number, most: number): boolean => count < most,
  takenBefore: (held: Held, token: string): boolean => token in held,
  notesThatSomebodyWaits: (isRefused: boolean, left: number): boolean => isRefused || left === 0,
  /** free-place.lua: how many places it gives back. */
  freed: (isHeld: boolean): number => (isHeld ? 1 : 0),
  wakes: (waited: boolean): boolean => waited,
  /** take-jobs.lua with `wanted` */
  mayTake: (waiting: readonly string[], job: string): boolean => waiting.includes(job),
  /** What follows when the job is gone. */
  afterNoJob: 'free' as Turn['at'] | 'nothing',
  /** What a run does after its job has ended. */
  afterRun: 'free' as Turn['at'] | 'nothing',
  /** recover-leases.lua */
  isRecovered: (lease: 'lasts' | 'over' | undefined): boolean => lease === 'over',
  countAfterRecovery: (count: number, recovered: number): number => count - recovered,
  /** A check of a run whose place is lost stops its turn, which gives its job back. */
  stopsWithoutPlace: true,
  afterPlaceLost: 'waits' as 'waits' | 'done',
  /** Lease.#giveBackUnknown */
  isUnknown: (token: string, turns: readonly Turn[]): boolean => !turns.some((turn) => turn.token === token),
};
export type PlaceRules = typeof placeRules;

export interface PlaceWorld {
  readonly places: number;
  readonly jobs: number;
  /** Turns of a process at a time. */
  readonly slots: number;
  readonly faults: number;
}

const NEW: Process = { isAlive: true, isAwake: true, isFull: false, turns: [] };
const processOf = (token: string): string => token.slice(0, 1);
const without = <T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));

export function searchPlaces(world: PlaceWorld, rules: PlaceRules = placeRules): Found {
  return visit<State>({
    first: {
      held: { places: {}, jobs: {} },
      leases: { places: {}, jobs: {} },
      count: 0,
      waited: false,
      waiting: ['x', 'y', 'z'].slice(0, world.jobs),
      marker: true,
      done: [],
      ended: [],
      processes: { P: NEW, Q: NEW },
      faults: 0,
    },
    keyOf,
    stepsOf: (state) =>
      Object.keys(state.processes).flatMap((name) => new Actor(state, { name, rules, world }).steps()),
    problemOf: (state) => problemOf(state, world),
    isAtRest: ({ held, count, waiting, processes }) =>
      Object.keys({ ...held.places, ...held.jobs }).length + count + waiting.length === 0 &&
      Object.values(processes).every(({ turns }) => turns.length === 0),
    stuck: 'each place comes back, and each job that waits gets one',
    isUnharmed: ({ faults }) => faults === 0,
  });
}

const inOrder = (record: Readonly<Record<string, string>>): string => Object.entries(record).sort().join();

function keyOf({ held, leases, count, waited, waiting, marker, done, ended, processes, faults }: State): string {
  const redis = [held.places, held.jobs, leases.places, leases.jobs].map(inOrder).join('|');
  const rest = JSON.stringify([count, waited, marker, faults, processes]);
  return `${redis}|${waiting}|${done.toSorted()}|${ended.toSorted()}|${rest}`;
}

/** The next steps of one process, and what happens to it. */
class Actor {
  readonly #state: State;
  readonly #name: string;
  readonly #process: Process;
  readonly #rules: PlaceRules;
  readonly #world: PlaceWorld;
  readonly #steps: Step<State>[] = [];

  constructor(state: State, { name, rules, world }: { name: string; rules: PlaceRules; world: PlaceWorld }) {
    this.#state = state;
    this.#name = name;
    this.#process = state.processes[name] ?? NEW;
    this.#rules = rules;
    this.#world = world;
  }

  steps(): readonly Step<State>[] {
    for (const shard of ['places', 'jobs'] as const) this.#leaseSteps(shard);
    if (!this.#process.isAlive) {
      const isGone = !Object.keys({ ...this.#state.held.places, ...this.#state.held.jobs }).some(
        (token) => processOf(token) === this.#name,
      );
      if (isGone) this.#step('is started again', NEW, {}, 'repair');
      return this.#steps;
    }
    this.#fault('is killed', { ...NEW, isAlive: false, isAwake: false });
    this.#lookSteps();
    for (const turn of this.#process.turns) this.#turnSteps(turn);
    return this.#steps;
  }

  #step(what: string, change: Partial<Process>, more: Partial<State>, kind: 'fair' | 'repair' | 'unfair' = 'fair') {
    const processes = { ...this.#state.processes, [this.#name]: { ...this.#process, ...change } };
    const state = { ...this.#state, processes, ...more };
    this.#steps.push({ name: `${this.#name} ${what}`, state, isFair: kind !== 'unfair', isRepair: kind === 'repair' });
  }

  #fault(what: string, change: Partial<Process>, more: Partial<State> = {}): void {
    const { faults } = this.#state;
    if (faults < this.#world.faults) this.#step(what, change, { ...more, faults: faults + 1 }, 'unfair');
  }

  #lookSteps(): void {
    const { waiting, marker, held } = this.#state;
    const { isAwake, isFull, turns } = this.#process;
    if (isFull) this.#step('forgets that there was no place', { isFull: false }, {});
    if (marker && !isAwake) this.#step('is woken', { isAwake: true }, { marker: false });
    if (waiting.length > 0 && !marker) this.#step('checks the shard', {}, { marker: true }, 'repair');
    const [job] = waiting;
    if (!isAwake || turns.length >= this.#world.slots || turns.some(({ at }) => at === 'place' || at === 'job')) return;
    if (!job || isFull) {
      this.#step('finds nothing to do', { isAwake: false }, {});
      return;
    }
    const used = new Set([...turns.map(({ token }) => token), ...Object.keys({ ...held.places, ...held.jobs })]);
    const token = [1, 2, 3, 4, 5, 6].map((number) => `${this.#name}${number}`).find((one) => !used.has(one)) ?? '';
    this.#step(`finds ${job}`, { turns: [...turns, { token, job, at: 'place', stops: false, uncertain: [] }] }, {});
  }

  #turnSteps(turn: Turn): void {
    if (turn.at === 'place') this.#takesPlace(turn);
    if (turn.at === 'job') this.#takesJob(turn);
    if (turn.at === 'run') this.#runs(turn);
    if (turn.at === 'free') this.#frees(turn);
  }

  #with(turn: Turn, at: Turn['at'] | 'nothing'): { turns: readonly Turn[] } {
    const { turns } = this.#process;
    if (at === 'nothing') return { turns: turns.filter((other) => other !== turn) };
    return { turns: turns.map((other) => (other === turn ? { ...turn, at } : other)) };
  }

  #hold(shard: Shard, { token, job }: Turn): Pick<State, 'held' | 'leases'> {
    const { held, leases } = this.#state;
    return {
      held: { ...held, [shard]: { ...held[shard], [token]: job } },
      leases: { ...leases, [shard]: { ...leases[shard], [this.#name]: 'lasts' } },
    };
  }

  #drop(shard: Shard, token: string): Pick<State, 'held'> {
    const { held } = this.#state;
    return { held: { ...held, [shard]: without(held[shard], token) } };
  }

  #takesPlace(turn: Turn): void {
    const { held, count, waited } = this.#state;
    const { places } = this.#world;
    const isKnown = this.#rules.takenBefore(held.places, turn.token);
    const isRefused = !isKnown && !this.#rules.hasPlace(count, places);
    const now = isRefused || isKnown ? count : count + 1;
    const redis = {
      ...(!isRefused && this.#hold('places', turn)),
      count: now,
      waited: waited || this.#rules.notesThatSomebodyWaits(isRefused, places - now),
    };
    const isFull = now >= places;
    if (isRefused) this.#step('gets no place', { ...this.#with(turn, 'nothing'), isAwake: false, isFull }, redis);
    else this.#step(`takes a place for ${turn.job}`, { ...this.#with(turn, 'job'), isFull }, redis);
    this.#fault('loses the reply with a place, and asks again', {}, redis);
    this.#fault('loses the reply with a place', this.#with(turn, 'nothing'), redis);
  }

  #takesJob(turn: Turn): void {
    const { held, waiting } = this.#state;
    const isKnown = turn.token in held.jobs;
    if (!isKnown && !this.#rules.mayTake(waiting, turn.job)) {
      this.#step(`finds that ${turn.job} is gone`, this.#with(turn, this.#rules.afterNoJob), {});
      return;
    }
    const left = waiting.filter((job) => job !== turn.job);
    const redis = { ...this.#hold('jobs', turn), waiting: left, marker: left.length > 0 };
    this.#step(`takes ${turn.job}`, this.#with(turn, 'run'), redis);
    this.#fault('loses the reply with a job, and asks again', {}, redis);
    this.#fault('loses the reply with a job', this.#with(turn, 'free'), redis);
  }

  #runs(turn: Turn): void {
    const { token, job, stops, uncertain } = turn;
    const { held, waiting, done, ended, leases } = this.#state;
    const isHeld = token in held.jobs;
    const finished = isHeld ? { ...this.#drop('jobs', token), done: [...done, job] } : {};
    const givenBack = isHeld ? { ...this.#drop('jobs', token), waiting: [job, ...waiting], marker: true } : {};
    const next = this.#with(turn, this.#rules.afterRun);
    if (stops) this.#step(`stops ${job}`, next, this.#rules.afterPlaceLost === 'waits' ? givenBack : finished);
    else {
      this.#step(`ends ${job}`, next, isHeld ? { ...finished, ended: [...ended, job] } : {});
      this.#step(`gives ${job} back`, next, givenBack, 'unfair');
    }
    for (const shard of uncertain) {
      const isKept = token in held[shard];
      const checked = { ...turn, uncertain: uncertain.filter((other) => other !== shard) };
      const lost = shard === 'jobs' ? { at: 'free' as const } : { stops: this.#rules.stopsWithoutPlace };
      const turns = this.#process.turns.map((other) =>
        other === turn ? { ...checked, ...(isKept ? {} : lost) } : other,
      );
      const leased = { ...leases, [shard]: { ...leases[shard], [this.#name]: 'lasts' as const } };
      this.#step(`checks ${token} among the ${shard}`, { turns }, isKept ? { leases: leased } : {});
    }
  }

  #frees(turn: Turn): void {
    const { held, count, waited } = this.#state;
    const isHeld = turn.token in held.places;
    const isAwake = this.#process.isAwake || (isHeld && this.#rules.wakes(waited));
    const redis = { ...this.#drop('places', turn.token), count: count - this.#rules.freed(isHeld) };
    this.#step('frees its place', { ...this.#with(turn, 'nothing'), isFull: false, isAwake }, redis);
    this.#fault('fails to free its place', this.#with(turn, 'nothing'));
    this.#fault('loses the reply about its free place, and asks again', {}, redis);
  }

  #leaseSteps(shard: Shard): void {
    const { leases, held, count, waiting } = this.#state;
    const { isAlive, turns } = this.#process;
    const lease = leases[shard][this.#name];
    const tokens = Object.keys(held[shard]).filter((token) => processOf(token) === this.#name);
    const isOver = { leases: { ...leases, [shard]: { ...leases[shard], [this.#name]: 'over' as const } } };
    if (lease === 'lasts' && !isAlive) this.#step(`has no lease of ${shard} any more`, {}, isOver, 'repair');
    if (lease === 'lasts' && isAlive) {
      const uncertain = turns.map((turn) => ({ ...turn, uncertain: [...new Set([...turn.uncertain, shard])].sort() }));
      this.#fault(`loses its lease of ${shard}`, { turns: uncertain }, isOver);
    }
    if (lease && this.#rules.isRecovered(lease)) {
      const left = Object.fromEntries(Object.entries(held[shard]).filter(([token]) => !tokens.includes(token)));
      const jobs = tokens.map((token) => held[shard][token] ?? '');
      const redis = {
        held: { ...held, [shard]: left },
        leases: { ...leases, [shard]: without(leases[shard], this.#name) },
      };
      const ofShard =
        shard === 'places'
          ? { count: this.#rules.countAfterRecovery(count, tokens.length) }
          : { waiting: [...jobs, ...waiting], marker: this.#state.marker || jobs.length > 0 };
      this.#step(`is recovered among the ${shard}`, {}, { ...redis, ...ofShard }, 'repair');
    }
    if (!isAlive) return;
    for (const token of tokens.filter((one) => this.#rules.isUnknown(one, turns))) {
      const job = held[shard][token] ?? '';
      const ofShard = shard === 'places' ? { count: count - 1 } : { waiting: [job, ...waiting], marker: true };
      this.#step(
        `gives unknown ${token} of the ${shard} back`,
        {},
        { ...this.#drop(shard, token), ...ofShard },
        'repair',
      );
    }
  }
}

function problemOf({ held, leases, count, waiting, done, ended, processes }: State, world: PlaceWorld) {
  const places = Object.keys(held.places);
  if (places.length > world.places) return 'there are never more places than the limit';
  if (count !== places.length) return 'Redis counts the places that are held';
  for (const job of ['x', 'y', 'z'].slice(0, world.jobs))
    if ([...waiting, ...done, ...Object.values(held.jobs)].filter((one) => one === job).length !== 1)
      return 'a job waits, runs or is done';
  if (done.some((job) => !ended.includes(job))) return 'a job leaves the queue only when a run has ended it';
  for (const shard of ['places', 'jobs'] as const)
    for (const token of Object.keys(held[shard]))
      if (!leases[shard][processOf(token)]) return 'whatever is held is held under a lease';
  for (const { turns } of Object.values(processes))
    for (const { token, job, at, stops, uncertain } of turns)
      if (at === 'run' && !stops && uncertain.length === 0)
        if (held.places[token] !== job || held.jobs[token] !== job)
          return 'a run that its process relies on has its place and its job';
  return undefined;
}

/** One rule broken at a time. */
export const PLACE_MUTANTS: readonly { readonly name: string; readonly rules: Partial<PlaceRules> }[] = [
  { name: 'there is one place more', rules: { hasPlace: (count, most) => count <= most } },
  { name: 'a take that is sent twice counts twice', rules: { takenBefore: () => false } },
  { name: 'nobody notes that a process was refused', rules: { notesThatSomebodyWaits: () => false } },
  { name: 'a place is given back also if it was lost', rules: { freed: () => 1 } },
  { name: 'a place that is free wakes nobody', rules: { wakes: () => false } },
  { name: 'a job is taken although it is gone', rules: { mayTake: () => true } },
  { name: 'the place of a job that is gone is kept', rules: { afterNoJob: 'nothing' } },
  { name: 'a run keeps its place after its end', rules: { afterRun: 'nothing' } },
  { name: 'a lease that lasts is recovered', rules: { isRecovered: (lease) => lease !== undefined } },
  { name: 'nobody is recovered', rules: { isRecovered: () => false } },
  { name: 'places of dead processes still count', rules: { countAfterRecovery: (count) => count } },
  { name: 'a turn goes on without its place', rules: { stopsWithoutPlace: false } },
  { name: 'the job of a turn that has lost its place is done', rules: { afterPlaceLost: 'done' } },
  { name: 'a place that its process does not know stays with it', rules: { isUnknown: () => false } },
];

export const PLACE_WORLDS: readonly PlaceWorld[] = [
  { places: 1, jobs: 2, slots: 1, faults: 0 },
  { places: 1, jobs: 2, slots: 2, faults: 0 },
  { places: 2, jobs: 1, slots: 1, faults: 1 },
  { places: 1, jobs: 2, slots: 1, faults: 1 },
];
