import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { grpcInputs } from './inputs/grpc-inputs.ts';
import { httpInputs, rawInputs } from './inputs/http-inputs.ts';
import { type Input, mutantsOf } from './inputs/input.ts';
import { judge } from './target/judge.ts';
import type { Target } from './target/target.ts';

/**
 * How inputs are generated, and how many are sent concurrently. All lanes of a round should take about as long: an
 * incomplete request ends only at its time limit.
 */
const grammars = [
  { name: 'jsonrpc', inputs: httpInputs.jsonrpc, lanes: 12, round: 200 },
  { name: 'rest', inputs: httpInputs.rest, lanes: 12, round: 200 },
  { name: 'jsonrpc-v0.3', inputs: httpInputs['jsonrpc-v0.3'], lanes: 8, round: 200 },
  { name: 'rest-v0.3', inputs: httpInputs['rest-v0.3'], lanes: 8, round: 200 },
  { name: 'grpc', inputs: grpcInputs, lanes: 16, round: 100 },
  { name: 'raw', inputs: rawInputs, lanes: 24, round: 20 },
] as const;

/** Maximum number of kept inputs of a grammar. */
const MOST_KEPT = 200;
/** Maximum size of a kept input: the grammars generate long ones again and again. */
const MOST_CHARACTERS = 2_000;
/** Maximum number of a lane's inputs that are checked one by one: each reading of the coverage takes milliseconds. */
const LOOKED_AT = 4;
/** Allowed growth of the heap after the first tenth of a run, in bytes: caches fill up, and tasks expire late. */
const GROWTH = 48 * 1024 * 1024;
/** The input of a finding that has no single input as its cause. */
const nothing: Input = { kind: 'raw', bytes: '' };

export interface FuzzOptions {
  readonly requests: number;
  readonly seed: number;
  /** Whether findings and new inputs of the corpus are written to files. */
  readonly keeps: boolean;
  /** Called after each round. */
  readonly onRound?: (seen: Readonly<Record<'requests' | 'branches' | 'findings' | 'heapBytes', number>>) => void;
}

/** A minimized input, and what is wrong with its answer. */
export interface Finding {
  readonly input: Input;
  readonly problem: string;
}

/** A grammar, with those of its inputs that have covered a new branch. */
interface Source {
  readonly grammar: (typeof grammars)[number];
  readonly kept: Input[];
}

/** What one lane, which sends its inputs one after the other, has sent in a round. */
interface Sent {
  readonly source: Source;
  readonly tried: readonly Input[];
}

/**
 * Sends inputs of every grammar, and mutations of those that reached a new branch. @returns wrong answers, one
 * finding for each kind
 */
export async function fuzzGateway(target: Target, { requests, seed, keeps, onRound }: FuzzOptions): Promise<Finding[]> {
  const sources = await Promise.all(grammars.map(sourceOf));
  const findings = new Map<string, Finding>();
  /** Covered branches, of which those of single inputs were determined separately. */
  const [seen, looked] = [new Set<string>(), new Set<string>()];
  let done = 0;
  /** Heap in use after a tenth of the run, and after the last round, in bytes. */
  let early: number | undefined;
  let latest = 0;

  async function found(finding: Finding): Promise<void> {
    const { problem, input } = finding;
    const kind = kindOf(finding);
    if (findings.has(kind)) return;
    findings.set(kind, finding);
    if (!keeps || input === nothing) return;
    const name = createHash('sha256').update(JSON.stringify(input)).digest('hex').slice(0, 12);
    await writeFile(fileOf(`cases/${name}.json`), `${JSON.stringify({ problem, input }, undefined, 2)}\n`);
  }

  async function lane(inputs: fc.Arbitrary<Input>, runs: { seed: number; numRuns: number }): Promise<Input[]> {
    const tried: Input[] = [];
    let problem = '';
    const property = fc.asyncProperty(inputs, async (input) => {
      tried.push(input);
      const wrong = await judge(target, input);
      problem = wrong ?? problem;
      return wrong === undefined;
    });
    const { counterexample } = await fc.check(property, runs);
    if (counterexample) await found({ input: counterexample[0], problem });
    return tried;
  }

  function sendRound(round: number): Promise<Sent[]> {
    const lanes = sources.flatMap(lanesOf);
    const left = Math.ceil((requests - done) / lanes.length);
    return Promise.all(
      lanes.map(async ({ source, both }, n): Promise<Sent> => {
        const own = seed * 1_000_003 + round * 1_009 + n;
        return { source, tried: await lane(both, { seed: own, numRuns: Math.min(source.grammar.round, left) }) };
      }),
    );
  }

  /** After a new branch: repeats inputs of the round one after the other, to find the one that covers it. */
  async function keepNew({ source: { kept }, tried }: Sent): Promise<void> {
    for (const input of kept.length < MOST_KEPT ? tried.slice(0, LOOKED_AT) : []) {
      await judge(target, input);
      const isShort = JSON.stringify(input).length <= MOST_CHARACTERS;
      if ((await ranNew(target, looked)) && isShort && kept.length < MOST_KEPT) kept.push(input);
    }
  }

  async function playRound(round: number): Promise<void> {
    await target.seed();
    const sent = await sendRound(round);
    done += sent.reduce((sum, { tried }) => sum + tried.length, 0);
    if (!target.isAlive) {
      findings.set('died', { input: nothing, problem: 'the gateway or its worker has died' });
      if (keeps) await writeFile(fileOf('before-death.jsonl'), linesOf(sent.flatMap(({ tried }) => tried)));
      return;
    }
    for (const line of target.faults()) await found({ input: nothing, problem: `the log has: ${line}` });
    if ((await ranNew(target, seen)) && keeps) for (const each of sent) await keepNew(each);
    latest = await target.heapBytes();
    early ??= done >= requests / 10 ? latest : undefined;
    onRound?.({ requests: done, branches: seen.size, findings: findings.size, heapBytes: latest });
  }

  // Runs the corpora first, so that only branches beyond them count as new.
  await Promise.all(sources.flatMap(({ kept }) => kept).map((input) => judge(target, input)));
  await ranNew(target, seen);
  for (let round = 0; done < requests && target.isAlive; round++) await playRound(round);
  if (keeps)
    for (const { grammar, kept } of sources) await writeFile(fileOf(`corpus/${grammar.name}.jsonl`), linesOf(kept));
  const grown = latest - (early ?? latest);
  if (grown > GROWTH)
    findings.set('growth', {
      input: nothing,
      problem: `the heap has grown by ${grown} bytes since a tenth of the run`,
    });
  return [...findings.values()];
}

/** A grammar, with its inputs from earlier runs. */
async function sourceOf(grammar: (typeof grammars)[number]): Promise<Source> {
  const file = fileOf(`corpus/${grammar.name}.jsonl`);
  const lines = existsSync(file) ? (await readFile(file, 'utf8')).split('\n').filter(Boolean) : [];
  return { grammar, kept: lines.map((line) => JSON.parse(line)) };
}

/** The lanes of a grammar: its inputs, and mutants of the kept ones. */
function lanesOf(source: Source) {
  const { inputs, lanes } = source.grammar;
  const mutants = source.kept.length > 0 ? [{ weight: 1, arbitrary: mutantsOf([...source.kept]) }] : [];
  const both = fc.oneof({ weight: 2, arbitrary: inputs }, ...mutants);
  return Array.from({ length: lanes }, () => ({ source, both }));
}

/** Whether a branch is covered for the first time, and remembers it. */
async function ranNew(target: Target, known: Set<string>): Promise<boolean> {
  const before = known.size;
  for (const branch of await target.branches()) known.add(branch);
  return known.size > before;
}

/** Findings that differ only in ids, numbers and times have the same cause. */
function kindOf({ problem, input }: Finding): string {
  return `${input.kind} ${problem.replaceAll(/[0-9a-f-]{8,}|\d+/g, '#').slice(0, 160)}`;
}

const fileOf = (name: string): URL => new URL(name, import.meta.url);
const linesOf = (inputs: readonly Input[]): string => inputs.map((input) => `${JSON.stringify(input)}\n`).join('');
