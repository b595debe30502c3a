import { AskedModel, type ModelRequest, type OpenCall, wholeAnswer } from '@switchyard/agent/models';
import { type SettingCheck, settingCheck } from '@switchyard/agent/runtime';
import { openClientSpan } from '@switchyard/outgoing';
import type OpenAI from 'openai';
import { APIError } from 'openai';
import type {
  ChatCompletionCreateParams,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { AnswerBuilder, type OpenAiAnswer } from './answer.ts';
import { type ModelConnection, openClient } from './connection.ts';
import { problemOf } from './model-problem.ts';
import { done, readCompletion, said } from './read-completion.ts';

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

const { any, httpUrl, listOf, object, required, text } = settingCheck;

/** For `checkSettings`. `timeoutMs` is checked with the model. */
export const modelChecks = {
  model: required(text),
  baseURL: httpUrl,
  apiKey: text,
  timeoutMs: any,
  wholeReasons: listOf(text),
  parameters: object,
} satisfies Record<keyof ModelSettings, SettingCheck>;

type Format = NonNullable<ChatCompletionCreateParams['response_format']>;

/** A request to the model. */
interface Question extends ModelRequest {
  readonly messages: readonly ChatCompletionMessageParam[];
  /** The form of the answer. Default: any text. */
  readonly format?: Format | undefined;
  /** Tools that the model may use before it answers. */
  readonly tools?: readonly ChatCompletionFunctionTool[];
  /** The model must answer without a tool. */
  readonly mustAnswer?: boolean;
}

interface StreamableQuestion extends Question {
  readonly stream: boolean;
}

/** A chat model. Its answers throw as `AskedModel.ask` does. */
export class Model {
  readonly #client: OpenAI;
  readonly #settings: ModelSettings;
  readonly #asked: AskedModel<StreamableQuestion, OpenAiAnswer>;
  /** Whether the server may be asked to say the usage of a stream. */
  #saysUsage = true;

  /** @throws {TypeError} `timeoutMs` is longer than a timer */
  constructor(settings: ModelSettings) {
    this.#client = openClient(settings);
    this.#settings = settings;
    this.#asked = new AskedModel({
      model: settings.model,
      provider: 'openai',
      host: `${URL.parse(this.#client.baseURL)?.host}`,
      apiKey: settings.apiKey,
      timeoutMs: settings.timeoutMs,
      openSpan: openClientSpan,
      send: (question, call) => this.#answer(question, call),
      problemOf,
    });
  }

  /** Streams the answer. @returns the whole answer */
  stream(question: Question): AsyncGenerator<string, OpenAiAnswer, undefined> {
    return this.#asked.ask({ ...question, stream: true });
  }

  /** The answer in one piece: not every server can stream structured answers. */
  async *whole(question: Question): AsyncGenerator<string, OpenAiAnswer, undefined> {
    const answer = await wholeAnswer(this.#asked.ask({ ...question, stream: false }));
    if (answer.text) yield answer.text;
    return answer;
  }

  async *#answer(question: StreamableQuestion, call: OpenCall): AsyncGenerator<string, AnswerBuilder, undefined> {
    const answer = new AnswerBuilder(this.#settings.wholeReasons);
    const response = await this.#send(question, call);
    call.answered(response.headers);
    for await (const completion of readCompletion(response)) {
      if (completion === done) {
        call.received();
        yield* textOf(answer.end(true));
      } else {
        call.received(said(completion));
        // A server may send a chunk without choices, such as the usage.
        yield* textOf(answer.add(completion.choices?.[0] ?? {}));
      }
    }
    yield* textOf(answer.end(false));
    return answer;
  }

  /** A server that does not know the option to say the usage of a stream is asked without it, from then on. */
  async #send(question: StreamableQuestion, { signal, headers }: OpenCall): Promise<Response> {
    const { completions } = this.#client.chat;
    const { stream } = question;
    const [request, options] = [this.#request(question), { signal, headers }];
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
}

function refusesUsage(error: unknown): boolean {
  if (!(error instanceof APIError) || !error.status || error.status >= 500) return false;
  return /stream_options|include_usage/.test(`${error.message} ${error.param}`);
}

function* textOf(text: string): Generator<string> {
  if (text) yield text;
}
