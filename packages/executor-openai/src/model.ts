import { checkBudget, IdleTimeout, RetryableError, timesOf } from '@switchyard/agent';
import type OpenAI from 'openai';
import { APIError } from 'openai';
import type {
  ChatCompletionCreateParams,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { type Answer, AnswerBuilder } from './answer.ts';
import { ChatSpan } from './chat-span.ts';
import { type ModelConnection, openClient } from './connection.ts';
import { modelError } from './model-error.ts';
import { ModelPace } from './model-pace.ts';
import { done, readCompletion } from './read-completion.ts';

export interface ModelSettings extends ModelConnection {
  readonly model: string;
  /**
   * Longest time without data from the model, in milliseconds; default 120,000. Then the turn is retried. Node's fetch
   * waits for 300,000 at most.
   */
  readonly timeoutMs?: number;
  /**
   * Finish reasons of the server that end a whole answer, besides `stop` and those that other known servers use. An
   * answer with an unknown reason is retried.
   */
  readonly wholeReasons?: readonly string[];
  /** Sent with every request, for example `{ temperature: 0 }`. */
  readonly parameters?: ModelParameters;
}

export type ModelParameters = Omit<
  Partial<ChatCompletionCreateParams>,
  'model' | 'messages' | 'stream' | 'response_format' | 'n' | 'tools' | 'functions' | 'function_call'
>;

export type Format = NonNullable<ChatCompletionCreateParams['response_format']>;

/** A request to the model. */
export interface Question {
  readonly messages: readonly ChatCompletionMessageParam[];
  readonly signal: AbortSignal;
  /** The form of the answer. Default: any text. */
  readonly format?: Format | undefined;
  /** Tools that the model may use before it answers. */
  readonly tools?: readonly ChatCompletionFunctionTool[];
  /** The model must answer without a tool. */
  readonly mustAnswer?: boolean;
}

/**
 * A chat model. Both methods throw the reason of an aborted signal, `RetryableError` for temporary errors, and
 * `AgentError` for others.
 */
export class Model {
  readonly #client: OpenAI;
  readonly #settings: ModelSettings;
  readonly #timeoutMs: number;
  readonly #pace: ModelPace;
  /** Whether the server may be asked to say the usage of a stream. */
  #saysUsage = true;

  /** @throws {TypeError} `timeoutMs` is longer than a timer */
  constructor(settings: ModelSettings) {
    this.#timeoutMs = timesOf(settings, { timeoutMs: 120_000 }).timeoutMs;
    this.#client = openClient(settings);
    this.#settings = settings;
    this.#pace = new ModelPace(settings, this.#client.baseURL);
  }

  /** Streams the answer. @returns the whole answer */
  stream(question: Question): AsyncGenerator<string, Answer, undefined> {
    return this.#ask(question, true);
  }

  /** The whole answer at once: not every server can stream structured answers. */
  async answer(question: Question): Promise<Answer> {
    const asked = this.#ask(question, false);
    for (;;) {
      const { done: isDone, value } = await asked.next();
      if (isDone) return value;
    }
  }

  /** A request that its provider refuses because it has too much to do is sent again when there is room. */
  async *#ask(question: Question, stream: boolean): AsyncGenerator<string, Answer, undefined> {
    for (let tries = 0; ; tries++) {
      const answer = yield* this.#askOnce(question, stream, tries);
      if (answer) return answer;
    }
  }

  async *#askOnce(
    question: Question,
    stream: boolean,
    tries: number,
  ): AsyncGenerator<string, Answer | undefined, undefined> {
    const room = await this.#pace.enter(question);
    await checkBudget().catch(async (error) => {
      await room?.used(0);
      throw error;
    });
    using idle = new IdleTimeout(question.signal, this.#timeoutMs);
    using span = new ChatSpan(this.#settings.model, this.#client.baseURL);
    const answer = new AnswerBuilder(this.#settings.wholeReasons);
    let hasBegun = false;
    try {
      const options = { signal: idle.signal, headers: span.headers };
      const response = await this.#send(question, stream, options);
      this.#pace.answered(response.headers, room);
      for await (const completion of readCompletion(response)) {
        hasBegun = true;
        idle.restart();
        if (completion === done) yield* textOf(answer.end(true));
        else {
          span.answered(completion);
          // A server may send a chunk without choices, such as the usage.
          yield* textOf(answer.add(completion.choices?.[0] ?? {}));
        }
      }
      yield* textOf(answer.end(false));
    } catch (error) {
      span.failed(error);
      const isInterrupted = hasBegun || idle.signal.aborted;
      if (!isInterrupted && (await this.#pace.slowsDown(error, room, tries))) return undefined;
      throw this.#translate(error, question.signal, idle);
    } finally {
      this.#pace.used(span.tokens, room);
    }
    return answer.build();
  }

  /** A server that does not know the option to say the usage of a stream is asked without it, from then on. */
  async #send(question: Question, stream: boolean, options: RequestOptions): Promise<Response> {
    const { completions } = this.#client.chat;
    const request = this.#request(question);
    if (!stream) return completions.create(request, options).asResponse();
    const usage = { stream_options: { ...request.stream_options, include_usage: true } };
    const saysUsage = this.#saysUsage;
    try {
      return await completions.create({ ...request, stream, ...(saysUsage && usage) }, options).asResponse();
    } catch (error) {
      if (!saysUsage || !refusesUsage(error)) throw error;
      this.#saysUsage = false;
      return completions.create({ ...request, stream }, options).asResponse();
    }
  }

  #request({ messages, format, tools = [], mustAnswer = false }: Question) {
    return {
      ...this.#settings.parameters,
      model: this.#settings.model,
      messages: [...messages],
      ...(format && { response_format: format }),
      ...(tools.length > 0 && { tools: [...tools] }),
      ...(mustAnswer && { tool_choice: 'none' as const }),
    };
  }

  #translate(error: unknown, signal: AbortSignal, { isExpired }: IdleTimeout): unknown {
    if (signal.aborted) return signal.reason;
    if (isExpired) return new RetryableError('The model did not answer in time.');
    return modelError(error, this.#settings.apiKey);
  }
}

type RequestOptions = { readonly signal: AbortSignal; readonly headers: Record<string, string> };

function refusesUsage(error: unknown): boolean {
  if (!(error instanceof APIError) || !error.status || error.status >= 500) return false;
  return /stream_options|include_usage/.test(`${error.message} ${error.param}`);
}

function* textOf(text: string): Generator<string> {
  if (text) yield text;
}
