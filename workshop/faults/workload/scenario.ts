/** A client's part in one task, and the expected task under any faults. */
export interface Scenario {
  readonly kind: ScenarioKind;
  readonly key: string;
  /** The client's messages, in order. */
  readonly texts: readonly string[];
  /** Cancels the task once it works. */
  readonly isCanceled: boolean;
  /** How the client follows the events of the task as they come, if it does. */
  readonly watches: Watches;
  /** Has a webhook. */
  readonly isPushed: boolean;
  readonly expected: Expectation;
}

export interface Expectation {
  readonly state: 'TASK_STATE_COMPLETED' | 'TASK_STATE_CANCELED';
  /** Content by name. */
  readonly artifacts: Readonly<Record<string, string>>;
  /** `user: …` and `agent: …`, in order. */
  readonly history: readonly string[];
}

/** Goes with every message, and into no log. */
export const CONFIDENTIAL = 'a-confidential-note';

export const scenarioKinds = ['stream', 'talk', 'files', 'steps', 'wait'] as const;
export type ScenarioKind = (typeof scenarioKinds)[number];

export const lineText = (key: string, line: number): string => `${key}, line ${line}\n`;
export const chapterText = (key: string, chapter: number): string => `${key}, chapter ${chapter}. `;
export const questionText = (key: string, number: number): string => `Question ${number} of ${key}?`;

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

export type Watches = 'sse' | 'grpc' | 'not';

export interface ScenarioOptions {
  /** Lines, questions or chapters. */
  readonly size: number;
  readonly watches?: Watches;
  readonly isPushed?: boolean;
}

export function createScenario(
  kind: ScenarioKind,
  key: string,
  { size, watches = 'not', isPushed = false }: ScenarioOptions,
): Scenario {
  const text = `${kind} ${kind === 'wait' ? 60_000 : size} ${key}`;
  return { kind, key, watches, isPushed, isCanceled: kind === 'wait', ...builders[kind](text, key, size) };
}

type Builder = (text: string, key: string, size: number) => Pick<Scenario, 'texts' | 'expected'>;

const builders: Readonly<Record<ScenarioKind, Builder>> = {
  stream: (text, key, size) =>
    completed([text], {
      artifacts: {
        Report: range(size)
          .map((line) => lineText(key, line))
          .join(''),
      },
      history: [`user: ${text}`, `agent: Telling ${key}`, `agent: Told ${key}`],
    }),

  talk: (text, key, size) => {
    const turns = range(size).flatMap((number) => [`user: ${text}`, `agent: ${questionText(key, number)}`]);
    const remembered = `agent: Remembered ${2 * size + 1} messages of ${key}`;
    const texts = range(size + 1).map(() => text);
    return completed(texts, { artifacts: {}, history: [...turns, `user: ${text}`, remembered] });
  },

  files: (text, key, size) =>
    completed([text], {
      artifacts: {
        Draft: JSON.stringify({ key, chapters: size }),
        Book: range(size)
          .map((chapter) => chapterText(key, chapter))
          .join(''),
      },
      history: [`user: ${text}`, `agent: Wrote ${key}`],
    }),

  steps: (text, key, size) =>
    completed([text], { artifacts: {}, history: [`user: ${text}`, `agent: Did ${size} steps of ${key}`] }),

  wait: (text) => ({
    texts: [text],
    expected: { state: 'TASK_STATE_CANCELED', artifacts: {}, history: [`user: ${text}`, 'agent: Waiting'] },
  }),
};

function completed(
  texts: readonly string[],
  expected: Omit<Expectation, 'state'>,
): Pick<Scenario, 'texts' | 'expected'> {
  return { texts, expected: { state: 'TASK_STATE_COMPLETED', ...expected } };
}
