import { AsyncLocalStorage } from 'node:async_hooks';
import { noteModelCall, type Room } from '@switchyard/agent';
import { ModelPace, type ModelProblem } from '@switchyard/agent/models';

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
  readonly pace: ModelPace;
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

/** Of each model by its name: it learns how long the answers are. */
const paces = new Map<string, ModelPace>();

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
    const { model, host, tools } = requestOf(more);
    const pace = paces.get(`${host}/${model}`) ?? new ModelPace({ model, host });
    paces.set(`${host}/${model}`, pace);
    const room = await pace.enter({ messages: [messages], tools });
    runs.set(runId, { model, begun: performance.now(), pace, room });
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
    if (usage?.input_tokens !== undefined)
      run.pace.used({ input: usage.input_tokens, output: usage.output_tokens ?? 0 }, run.room);
    await run.pace.slowsDown(problemOf(error), run.room, 0);
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

/** What an error of a provider says, which chat models pass on; undefined: it is none. */
export function problemOf(error: unknown): ModelProblem | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  return {
    kind: 'refused',
    status: error.status,
    codes: 'code' in error ? [textOf(error.code)] : [],
    headers: 'headers' in error && error.headers instanceof Headers ? error.headers : undefined,
  };
}

/** @param more what follows the run's id: its parent, parameters, tags and metadata */
function requestOf(more: readonly unknown[]) {
  const { ls_model_name: model, ls_provider: provider } = fieldsOf(more[3]);
  const { model: asked, tools } = fieldsOf(fieldsOf(more[1]).invocation_params);
  return {
    model: textOf(model) ?? textOf(asked) ?? 'unknown',
    host: textOf(provider) ?? 'langchain',
    tools: Array.isArray(tools) ? tools : undefined,
  };
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
