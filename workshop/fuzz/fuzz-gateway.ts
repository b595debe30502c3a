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
 * What inputs are made by, and how many are sent at the same time. All lanes of a round should take about as long: an
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

/** Of the kept inputs of a grammar. */
const MOST_KEPT = 200;
/** Of an input that is kept: long ones are made by the grammars again and again. */
const MOST_CHARACTERS = 2_000;
/** Of a lane's inputs, one by one: each look at the coverage takes some milliseconds. */
const LOOKED_AT = 4;
/** Heap that may come to that after the first tenth of a run, in bytes: caches fill up, and tasks expire late. */
const GROWTH = 48 * 1024 * 1024;
/** The input of a finding whose cause is not one input. */
const nothing: Input = { kind: 'raw', bytes: '' };

export interface FuzzOptions {
  readonly requests: number;
  readonly seed: number;
  /** Whether findings and new inputs of the corpus are written to files. */
  readonly keeps: boolean;
  /** Called after each round. */
  readonly onRound?: (seen: Readonly<Record<'requests' | 'branches' | 'findings' | 'heapBytes', number>>) => void;
}

/** An input, shrunken, and what its answer was. */
export interface Finding {
  readonly input: Input;
  readonly problem: string;
}

/** A grammar, with inputs of it that have run a branch that none before them had. */
interface Source {
  readonly grammar: (typeof grammars)[number];
  readonly kept: Input[];
}

/** What one lane, which sends one input after the other, has sent in a round. */
interface Sent {
  readonly source: Source;
  readonly tried: readonly Input[];
}

/**
 * Sends inputs of every grammar, and mutants of those that once ran a new branch. @returns what was answered badly,
 * one finding for each kind of bad answer
 */
export async function fuzzGateway(target: Target, options: FuzzOptions): Promise<Finding[]> {
  const sources = await Promise.all(
    grammars.map(async (grammar): Promise<Source> => {
      const file = fileOf(`corpus/${grammar.name}.jsonl`);
      const lines = existsSync(file) ? (await readFile(file, 'utf8')).split('\n').filter(Boolean) : [];
      return { grammar, kept: lines.map((line) => JSON.parse(line)) };
    }),
  );
  const fuzzer = new GatewayFuzzer(target, options, sources);
  await fuzzer.run();
  if (options.keeps)
    await Promise.all(
      sources.map(({ grammar, kept }) => writeFile(fileOf(`corpus/${grammar.name}.jsonl`), linesOf(kept))),
    );
  return fuzzer.findings;
}

const fileOf = (name: string): URL => new URL(name, import.meta.url);
const linesOf = (inputs: readonly Input[]): string => inputs.map((input) => `${JSON.stringify(input)}\n`).join('');

class GatewayFuzzer {
  readonly #target: Target;
  readonly #options: FuzzOptions;
  readonly #sources: readonly Source[];
  readonly #findings = new Map<string, Finding>();
  /** Branches that have run, and those of inputs that were looked at one by one. */
  readonly #seen = new Set<string>();
  readonly #looked = new Set<string>();
  #requests = 0;
  /** Bytes in use after a tenth of the run, and after the last round. */
  #early: number | undefined;
  #latest = 0;

  constructor(target: Target, options: FuzzOptions, sources: readonly Source[]) {
    this.#target = target;
    this.#options = options;
    this.#sources = sources;
  }

  get findings(): Finding[] {
    const grown = this.#latest - (this.#early ?? this.#latest);
    const growth = { input: nothing, problem: `the heap has grown by ${grown} bytes since a tenth of the run` };
    return [...this.#findings.values(), ...(grown > GROWTH ? [growth] : [])];
  }

  async run(): Promise<void> {
    const { requests, keeps, onRound } = this.#options;
    // So that what is new is new to the corpora, too.
    await Promise.all(this.#sources.flatMap(({ kept }) => kept).map((input) => judge(this.#target, input)));
    await this.#ranNew(this.#seen);
    for (let round = 0; this.#requests < requests && this.#target.isAlive; round++) {
      await this.#target.seed();
      const sent = await this.#sendRound(round);
      this.#requests += sent.reduce((sum, { tried }) => sum + tried.length, 0);
      if (!this.#target.isAlive) return this.#died(sent);
      for (const line of this.#target.faults()) await this.#found({ input: nothing, problem: `the log has: ${line}` });
      const hasNew = await this.#ranNew(this.#seen);
      if (keeps && hasNew) for (const each of sent) await this.#keepNew(each);
      const heapBytes = await this.#target.heapBytes();
      this.#latest = heapBytes;
      this.#early ??= this.#requests >= requests / 10 ? heapBytes : undefined;
      onRound?.({ requests: this.#requests, branches: this.#seen.size, findings: this.#findings.size, heapBytes });
    }
  }

  #sendRound(round: number): Promise<Sent[]> {
    const lanes = this.#sources.flatMap((source) => {
      const { inputs, lanes: count } = source.grammar;
      const mutants = source.kept.length > 0 ? [{ weight: 1, arbitrary: mutantsOf([...source.kept]) }] : [];
      const both = fc.oneof({ weight: 2, arbitrary: inputs }, ...mutants);
      return Array.from({ length: count }, () => ({ source, both }));
    });
    const left = Math.ceil((this.#options.requests - this.#requests) / lanes.length);
    return Promise.all(
      lanes.map(async ({ source, both }, n): Promise<Sent> => {
        const seed = this.#options.seed * 1_000_003 + round * 1_009 + n;
        return { source, tried: await this.#lane(both, { seed, numRuns: Math.min(source.grammar.round, left) }) };
      }),
    );
  }

  async #lane(inputs: fc.Arbitrary<Input>, runs: { seed: number; numRuns: number }): Promise<Input[]> {
    const tried: Input[] = [];
    let problem = '';
    const property = fc.asyncProperty(inputs, async (input) => {
      tried.push(input);
      const found = await judge(this.#target, input);
      problem = found ?? problem;
      return found === undefined;
    });
    const { counterexample } = await fc.check(property, runs);
    if (counterexample) await this.#found({ input: counterexample[0], problem });
    return tried;
  }

  /** Whether a branch has run that is not among these. It is from now on. */
  async #ranNew(seen: Set<string>): Promise<boolean> {
    const before = seen.size;
    for (const branch of await this.#target.branches()) seen.add(branch);
    return seen.size > before;
  }

  /** A branch was new: inputs of the round are sent again, and looked at one after the other, to learn which ran it. */
  async #keepNew({ source: { kept }, tried }: Sent): Promise<void> {
    for (const input of kept.length < MOST_KEPT ? tried.slice(0, LOOKED_AT) : []) {
      await judge(this.#target, input);
      const isShort = JSON.stringify(input).length <= MOST_CHARACTERS;
      if ((await this.#ranNew(this.#looked)) && isShort && kept.length < MOST_KEPT) kept.push(input);
    }
  }

  async #found(finding: Finding): Promise<void> {
    const { problem, input } = finding;
    // Findings that look the same but for ids, numbers and times have one cause.
    const kind = `${input.kind} ${problem.replaceAll(/[0-9a-f-]{8,}|\d+/g, '#').slice(0, 160)}`;
    if (this.#findings.has(kind)) return;
    this.#findings.set(kind, finding);
    if (!this.#options.keeps || input === nothing) return;
    const name = createHash('sha256').update(JSON.stringify(input)).digest('hex').slice(0, 12);
    await writeFile(fileOf(`cases/${name}.json`), `${JSON.stringify({ problem, input }, undefined, 2)}\n`);
  }

  async #died(sent: readonly Sent[]): Promise<void> {
    this.#findings.set('died', { input: nothing, problem: 'the gateway or its worker has died' });
    if (this.#options.keeps) await writeFile(fileOf('before-death.jsonl'), linesOf(sent.flatMap(({ tried }) => tried)));
  }
}
