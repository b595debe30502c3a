import { AskedModel, type ModelRequest, type OpenCall } from '@switchyard/agent/models';
import { type SettingCheck, settingCheck } from '@switchyard/agent/runtime';
import { openClientSpan } from '@switchyard/outgoing';
import {
  isStepCount,
  jsonSchema,
  type LanguageModel,
  type LanguageModelCallOptions,
  type ModelMessage,
  Output,
  streamText,
  type TextStreamPart,
  type ToolSet,
} from 'ai';
import { type AiAnswer, AnswerBuilder, finishReasonOf } from './answer.ts';
import { problemOf, StreamError } from './model-problem.ts';

export interface ModelSettings {
  /** A model of any provider, such as `openai('gpt-5')` of `@ai-sdk/openai`. */
  readonly model: LanguageModel;
  /**
   * Names the provider in `MODEL_LIMITS`, before `/` and the model, and in traces. Default: the provider's name, for
   * example `openai`.
   */
  readonly provider?: string;
  /** The provider's key, if there are several: each has limits for itself. It is left out of errors. */
  readonly apiKey?: string;
  /**
   * Longest time without data from the model, in milliseconds; default 120,000. Then the turn is retried. Node's fetch,
   * which providers use by default, waits for 300,000 at most.
   */
  readonly timeoutMs?: number;
  /**
   * Finish reasons of the provider that end a whole answer, where the SDK knows them as `other`. An answer with an
   * unknown reason is retried.
   */
  readonly wholeReasons?: readonly string[];
  /** Sent with every request, for example `{ temperature: 0, providerOptions: { openai: { … } } }`. */
  readonly parameters?: ModelParameters;
}

const { any, listOf, object, required, text, that } = settingCheck;

function isModel(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  const { provider, modelId } = Object(value);
  return typeof provider === 'string' && typeof modelId === 'string';
}

/** For `checkSettings`. `timeoutMs` is checked with the model. */
export const modelChecks = {
  model: required(that(isModel, "must be a model of a provider's package for the AI SDK, or the name of one")),
  provider: text,
  apiKey: text,
  timeoutMs: any,
  wholeReasons: listOf(text),
  parameters: object,
} satisfies Record<keyof ModelSettings, SettingCheck>;

export type ModelParameters = LanguageModelCallOptions &
  Pick<Parameters<typeof streamText>[0], 'providerOptions'> & {
    /** Tools that the provider runs, such as `openai.tools.webSearch()`. */
    readonly tools?: ToolSet;
  };

interface Question extends ModelRequest {
  readonly system?: string | undefined;
  readonly messages: readonly ModelMessage[];
  /** Name and JSON Schema of the answer. Default: any text. */
  readonly format?: { readonly name: string; readonly schema: object } | undefined;
  readonly toolSet?: ToolSet;
  /** The model must answer without a tool. */
  readonly mustAnswer?: boolean;
}

/** A model of the Vercel AI SDK. Its answers throw as `AskedModel.ask` does. */
export class Model {
  readonly #settings: ModelSettings;
  readonly #asked: AskedModel<Question, AiAnswer>;

  /** @throws {TypeError} `timeoutMs` is longer than a timer */
  constructor(settings: ModelSettings) {
    this.#settings = settings;
    const { model } = settings;
    // A name alone is a model of the SDK's default provider, the AI Gateway.
    const { provider, modelId } = typeof model === 'string' ? { provider: 'gateway', modelId: model } : model;
    const name = settings.provider ?? provider.split('.', 1)[0] ?? provider;
    this.#asked = new AskedModel({
      model: modelId,
      provider: name,
      host: name,
      apiKey: settings.apiKey,
      timeoutMs: settings.timeoutMs,
      openSpan: openClientSpan,
      send: (question, call) => this.#answer(question, call),
      problemOf,
    });
  }

  /** Streams the answer. @returns the whole answer */
  ask(question: Omit<Question, 'tools'>): AsyncGenerator<string, AiAnswer, undefined> {
    return this.#asked.ask({ ...question, tools: Object.values(question.toolSet ?? {}) });
  }

  async *#answer(question: Question, call: OpenCall): AsyncGenerator<string, AnswerBuilder, undefined> {
    const answer = new AnswerBuilder(this.#settings.wholeReasons);
    const result = streamText(this.#request(question, call));
    for await (const part of result.stream) {
      if (part.type === 'error') throw call.hasBegun ? new StreamError(part.error) : part.error;
      // The first part comes before the request.
      if (part.type !== 'start') note(part, call);
      const text = answer.add(part);
      if (text) yield text;
    }
    // The SDK ends an aborted stream without an error.
    call.signal.throwIfAborted();
    const messages = await result.responseMessages;
    return answer.end(messages.filter((message) => message.role === 'assistant'));
  }

  #request({ system, messages, format, toolSet, mustAnswer }: Question, { signal, headers }: OpenCall) {
    const { model, parameters } = this.#settings;
    const tools = { ...parameters?.tools, ...toolSet };
    return {
      ...parameters,
      model,
      messages: [...messages],
      tools,
      headers,
      abortSignal: signal,
      // Each round, and each retry, is the executor's: paced, counted and remembered.
      maxRetries: 0,
      stopWhen: isStepCount(1),
      onError: () => undefined,
      ...(system !== undefined && { instructions: system }),
      ...(mustAnswer && { toolChoice: 'none' as const }),
      ...(format && { output: Output.object({ name: format.name, schema: jsonSchema(format.schema) }) }),
    };
  }
}

/** Tells the call what a part of the stream says: usage and headers come with its end. */
function note(part: TextStreamPart<ToolSet>, call: OpenCall): void {
  if (part.type !== 'finish-step') {
    call.received({});
    return;
  }
  const { usage, response } = part;
  call.received({
    id: response.id,
    model: response.modelId,
    finishReason: finishReasonOf(part),
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cachedTokens: usage.inputTokenDetails.cacheReadTokens,
    reasoningTokens: usage.outputTokenDetails.reasoningTokens,
  });
  if (response.headers) call.answered(new Headers(response.headers));
}
