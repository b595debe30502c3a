import { createCipheriv, createHash } from 'node:crypto';
import type { Priority } from '@switchyard/protocol';

/** A client's part in one task, and the expected task under any faults. */
export interface Scenario {
  readonly kind: ScenarioKind;
  readonly key: string;
  /** The client's messages, in order. */
  readonly texts: readonly string[];
  /** Cancels the task once it works. */
  readonly isCanceled: boolean;
  /** How many events the client gives the task. */
  readonly events: number;
  /** The file that the client sends with its message. */
  readonly file?: ScenarioFile | undefined;
  /** How the client follows the events, if it does. */
  readonly watches: 'sse' | 'grpc' | 'not';
  /** Whether it has a webhook. */
  readonly isPushed: boolean;
  /** Default: the agent works on it at once. */
  readonly schedule?: ScheduledFor | undefined;
  /** Default: the agent's. */
  readonly priority?: Priority | undefined;
  /** If no worker begins within this time, the message is rejected. Default: it waits. */
  readonly ttlMs?: number | undefined;
  readonly expected: {
    readonly state: 'TASK_STATE_COMPLETED' | 'TASK_STATE_CANCELED' | 'TASK_STATE_REJECTED';
    /** Contents by name. */
    readonly artifacts: Readonly<Record<string, string>>;
    /** `user: …` and `agent: …`, in order. */
    readonly history: readonly string[];
  };
}

export interface ScenarioFile {
  readonly name: string;
  readonly content: Buffer;
  /** In hexadecimal digits. The agent writes a copy, which has the same. */
  readonly sha256: string;
  /** Uploaded in several requests. */
  readonly isInPieces: boolean;
}

/** For a scheduled message: in how many ms, or how often, each second. */
export type ScheduledFor = { readonly inMs: number } | { readonly times: number };

/** In every message, and in no log. */
export const CONFIDENTIAL = 'a-confidential-note';

/** What the agent uses of a model for each message. */
export const TOKENS_OF_MESSAGE = 7;

export const scenarioKinds = [
  ...(['stream', 'talk', 'files', 'steps', 'wait'] as const),
  ...(['sleep', 'events', 'callback', 'call', 'retry', 'idle'] as const),
];
/** `upload`: where files can be stored. `metered`: with a limit and a budget, which the workload has not. */
export type ScenarioKind = (typeof scenarioKinds)[number] | LimitedKind | 'upload' | 'metered';

/** Limits of the agents that have some; their ids are `<kind>-agent`. */
export const limitsOf = {
  limited: { running: 2, runningPerKey: undefined, startsPerMinute: undefined },
  keyed: { running: 2, runningPerKey: 1, startsPerMinute: 240 },
} as const;
export type LimitedKind = keyof typeof limitsOf;
export const limitedKinds = ['limited', 'keyed'] as const satisfies readonly LimitedKind[];
/** The agent that plays a kind; undefined: the one at the root. */
export const agentOf = (kind: ScenarioKind): string | undefined =>
  kind === 'upload' || kind in limitsOf ? `${kind}-agent` : undefined;

/** How long a turn holds its place before it makes sure again that it has it. */
export const HOLD_MS = 40;
const GROUPS = 3;
/** Turns of the same group have the same key. @param text of a message, or the key of its scenario */
export const groupOf = (text: string): string => `group-${text.charCodeAt(text.length - 1) % GROUPS}`;

/** Of these the turn is suspended. */
export const isSuspended = (kind: ScenarioKind): boolean =>
  ['sleep', 'events', 'callback', 'call', 'retry', 'idle'].includes(kind);

/** The event for which the agent waits. */
export const EVENT = 'go';
/** How long each sleep lasts. */
export const SLEEP_MS = 1_100;
/** A limit of the workers' MODEL_LIMITS, if they have any. */
export const LIMIT = 'faults';
/** How long a called agent sleeps, and a step waits for its next attempt: longer than a turn waits in its process. */
export const NAP_MS = 5_500;

export const lineText = (key: string, line: number): string => `${key}, line ${line}\n`;
export const chapterText = (key: string, chapter: number): string => `${key}, chapter ${chapter}. `;
export const readText = (sha256: string): string => `Read ${sha256}`;
export const questionText = (key: string, number: number): string => `Question ${number} of ${key}?`;

const PIECE_BYTES = 10_000;
/** Of a bucket's upload of several parts. */
const LARGE_BYTES = 9 * 1024 ** 2;
const LARGEST_SIZE = 24;

/** Its bytes are random, and follow from its key. */
function fileOf(key: string, size: number): ScenarioFile {
  const bytes = size < LARGEST_SIZE ? size * PIECE_BYTES : LARGE_BYTES;
  const seed = createHash('md5').update(key).digest();
  const content = createCipheriv('aes-128-ctr', seed, Buffer.alloc(seed.length)).update(Buffer.alloc(bytes));
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { name: `${key}.bin`, content, sha256, isInPieces: size % 2 === 0 };
}

/** Milliseconds of a clock that all processes of this machine share, and that is not changed with the time of day. */
export const machineMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

export interface ScenarioOptions
  extends Partial<Pick<Scenario, 'watches' | 'isPushed' | 'schedule' | 'priority' | 'ttlMs'>> {
  /** Number of lines, questions or chapters. */
  readonly size: number;
}

export function createScenario(
  kind: ScenarioKind,
  key: string,
  { size, watches = 'not', isPushed = false, schedule, priority, ttlMs }: ScenarioOptions,
): Scenario {
  const isCanceled = kind === 'wait' || kind === 'idle';
  const isAnswered = kind === 'events' || kind === 'callback';
  // A wait takes longer than a line.
  const count = isSuspended(kind) ? Math.ceil(size / 8) : size;
  const text = `${kind} ${isCanceled ? 60_000 : count} ${key}`;
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const all = (textOf: (key: string, number: number) => string): string =>
    numbers.map((number) => textOf(key, number)).join('');
  const file = kind === 'upload' ? fileOf(key, size) : undefined;
  const artifacts = {
    upload: { Copy: `copy of ${key}.bin` },
    stream: { Report: all(lineText) },
    files: { Draft: JSON.stringify({ key, chapters: size }), Book: all(chapterText) },
  }[kind as string];
  const questions = numbers.flatMap((number) => [`agent: ${questionText(key, number)}`, `user: ${text}`]);
  const replies = {
    stream: [`agent: Telling ${key}`, `agent: Told ${key}`],
    talk: [...questions, `agent: Remembered ${2 * size + 1} messages of ${key}`],
    files: [`agent: Wrote ${key}`],
    steps: [`agent: Did ${size} steps of ${key}`],
    wait: ['agent: Waiting'],
    sleep: [`agent: Slept ${count} times for ${key}`],
    events: [`agent: Got ${numbers} of ${key}`],
    callback: ['agent: Waiting', `agent: Got ${numbers} of ${key}`],
    call: [`agent: Heard: Napped for ${key}`],
    retry: [`agent: Retried for ${key}`],
    idle: ['agent: Waiting'],
    limited: [`agent: Held a place ${size} times for ${key}`],
    keyed: [`agent: Held a place ${size} times for ${key}`],
    upload: [`agent: ${readText(file?.sha256 ?? '')}`],
    metered: [`agent: Paid for ${size} steps of ${key}`],
  }[kind];
  return {
    kind,
    key,
    file,
    watches: watchOf(kind, watches),
    isPushed,
    priority,
    // A later message would find its task ended, and so would a cancel and an event.
    ttlMs: kind === 'talk' || isCanceled || isAnswered || schedule ? undefined : ttlMs,
    schedule: scheduleOf(kind, schedule),
    isCanceled,
    events: isAnswered ? count : 0,
    texts: kind === 'talk' ? [text, ...numbers.map(() => text)] : [text],
    expected: {
      state: isCanceled ? 'TASK_STATE_CANCELED' : 'TASK_STATE_COMPLETED',
      artifacts: artifacts ?? {},
      history: [`user: ${text}`, ...replies],
    },
  };
}

/** Only the agent at the root is asked over gRPC. */
const watchOf = (kind: ScenarioKind, watches: Scenario['watches']): Scenario['watches'] =>
  agentOf(kind) !== undefined && watches === 'grpc' ? 'sse' : watches;

/**
 * A question would make the client wait, a cancel would end the schedule, events are for its first task, and a message
 * that is repeated can have no file.
 */
function scheduleOf(kind: ScenarioKind, schedule: ScheduledFor | undefined): ScheduledFor | undefined {
  if (kind === 'talk') return undefined;
  return ['wait', 'idle', 'events', 'callback', 'upload'].includes(kind) && isRepeated(schedule) ? undefined : schedule;
}

const isRepeated = (schedule: ScheduledFor | undefined): boolean => schedule !== undefined && 'times' in schedule;
