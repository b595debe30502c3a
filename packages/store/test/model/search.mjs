// @ts-check
/** Visits every state of a world breadth first, and checks every property: a trace to a problem is a shortest one. */
import { canonical, taskKey } from './canonical.mjs';
import { components, reaching } from './liveness.mjs';
import { isAtRest, recordProblem, stateProblem, stepProblem } from './properties.mjs';
import { moves, START } from './world.mjs';

/** @typedef {import('./world.mjs').World} World */
/** @typedef {import('./world.mjs').Rules} Rules */
/** @typedef {import('./world.mjs').State} State */
/** @typedef {import('./world.mjs').Move} Move */
/**
 * @typedef {{ states: number, steps: number, records: number, rests: number, problem?: string, trace?: string[] }}
 * Result
 */

/**
 * @param {World} world @param {Rules} rules
 * @param {boolean} [checksRecords] whether to check the replies of every script to each record, not only the steps
 * @returns {Result}
 */
export function search(world, rules, checksRecords = true) {
  const first = canonical(START);
  const numbers = new Map([[first.key, 0]]);
  const cameFrom = [-1];
  const cameBy = [''];
  const checked = new Set();
  const graph = newGraph();
  let steps = 0;

  /** @param {string} problem @param {number} at @param {string} [last] @returns {Result} */
  const answer = (problem, at, last) => ({ ...figures(), problem, trace: trace(cameFrom, cameBy, at, last) });
  const figures = () => ({ states: numbers.size, steps, records: checked.size, rests: graph.rests.length });

  let frontier = [first.state];
  for (let at = 0; frontier.length; ) {
    /** @type {State[]} */
    const found = [];
    for (const state of frontier) {
      const problem =
        stateProblem(state, rules, world) ??
        (checksRecords ? recordProblemOnce(checked, state, rules, world) : undefined);
      if (problem) return answer(problem, at);
      if (isAtRest(state)) graph.rests.push(at);
      if (!state.isHarmed) graph.unharmed.push(at);
      for (const move of moves(state, rules, world)) {
        steps++;
        const broken = stepProblem(state, move);
        if (broken) return answer(broken, at, move.label);
        const next = canonical(move.state);
        let to = numbers.get(next.key);
        if (to === undefined) {
          to = numbers.size;
          numbers.set(next.key, to);
          cameFrom.push(at);
          cameBy.push(move.label);
          found.push(next.state);
        }
        if (to !== at) addEdge(graph, at, to, move);
      }
      at++;
    }
    frontier = found;
  }
  const stuck = livenessProblem(numbers.size, graph);
  return stuck ? answer(stuck.problem, stuck.at) : figures();
}

/**
 * Checks each record once, also if several states share it.
 * @param {Set<string>} checked @param {State} state @param {Rules} rules @param {World} world
 */
function recordProblemOnce(checked, { task }, rules, { maxAttempts }) {
  if (!task) return undefined;
  const key = taskKey(task);
  if (checked.has(key)) return undefined;
  checked.add(key);
  return recordProblem(task, rules, maxAttempts);
}

// Liveness ----------------------------------------------------------------------------------------------------------

/**
 * Edges of fair steps: `all`; `unswept`: without those of the sweeper; `turns`: those that run a script of a turn.
 * @typedef {ReturnType<typeof newGraph>} Graph
 */
const newGraph = () => ({
  all: newEdges(),
  unswept: newEdges(),
  turns: newEdges(),
  rests: newStates(),
  unharmed: newStates(),
});
/** @returns {import('./liveness.mjs').Edges} */
const newEdges = () => ({ from: [], to: [] });
/** @returns {number[]} */
const newStates = () => [];

/** @param {Graph} graph @param {number} at @param {number} to @param {Move} move */
function addEdge(graph, at, to, { kind, script }) {
  if (kind !== 'fair' && kind !== 'sweeper') return;
  connect(graph.all, at, to);
  if (kind === 'fair') connect(graph.unswept, at, to);
  if (kind === 'fair' && script) connect(graph.turns, at, to);
}

/** @param {import('./liveness.mjs').Edges} edges @param {number} at @param {number} to */
function connect(edges, at, to) {
  edges.from.push(at);
  edges.to.push(to);
}

/** @param {number} size @param {Graph} graph @returns {{ problem: string, at: number } | undefined} */
function livenessProblem(size, graph) {
  const reaches = reaching(size, graph.all, graph.rests);
  const stuck = reaches.indexOf(0);
  if (stuck >= 0) return { problem: 'from every state the task comes to rest', at: stuck };

  const reachesUnswept = reaching(size, graph.unswept, graph.rests);
  const waits = graph.unharmed.find((at) => !reachesUnswept[at]);
  if (waits !== undefined)
    return { problem: 'unless an add, a job, a lock or a reply is lost, nothing waits for the sweeper', at: waits };

  const component = components(size, graph.all);
  const cycle = graph.turns.from.findIndex((at, i) => component[at] === component[graph.turns.to[i] ?? -1]);
  if (cycle >= 0) return { problem: 'turns are not repeated without end', at: graph.turns.from[cycle] ?? 0 };
  return undefined;
}

/** @param {number[]} cameFrom @param {string[]} cameBy @param {number} at @param {string} [last] */
function trace(cameFrom, cameBy, at, last) {
  const steps = last ? [last] : [];
  for (let i = at; i > 0; i = cameFrom[i] ?? 0) steps.unshift(cameBy[i] ?? '');
  return steps;
}
