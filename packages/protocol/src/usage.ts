/** What was used of models: whole numbers, those that are 0 are left out. */
export interface UsageAmounts {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Those of the input tokens that the provider had cached. */
  readonly cachedTokens?: number;
  /** Those of the output tokens that were thoughts. */
  readonly reasoningTokens?: number;
  /** Requests to models. */
  readonly calls?: number;
  /** Those of them whose price is not known: `microUsd` is without them. */
  readonly unpricedCalls?: number;
  /** Cost in millionths of a US dollar. */
  readonly microUsd?: number;
}

/** What a task has used: the value of its metadata under `usageUri`. Called tasks have one of their own. */
export interface TaskUsage {
  /** Of the task, and of all tasks below it. */
  readonly total: UsageAmounts;
  /** Of the task itself, by model. */
  readonly own?: readonly (UsageAmounts & { readonly model: string })[];
  /** Of each task that it called, with all tasks below that. */
  readonly calls?: readonly (UsageAmounts & { readonly taskId: string; readonly agent: string })[];
}

/** `12.35 USD`; less than a dollar exactly: `0.0125 USD`. @param microUsd millionths of a US dollar */
export function usdText(microUsd: number): string {
  const usd = microUsd / 1_000_000;
  return `${usd < 1 ? usd.toFixed(6).replace(/0{1,4}$/, '') : usd.toFixed(2)} USD`;
}

/** The names of amounts. */
export const usageAmounts = [
  'inputTokens',
  'outputTokens',
  'cachedTokens',
  'reasoningTokens',
  'calls',
  'unpricedCalls',
  'microUsd',
] as const satisfies readonly (keyof UsageAmounts)[];
