import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { Corpus } from './corpus.ts';
import { grpcInputs } from './inputs/grpc-inputs.ts';
import { httpInputs, rawInputs } from './inputs/http-inputs.ts';
import type { Input } from './inputs/input.ts';
import { mutantsOf } from './inputs/mutants.ts';
import { judge } from './target/judge.ts';
import type { Target } from './target/target.ts';

interface Grammar {
  readonly inputs: fc.Arbitrary<Input>;
  readonly lanes: number;
  /** Inputs of a lane between two looks at the coverage, at most. */
  readonly round: number;
}

/** All lanes of a round should take about as long: an incomplete request ends only at its time limit. */
const grammars: Readonly<Record<string, Grammar>> = {
  jsonrpc: { inputs: httpInputs.jsonrpc, lanes: 12, round: 200 },
  rest: { inputs: httpInputs.rest, lanes: 12, round: 200 },
  'jsonrpc-v0.3': { inputs: httpInputs['jsonrpc-v0.3'], lanes: 8, round: 200 },
  'rest-v0.3': { inputs: httpInputs['rest-v0.3'], lanes: 8, round: 200 },
  grpc: { inputs: grpcInputs, lanes: 16, round: 100 },
  raw: { inputs: rawInputs, lanes: 24, round: 20 },
};

/** Heap that may come to that after the first tenth of a run, in bytes: caches fill up, and tasks expire late. */
const GROWTH = 48 * 1024 * 1024;

export interface FuzzOptions {
  readonly requests: number;
  readonly seed: number;
  /** Whether findings and new inputs of the corpus are written to files. */
  readonly keeps: boolean;
  /** Called after each round. */
  readonly onRound?: (progress: Progress) => void;
}

export interface Progress {
  readonly requests: number;
  readonly branches: number;
  readonly findings: number;
  readonly heapBytes: number;
}

/** An input, shrunken, and what its answer was. */
export interface Finding {
  readonly input: Input;
  readonly problem: string;
}

/**
 * Sends inputs of every grammar, and mutants of those that once ran a new branch. @returns what was answered badly,
 * one finding for each kind of bad answer
 */
export async function fuzzGateway(target: Target, options: FuzzOptions): Promise<Finding[]> {
  const names = Object.keys(grammars);
  const corpora = new Map(await Promise.all(names.map(async (name) => [name, await Corpus.read(name)] as const)));
  const fuzzer = new GatewayFuzzer(target, options, corpora);
  await fuzzer.run();
  if (options.keeps) await Promise.all([...corpora.values()].map((corpus) => corpus.write()));
  return fuzzer.findings;
}

/** Sends one input after the other, of one grammar. */
interface Lane {
  readonly name: string;
  readonly inputs: fc.Arbitrary<Input>;
  readonly round: number;
}

/** What one lane has sent in a round. */
interface Sent {
  readonly name: string;
  readonly tried: Input[];
}

class GatewayFuzzer {
  readonly #target: Target;
  readonly #options: FuzzOptions;
  readonly #corpora: ReadonlyMap<string, Corpus>;
  readonly #findings = new Map<string, Finding>();
  /** Branches that have run. */
  readonly #seen = new Set<string>();
  #requests = 0;
  /** Bytes in use after a tenth of the run, and after the last round. */
  #early: number | undefined;
  #latest = 0;

  constructor(target: Target, options: FuzzOptions, corpora: ReadonlyMap<string, Corpus>) {
    this.#target = target;
    this.#options = options;
    this.#corpora = corpora;
  }

  get findings(): Finding[] {
    const grown = this.#latest - (this.#early ?? this.#latest);
    const growth = { input: nothing, problem: `the heap has grown by ${grown} bytes since a tenth of the run` };
    return [...this.#findings.values(), ...(grown > GROWTH ? [growth] : [])];
  }

  async run(): Promise<void> {
    const { requests, onRound } = this.#options;
    await this.#replayCorpora();
    for (let round = 0; this.#requests < requests && this.#target.isAlive; round++) {
      await this.#target.seed();
      const sent = await Promise.all(
        this.#lanes().map((lane, n, { length }) =>
          this.#lane(lane, { n: round * 1_009 + n, left: (requests - this.#requests) / length }),
        ),
      );
      this.#requests += sent.reduce((sum, { tried }) => sum + tried.length, 0);
      if (!this.#target.isAlive) return this.#died(sent);
      for (const line of this.#target.faults()) await this.#found({ input: nothing, problem: `the log has: ${line}` });
      const hasNew = isNew(await this.#target.branches(), this.#seen);
      if (this.#options.keeps && hasNew) for (const each of sent) await this.#keepNew(each);
      const heapBytes = await this.#target.heapBytes();
      this.#latest = heapBytes;
      this.#early ??= this.#requests >= requests / 10 ? heapBytes : undefined;
      onRound?.({ requests: this.#requests, branches: this.#seen.size, findings: this.#findings.size, heapBytes });
    }
  }

  #lanes(): Lane[] {
    return Object.entries(grammars).flatMap(([name, { inputs, lanes, round }]) => {
      const kept = this.#corpora.get(name)?.inputs ?? [];
      const mutants = kept.length > 0 ? [{ weight: 1, arbitrary: mutantsOf([...kept]) }] : [];
      const both = fc.oneof({ weight: 2, arbitrary: inputs }, ...mutants);
      return Array.from({ length: lanes }, () => ({ name, inputs: both, round }));
    });
  }

  async #lane(lane: Lane, { n, left }: { readonly n: number; readonly left: number }): Promise<Sent> {
    const tried: Input[] = [];
    let problem = '';
    const property = fc.asyncProperty(lane.inputs, async (input) => {
      tried.push(input);
      const found = await judge(this.#target, input);
      problem = found ?? problem;
      return found === undefined;
    });
    const { counterexample } = await fc.check(property, {
      seed: this.#options.seed * 1_000_003 + n,
      numRuns: Math.min(lane.round, Math.ceil(left)),
    });
    if (counterexample) await this.#found({ input: counterexample[0], problem });
    return { name: lane.name, tried };
  }

  /** So that what is new is new to the corpora, too. */
  async #replayCorpora(): Promise<void> {
    const inputs = [...this.#corpora.values()].flatMap((corpus) => corpus.inputs);
    await Promise.all(inputs.map((input) => judge(this.#target, input)));
    isNew(await this.#target.branches(), this.#seen);
  }

  /** A branch was new: inputs of the round are sent again, and looked at one after the other, to learn which ran it. */
  async #keepNew({ name, tried }: Sent): Promise<void> {
    const corpus = this.#corpora.get(name);
    for (const input of corpus?.isFull === false ? tried.slice(0, LOOKED_AT) : []) {
      await judge(this.#target, input);
      if (isNew(await this.#target.branches(), this.#looked)) corpus?.add(input);
    }
  }

  /** Branches of inputs that were looked at one by one. */
  readonly #looked = new Set<string>();

  async #found(finding: Finding): Promise<void> {
    const kind = kindOf(finding);
    if (this.#findings.has(kind)) return;
    this.#findings.set(kind, finding);
    if (this.#options.keeps && finding.input !== nothing) await keepCase(finding);
  }

  async #died(sent: readonly Sent[]): Promise<void> {
    this.#findings.set('died', { input: nothing, problem: 'the gateway or its worker has died' });
    if (this.#options.keeps) await keepLast(sent.flatMap(({ tried }) => tried));
  }
}

/** Of a finding that no single input is known to cause. */
const nothing: Input = { kind: 'raw', bytes: '' };
/** Of a lane's inputs, one by one: each look at the coverage takes some milliseconds. */
const LOOKED_AT = 4;

/** Whether there is one among them that was not seen; they are from now on. */
function isNew(branches: readonly string[], seen: Set<string>): boolean {
  const before = seen.size;
  for (const branch of branches) seen.add(branch);
  return seen.size > before;
}

/** Findings that look the same but for ids, numbers and times have one cause. */
function kindOf({ problem, input }: Finding): string {
  return `${input.kind} ${problem.replaceAll(/[0-9a-f-]{8,}|\d+/g, '#').slice(0, 160)}`;
}

function keepCase({ input, problem }: Finding): Promise<void> {
  const name = createHash('sha256').update(JSON.stringify(input)).digest('hex').slice(0, 12);
  const text = JSON.stringify({ problem, input }, undefined, 2);
  return writeFile(new URL(`cases/${name}.json`, import.meta.url), `${text}\n`);
}

function keepLast(inputs: readonly Input[]): Promise<void> {
  const lines = inputs.map((input) => `${JSON.stringify(input)}\n`).join('');
  return writeFile(new URL('before-death.jsonl', import.meta.url), lines);
}
