import { AsyncLocalStorage } from 'node:async_hooks';
import { checkBudget, noteModelCall, type Room, waitForRoom } from '@switchyard/agent';
import { waitIn } from '@switchyard/agent/models';

/** Handlers of LangChain's callbacks: for `callbacks` of a graph, a chain or a model. */
export interface ModelCallbacks {
  readonly name: string;
  /** Errors, such as a spent budget, end the run. */
  readonly raiseError: true;
  readonly awaitHandlers: true;
  handleChatModelStart(model: unknown, messages: unknown, runId: string, ...more: readonly unknown[]): Promise<void>;
  handleLLMStart(model: unknown, prompts: unknown, runId: string, ...more: readonly unknown[]): Promise<void>;
  handleLLMEnd(output: unknown, runId: string): Promise<void>;
  handleLLMError(error: unknown, runId: string): Promise<void>;
}

interface ModelRun {
  readonly model: string;
  readonly begun: number;
  readonly room: Room | undefined;
}

/** Fields of LangChain's messages, and of an answer's first one. */
interface Said {
  readonly usage_metadata?: {
    readonly input_tokens?: number;
    readonly output_tokens?: number;
    readonly input_token_details?: { readonly cache_read?: number };
    readonly output_token_details?: { readonly reasoning?: number };
  };
  readonly response_metadata?: Readonly<Record<string, unknown>>;
}

/** What is taken for an answer, in tokens, before its provider says it. */
const ANSWER_TOKENS = 500;
/** A pause after a refusal that does not say how long. */
const PAUSE_MS = 5_000;

/**
 * Counts what the models of a run use as usage of the turn, and lets each request wait for its pace and its budget. Make
 * it in the turn. `graphExecutor` does so itself; for a chain or a model of your own:
 *
 *     const callbacks = [modelCallbacks()];
 *     const config = { signal: turn.signal, callbacks };
 */
export function modelCallbacks(): ModelCallbacks {
  const runs = new Map<string, ModelRun>();
  // LangChain may call its handlers outside of the turn's own asynchronous context.
  const inTurn = AsyncLocalStorage.snapshot();
  const start = async (messages: unknown, runId: string, more: readonly unknown[]): Promise<void> => {
    const { model, provider } = namesIn(more);
    const tokens = Math.ceil(JSON.stringify(messages).length / 4) + ANSWER_TOKENS;
    const room = await waitForRoom({ name: `${provider}/${model}`, tokens });
    await checkBudget().catch(async (error) => {
      await room?.used(0);
      throw error;
    });
    runs.set(runId, { model, begun: performance.now(), room });
  };
  const end = async (runId: string, said: Said | undefined, error?: unknown): Promise<void> => {
    const run = runs.get(runId);
    if (!run) return;
    runs.delete(runId);
    const { usage_metadata: usage, response_metadata: metadata } = said ?? {};
    noteModelCall({
      model: textOf(metadata?.model_name) ?? textOf(metadata?.model) ?? run.model,
      durationMs: performance.now() - run.begun,
      inputTokens: usage?.input_tokens,
      outputTokens: usage?.output_tokens,
      cachedTokens: usage?.input_token_details?.cache_read,
      reasoningTokens: usage?.output_token_details?.reasoning,
      finishReason: textOf(metadata?.finish_reason) ?? textOf(metadata?.stop_reason),
      error,
    });
    if (usage?.input_tokens !== undefined) await run.room?.used(usage.input_tokens + (usage.output_tokens ?? 0));
    const { status, waitMs = PAUSE_MS } = refusalIn(error);
    if (status === 429) await Promise.all([run.room?.used(0), run.room?.slowDown(waitMs)]);
  };
  return {
    name: 'switchyard',
    raiseError: true,
    awaitHandlers: true,
    handleChatModelStart: (_, messages, runId, ...more) => inTurn(() => start(messages, runId, more)),
    handleLLMStart: (_, prompts, runId, ...more) => inTurn(() => start(prompts, runId, more)),
    handleLLMEnd: (output, runId) => inTurn(() => end(runId, answerIn(output))),
    handleLLMError: (error, runId) => inTurn(() => end(runId, undefined, error)),
  };
}

/** The status of a provider's error, and how long it asks to wait. */
export function refusalIn(error: unknown): { readonly status?: number; readonly waitMs?: number | undefined } {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return {};
  const headers = 'headers' in error && error.headers instanceof Headers ? error.headers : undefined;
  return { status: error.status, waitMs: headers && waitIn(headers) };
}

/** @param more what follows the run's id: its parent, parameters, tags and metadata */
function namesIn(more: readonly unknown[]): { readonly model: string; readonly provider: string } {
  const { ls_model_name: model, ls_provider: provider } = fieldsOf(more[3]);
  const parameters = fieldsOf(fieldsOf(more[1]).invocation_params);
  return { model: textOf(model) ?? textOf(parameters.model) ?? 'unknown', provider: textOf(provider) ?? 'langchain' };
}

function answerIn(output: unknown): Said {
  const { generations } = fieldsOf(output);
  const [first] = Array.isArray(generations) ? generations.flat() : [];
  return fieldsOf(fieldsOf(first).message);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value ? value : undefined;
}
