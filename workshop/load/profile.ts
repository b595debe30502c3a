import {
  count,
  mustBe,
  number,
  type Options,
  oneOf,
  optional,
  percentage,
  time,
  type ValuesOf,
  word,
} from '../options.ts';
import type { LatencySummary, SeededRandom } from '../statistics.ts';
import type { A2AClient } from './client.ts';
import { arrivals, keepPace } from './open-model.ts';
import type { Recorder, TaskLedger } from './recorder.ts';

/** Defaults that differ between profiles, as on the command line. */
export type CommonDefaults = Readonly<Partial<Record<'duration' | 'rate' | 'connections', string>>>;

export type CommonOptions = ValuesOf<ReturnType<typeof commonOptions>>;

/** Options of every profile, with bounds for times, rates and numbers. */
export function commonOptions({ duration = '30s', rate, connections }: CommonDefaults) {
  return {
    url: optional({
      value: '<url>',
      what: 'URL of a gateway, an agent or its card; default: a gateway that is started for the run',
      fallback: undefined,
      read: readUrl,
    }),
    agent: word('<id>', 'an agent of the gateway at --url; default: its default agent', [
      /^[\w.~-]{1,128}$/,
      'the id of an agent',
    ]),
    binding: optional(oneOf(['jsonrpc', 'rest'], 'default: the first interface of the agent card that fits')),
    apiKey: word('<key>', 'API key; better in LOAD_API_KEY, which lists of processes do not show', [/./, 'a key']),
    bearer: word('<token>', 'bearer token; better in LOAD_BEARER', [/./, 'a token']),
    allowHost: word('<host>', 'the only host other than this machine that is tested', [
      /^[\w.:[\]-]+$/,
      'the name of a host',
    ]),
    workers: optional(count('workers of the started gateway; default: 1', undefined, ['1', '16'])),
    durationMs: time('length of the run', duration, ['100ms', '60m']),
    rate: number('arrivals per second', rate, ['0.1', '50000']),
    connections: count('most concurrent connections', connections, ['1', '20000']),
    text: word('<text>', 'text of the messages', [/^.{1,100000}$/s, '1 to 100000 characters']),
    timeoutMs: time('a request without an answer so long after it was due is an error', '10s', ['100ms', '10m']),
    maxErrorRateShare: percentage('most errors; with more the exit code is 1', '1%', ['0%', '100%']),
    warmUpMs: time('the same load before the measurement', '2s', ['0ms', '5m']),
    settleMs: time('how long open tasks are polled after the run', '10s', ['0ms', '10m']),
    seed: count('seed of the arrivals', '1', ['0', '4294967295']),
    out: word('<folder>', 'folder for report.json (.data/load/…)', [/./, 'a folder']),
  };
}

function readUrl(text: string): URL {
  const url = URL.parse(text);
  const isUsable = url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.search;
  return isUsable ? url : mustBe('a URL such as http://127.0.0.1:4000, without a name and a query');
}

/** What a profile gets. */
export interface Load {
  readonly options: CommonOptions;
  /** Whether the agent is load/agents/load.ts. */
  readonly isOwnAgent: boolean;
  readonly client: A2AClient;
  readonly recorder: Recorder;
  readonly tasks: TaskLedger;
  readonly random: SeededRandom;
  /** Aborts when nothing new may start: the time is up, or the run was stopped. */
  readonly over: AbortSignal;
  /** Aborts `settleMs` later; until then clients may still read their tasks. */
  readonly settled: AbortSignal;
  /** Aborts when the run must end at once. */
  readonly halted: AbortSignal;
}

/** A rate that the profile `ramp` has tried. */
export interface TriedRate {
  readonly rate: number;
  readonly held: boolean;
  /** Why it did not hold; unset if it did. */
  readonly because: string | undefined;
  readonly latency: LatencySummary | undefined;
  readonly requests: number;
  readonly errors: number;
}

/** Results that only some profiles have. */
export interface Findings {
  readonly ramp?: {
    readonly tried: readonly TriedRate[];
    /** Per second; undefined if not even the first rate held. */
    readonly highestThatHeld: number | undefined;
    /** The lowest rate that did not hold: the limit is between the two. Undefined if it was not reached. */
    readonly lowestThatDidNot: number | undefined;
  };
  readonly streams?: Readonly<typeof noStreams>;
}

export const noStreams = {
  opened: 0,
  /** Open at the same time. */
  most: 0,
  /** Number of streams that the server ended, as expected. */
  ended: 0,
  /** Number of streams that were open when the time was up. */
  left: 0,
  /** Events whose ids were compared with the ones before, and events without a number. */
  checked: 0,
  unchecked: 0,
  holes: 0,
  doubles: 0,
};

export interface Profile<O extends Options = Options> {
  readonly name: string;
  /** A few words for `--help`. */
  readonly summary: string;
  readonly defaults: CommonDefaults;
  /** Whether a short run warms the server up. */
  readonly canWarmUp: boolean;
  /** Whether it prefers a binding in which polls can send a version. */
  readonly wantsVersions?: boolean;
  /** Options of this profile only. */
  readonly options: O;
  /** The operation, or another duration, whose latency is the latency of the run. */
  primary(own: ValuesOf<O>, isOwnAgent: boolean): string;
  /** Returns problems of options that are valid alone but contradict each other. */
  contradictions?(options: CommonOptions & ValuesOf<O>): string[];
  run(load: Load, own: ValuesOf<O>): Promise<Findings>;
}

/** A profile, of which the compiler checks the options where it is written. */
export const defineProfile = <O extends Options>(profile: Profile<O>): Profile => profile;

export const defaultText = 'Hello';

export const modes = ['blocking', 'immediate', 'stream'] as const;
export type Mode = (typeof modes)[number];

/** Its name in the report. */
export function operationOf(mode: Mode): string {
  return mode === 'stream' ? 'SendStreamingMessage' : `SendMessage, ${mode}`;
}

/** Maximum number of requests in progress: more would fill the memory of this process. */
const MOST_OPEN = 50_000;

export interface Arrivals {
  /** In milliseconds from now; default: at `--rate`. */
  readonly times?: Iterator<number, unknown>;
  /** Ends the arrivals. Default: the end of the run. */
  readonly signal?: AbortSignal;
  /** Handles one arrival. Never rejects. */
  readonly act: (dueAt: number) => Promise<unknown>;
}

/** Resolves when everything that arrived has ended. */
export function onArrivals(load: Load, { times, signal, act }: Arrivals): Promise<void> {
  const { recorder } = load;
  const counted = async (dueAt: number): Promise<void> => {
    if (recorder.arrived() > MOST_OPEN) recorder.wrong('not begun', `${MOST_OPEN} others were not answered yet`);
    else await act(dueAt);
    recorder.left();
  };
  return keepPace({ arrivals: times ?? steadily(load), signal: signal ?? load.over, act: counted });
}

/** Arrivals at a constant rate. Default: `--rate`. */
export function steadily({ options, random }: Load, rate = options.rate): Generator<number, never> {
  return arrivals({ rateAt: () => rate, peak: rate, random });
}
