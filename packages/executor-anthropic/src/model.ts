import { APIError } from '@anthropic-ai/sdk';
import type {
  MessageCreateParamsStreaming,
  MessageParam,
  RawMessageStreamEvent,
  ToolUnion,
} from '@anthropic-ai/sdk/resources/messages';
import { Stream } from '@anthropic-ai/sdk/streaming';
import { AskedModel, type ModelRequest, type OpenCall } from '@switchyard/agent/models';
import { type SettingCheck, settingCheck } from '@switchyard/agent/runtime';
import { openClientSpan } from '@switchyard/outgoing';
import { AnswerBuilder, type AnthropicAnswer } from './answer.ts';
import { type ModelConnection, type ModelSource, openClient } from './connection.ts';
import { problemOf } from './model-problem.ts';
import { UsedTokens } from './used-tokens.ts';

export interface ModelSettings extends ModelConnection {
  readonly model: string;
  /**
   * Longest time without data from the model, in milliseconds; default 120,000. Then the turn is retried. The API sends
   * a ping every few seconds while the model thinks.
   */
  readonly timeoutMs?: number;
  /**
   * Sent with every request, for example `{ thinking: { type: 'adaptive' } }`. `max_tokens` is 16,000 by default; in
   * `tools` are those that Anthropic runs, such as its search of the web.
   */
  readonly parameters?: ModelParameters;
}

export type ModelParameters = Omit<
  Partial<MessageCreateParamsStreaming>,
  'model' | 'messages' | 'stream' | 'system' | 'tool_choice'
>;

const { any, httpUrl, object, required, text, that } = settingCheck;

/** For `checkSettings`. `timeoutMs` is checked with the model. */
export const modelChecks = {
  model: required(text),
  baseURL: httpUrl,
  apiKey: text,
  client: that(
    (value) => typeof Object(Object(value).messages).create === 'function',
    "must be a client of Anthropic's SDK",
  ),
  timeoutMs: any,
  parameters: object,
} satisfies Record<keyof ModelSettings, SettingCheck>;

/** Default of `max_tokens`, which the API demands. */
const MAX_TOKENS = 16_000;
/** Longest timer: the limit is `timeoutMs`. */
const NO_LIMIT_MS = 2 ** 31 - 1;

interface Question extends ModelRequest {
  readonly system?: string | undefined;
  readonly messages: readonly MessageParam[];
  /** JSON Schema of the answer. Default: any text. */
  readonly format?: Readonly<Record<string, unknown>> | undefined;
  readonly tools?: readonly ToolUnion[];
  /** The model must answer without a tool. */
  readonly mustAnswer?: boolean;
}

/** A model with Anthropic's Messages API. Its answers throw as `AskedModel.ask` does. */
export class Model {
  readonly #client: ModelSource;
  readonly #settings: ModelSettings;
  readonly #asked: AskedModel<Question, AnthropicAnswer>;

  /** @throws {TypeError} `timeoutMs` is longer than a timer */
  constructor(settings: ModelSettings) {
    this.#client = settings.client ?? openClient(settings);
    this.#settings = settings;
    const { apiKey, baseURL } = this.#client;
    this.#asked = new AskedModel({
      model: settings.model,
      provider: 'anthropic',
      host: `${URL.parse(baseURL)?.host}`,
      apiKey: typeof apiKey === 'string' ? apiKey : undefined,
      timeoutMs: settings.timeoutMs,
      openSpan: openClientSpan,
      send: (question, call) => this.#answer(question, call),
      problemOf,
    });
  }

  /** Streams the answer. @returns the whole answer */
  ask(question: Question): AsyncGenerator<string, AnthropicAnswer, undefined> {
    return this.#asked.ask(question);
  }

  async *#answer(question: Question, call: OpenCall): AsyncGenerator<string, AnswerBuilder, undefined> {
    const [answer, used] = [new AnswerBuilder(), new UsedTokens()];
    const { signal, headers } = call;
    const options = { signal, headers, maxRetries: 0, timeout: NO_LIMIT_MS };
    const response = await this.#client.messages.create(this.#request(question), options).asResponse();
    call.answered(response.headers);
    for await (const event of eventsOf(response)) {
      call.received(event === 'ping' ? undefined : used.add(event));
      const text = event === 'ping' ? '' : answer.add(event);
      if (text) yield text;
    }
    // The SDK ends an aborted stream without an error.
    signal.throwIfAborted();
    return answer;
  }

  #request({ system, messages, format, tools = [], mustAnswer }: Question): MessageCreateParamsStreaming {
    const { parameters, model } = this.#settings;
    const all = [...(parameters?.tools ?? []), ...tools];
    return {
      max_tokens: MAX_TOKENS,
      ...parameters,
      model,
      messages: [...messages],
      stream: true,
      ...(system !== undefined && { system }),
      ...(format && {
        output_config: { ...parameters?.output_config, format: { type: 'json_schema', schema: format } },
      }),
      ...(all.length > 0 && { tools: all }),
      ...(mustAnswer && { tool_choice: { type: 'none' as const } }),
    };
  }
}

/** The events of a stream: pings too, which the SDK's own iterator leaves out. */
async function* eventsOf(response: Response): AsyncGenerator<RawMessageStreamEvent | 'ping', undefined, undefined> {
  for await (const { event, data } of Stream.rawEvents(response)) {
    if (event === 'ping') yield 'ping';
    else if (event === 'error') throw errorIn(data, response.headers);
    else if (event && data) yield JSON.parse(data);
  }
}

/** An error in the middle of a stream. */
function errorIn(data: string, headers: Headers): APIError {
  const body: { error?: { type?: never } } | null = data.startsWith('{') ? JSON.parse(data) : null;
  return new APIError(undefined, body ?? { message: data }, undefined, headers, body?.error?.type);
}
