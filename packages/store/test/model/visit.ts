/** A step of a small model. */
export interface Step<State> {
  readonly name: string;
  readonly state: State;
  /** A fault, or a step that need not happen, is not; a repair is a fair step that waits for a lease or a check. */
  readonly isFair: boolean;
  readonly isRepair?: boolean;
}

export interface Model<State> {
  readonly first: State;
  /** The same text for the same states. Default: JSON with sorted names, which is slower. */
  readonly keyOf?: (state: State) => string;
  readonly stepsOf: (state: State) => readonly Step<State>[];
  /** What is wrong with a state, or with the step to it; undefined: nothing. */
  readonly problemOf: (state: State, before: State) => string | undefined;
  readonly isAtRest: (state: State) => boolean;
  /** What is wrong if no fair steps lead from a state to one at rest. */
  readonly stuck: string;
  /** States from which fair steps that are no repairs must lead there. Default: none. */
  readonly isUnharmed?: (state: State) => boolean;
}

export interface Found {
  readonly states: number;
  readonly problem?: string;
  readonly trace?: readonly string[];
}

/** Visits every state, breadth first; then checks that each of them can come to rest. */
export function visit<State>(model: Model<State>): Found {
  const { first, stepsOf, problemOf, isAtRest, isUnharmed, keyOf = sortedJson } = model;
  const seen = new Map<string, Origin>([[keyOf(first), { by: 'begin' }]]);
  const back: Edges = new Map();
  const quickly: Edges = new Map();
  const atRest: string[] = [];
  const unharmed: string[] = [];
  const queue = [first];
  for (const state of queue) {
    const key = keyOf(state);
    if (isAtRest(state)) atRest.push(key);
    if (isUnharmed?.(state)) unharmed.push(key);
    for (const { name, state: next, isFair, isRepair } of stepsOf(state)) {
      const nextKey = keyOf(next);
      if (isFair) add(back, nextKey, key);
      if (isFair && !isRepair) add(quickly, nextKey, key);
      const isNew = !seen.has(nextKey);
      if (isNew) seen.set(nextKey, { from: key, by: name });
      const problem = problemOf(next, state);
      if (problem) return { states: seen.size, problem, trace: [...traceTo(seen, key), name] };
      if (isNew) queue.push(next);
    }
  }
  const stuck = firstWithout(reaching(back, atRest), seen.keys());
  if (stuck !== undefined) return { states: seen.size, problem: model.stuck, trace: traceTo(seen, stuck) };
  const late = firstWithout(reaching(quickly, atRest), unharmed);
  if (late === undefined) return { states: seen.size };
  return { states: seen.size, problem: 'without a fault, nothing waits for a repair', trace: traceTo(seen, late) };
}

interface Origin {
  readonly from?: string;
  readonly by: string;
}
/** State → those before it. */
type Edges = Map<string, string[]>;

function add(edges: Edges, to: string, from: string): void {
  const others = edges.get(to);
  if (others) others.push(from);
  else edges.set(to, [from]);
}

const sortedJson = (state: unknown): string => JSON.stringify(state, sorted);
const sorted = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

function traceTo(seen: ReadonlyMap<string, Origin>, key: string): string[] {
  const steps: string[] = [];
  for (let at: string | undefined = key; at; at = seen.get(at)?.from) steps.unshift(seen.get(at)?.by ?? '');
  return steps;
}

function reaching(back: Edges, goals: readonly string[]): ReadonlySet<string> {
  const reached = new Set(goals);
  const next = [...goals];
  for (let key = next.pop(); key !== undefined; key = next.pop())
    for (const from of back.get(key) ?? [])
      if (!reached.has(from)) {
        reached.add(from);
        next.push(from);
      }
  return reached;
}

function firstWithout(reached: ReadonlySet<string>, keys: Iterable<string>): string | undefined {
  for (const key of keys) if (!reached.has(key)) return key;
  return undefined;
}
