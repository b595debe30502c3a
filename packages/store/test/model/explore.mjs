// @ts-check
/**
 *   npm run workshop model               checks the rules of turns in every world; takes some minutes
 *   npm run workshop model -- --deep     the same in larger worlds; needs more than 2 GB of memory
 *   npm run workshop model -- --mutants  breaks one rule at a time; each must be caught
 */
import * as rules from '../reference/turn-rules.ts';
import { MUTANTS } from './mutants.mjs';
import { search } from './search.mjs';

/** @typedef {import('./world.mjs').World} World */

/** @param {string} line */
const print = (line) => void process.stdout.write(`${line}\n`);

/** @param {Partial<World> & { name: string }} world @returns {World} */
const world = (world) => ({
  messages: 2,
  slots: 2,
  faults: 1,
  maxAttempts: 2,
  turnsPerJob: 8,
  cancels: true,
  ...world,
});

/** @type {Partial<World>} */
const LOSES_MESSAGES = { whileWorking: 's', messages: 3, losesMessages: true, cancels: false };

export const WORLDS = [
  world({ name: 'two messages, a cancel, one fault' }),
  world({ name: 'two messages, a job for each turn, one fault', turnsPerJob: 1 }),
  world({ name: 'one message, a cancel, two faults', messages: 1, faults: 2 }),
  world({ name: 'one message, three runs at once, two faults', messages: 1, slots: 3, faults: 2, cancels: false }),
  world({ name: 'three messages, a cancel, no fault', messages: 3, faults: 0, turnsPerJob: 2 }),
  world({ name: 'one message, a cancel, a fail-over and another fault', messages: 1, faults: 2, failsOver: true }),
  world({ name: 'two messages, a fail-over', failsOver: true, cancels: false }),
  world({ name: 'steered: two messages, a cancel, one fault', whileWorking: 's' }),
  world({ name: 'steered: two messages, a job for each turn, one fault', whileWorking: 's', turnsPerJob: 1 }),
  world({ name: 'steered: three messages, no fault', whileWorking: 's', messages: 3, faults: 0, turnsPerJob: 2 }),
  world({ name: 'steered: three messages, one is lost', ...LOSES_MESSAGES }),
  world({ name: 'rejecting: two messages, a cancel, one fault', whileWorking: 'r' }),
  world({ name: 'scheduled: two messages, a cancel, one fault', later: true }),
  world({ name: 'scheduled: a fail-over and another fault', later: true, messages: 1, faults: 2, failsOver: true }),
  world({ name: 'expiring: two messages, a cancel, one fault', expires: true }),
  world({ name: 'expiring: steered, two messages, one fault', expires: true, whileWorking: 's', cancels: false }),
  world({ name: 'expiring: a fail-over and another fault', expires: true, messages: 1, faults: 2, failsOver: true }),
  world({ name: 'suspended: steered, two messages, one fault', suspends: true, whileWorking: 's', cancels: false }),
];

export const DEEP_WORLDS = [
  world({ name: 'steered: three messages, a cancel, one fault', whileWorking: 's', messages: 3 }),
  world({ name: 'steered: three messages, a fail-over', ...LOSES_MESSAGES, failsOver: true, slots: 1 }),
  world({ name: 'steered: two messages, two faults', whileWorking: 's', faults: 2, cancels: false }),
  world({ name: 'two messages, a job for each turn, two faults', faults: 2, turnsPerJob: 1, cancels: false }),
  world({ name: 'two messages, a cancel, two faults', faults: 2 }),
  world({ name: 'three messages, two turns for each job, one fault', messages: 3, turnsPerJob: 2, cancels: false }),
  world({ name: 'one message, three attempts, three faults', messages: 1, faults: 3, maxAttempts: 3, cancels: false }),
];

export const SMALL_WORLDS = [
  world({ name: 'two messages, no fault', faults: 0 }),
  world({ name: 'one message, a cancel, one fault', messages: 1 }),
  world({ name: 'two messages, one fault', cancels: false }),
  world({ name: 'one message, a fail-over', messages: 1, cancels: false, failsOver: true }),
  world({ name: 'two messages, a fail-over', cancels: false, failsOver: true }),
  world({ name: 'steered: two messages, no fault', whileWorking: 's', faults: 0 }),
  world({ name: 'steered: two messages, one fault', whileWorking: 's', cancels: false }),
  world({ name: 'steered: three messages, no fault', whileWorking: 's', messages: 3, faults: 0, cancels: false }),
  world({ name: 'rejecting: two messages, no fault', whileWorking: 'r', faults: 0 }),
  world({ name: 'scheduled: one message, a cancel, one fault', later: true, messages: 1 }),
  world({ name: 'suspended: one message, a cancel, one fault', suspends: true, messages: 1 }),
  world({ name: 'expiring: two messages, no fault', expires: true, faults: 0 }),
  world({ name: 'expiring: one message, a cancel, one fault', expires: true, messages: 1 }),
  world({
    name: 'expiring: scheduled, one message, one fault',
    expires: true,
    later: true,
    messages: 1,
    cancels: false,
  }),
  world({
    name: 'expiring: suspended, one message, one fault',
    expires: true,
    suspends: true,
    messages: 1,
    cancels: false,
  }),
  world({ name: 'expiring: one message, a fail-over', expires: true, messages: 1, cancels: false, failsOver: true }),
  world({ name: 'steered: three messages, one is lost', ...LOSES_MESSAGES, slots: 1, maxAttempts: 1 }),
];

/** @param {World[]} worlds */
export function checkRules(worlds) {
  let [states, steps, isSound] = [0, 0, true];
  const begun = Date.now();
  for (const one of worlds) {
    const result = search(one, rules);
    states += result.states;
    steps += result.steps;
    isSound &&= !result.problem;
    const figures = `${column(result.states, 9)} states ${column(result.steps, 10)} steps`;
    print(`${one.name.padEnd(52)} ${figures}  ${result.problem ?? 'holds'}`);
    result.trace?.forEach((step, i) => {
      print(`  ${i + 1}. ${step}`);
    });
  }
  const seconds = ((Date.now() - begun) / 1000).toFixed(0);
  const verdict = isSound ? 'every property holds' : 'BROKEN';
  print(`${column(states, 0)} states, ${column(steps, 0)} steps, ${seconds} s: ${verdict}`);
  return isSound;
}

export function checkMutants() {
  let caught = 0;
  for (const mutant of MUTANTS) {
    const byRecords = firstCatch(mutant, true);
    const bySteps = firstCatch(mutant, false);
    if (byRecords) caught++;
    print(`${byRecords ? 'caught' : 'MISSED'}  ${mutant.name}`);
    if (byRecords) print(`        with checks of records: ${byRecords}`);
    print(`        by steps alone:         ${bySteps ?? '-'}`);
  }
  print(`${caught} of ${MUTANTS.length} mutants caught`);
  return caught === MUTANTS.length;
}

/** @param {{ expires: boolean, rules: typeof rules }} mutant @param {boolean} checksRecords */
export function firstCatch({ expires, rules: broken }, checksRecords, worlds = SMALL_WORLDS) {
  for (const one of worlds.filter((world) => !!world.expires === expires)) {
    const { problem, trace } = search(one, broken, checksRecords);
    if (problem) return `"${problem}" after ${trace?.length ?? 0} steps (${one.name})`;
  }
  return undefined;
}

/** @param {number} count @param {number} width */
function column(count, width) {
  return count.toLocaleString('en').padStart(width);
}

if (import.meta.main) {
  const [mode] = process.argv.slice(2);
  const isSound = mode === '--mutants' ? checkMutants() : checkRules(mode === '--deep' ? DEEP_WORLDS : WORLDS);
  process.exitCode = isSound ? 0 : 1;
}

export { MUTANTS, search };
