import { IdleTimeout, RetryableError, timesOf } from '@switchyard/agent';
import type OpenAI from 'openai';
import type {
  ChatCompletionCreateParams,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { type Answer, AnswerBuilder } from './answer.ts';
import { ChatSpan } from './chat-span.ts';
import { type ModelConnection, openClient } from './connection.ts';
import { modelError } from './model-error.ts';

export interface ModelSettings extends ModelConnection {
  readonly model: string;
  /**
   * Longest time without data from the model, in milliseconds; default 120,000. Then the turn is retried. Node's fetch
   * waits for 300,000 at most.
   */
  readonly timeoutMs?: number;
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

  /** @throws {TypeError} `timeoutMs` is longer than a timer */
  constructor(settings: ModelSettings) {
    this.#timeoutMs = timesOf(settings, { timeoutMs: 120_000 }).timeoutMs;
    this.#client = openClient(settings);
    this.#settings = settings;
  }

  /** Streams the answer. @returns the whole answer */
  async *stream(question: Question): AsyncGenerator<string, Answer, undefined> {
    using idle = new IdleTimeout(question.signal, this.#timeoutMs);
    using span = this.#span();
    const answer = new AnswerBuilder();
    try {
      const request = { ...this.#request(question), stream: true } as const;
      const options = { signal: idle.signal, headers: span.headers };
      for await (const chunk of await this.#client.chat.completions.create(request, options)) {
        idle.restart();
        span.answered(chunk);
        // A server may send a chunk without choices, such as the usage.
        const choice = chunk.choices?.[0];
        const text = choice ? answer.add(choice) : '';
        if (text) yield text;
      }
      // The client ends an aborted stream without an error.
      idle.signal.throwIfAborted();
    } catch (error) {
      span.failed(error);
      throw this.#translate(error, question.signal, idle);
    }
    return answer.build();
  }

  /** The whole answer at once. */
  async answer(question: Question): Promise<Answer> {
    using idle = new IdleTimeout(question.signal, this.#timeoutMs);
    using span = this.#span();
    const answer = new AnswerBuilder();
    try {
      const options = { signal: idle.signal, headers: span.headers };
      const completion = await this.#client.chat.completions.create(this.#request(question), options);
      span.answered(completion);
      // A server may return another body with status 200.
      const choice = completion.choices?.[0];
      if (choice) answer.addWhole(choice);
    } catch (error) {
      span.failed(error);
      throw this.#translate(error, question.signal, idle);
    }
    return answer.build();
  }

  #span(): ChatSpan {
    return new ChatSpan(this.#settings.model, this.#client.baseURL);
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
