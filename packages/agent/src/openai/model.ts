import type OpenAI from 'openai';
import type { ChatCompletionCreateParams, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { Silence } from '../silence.ts';
import { AgentError, RetryableError } from '../turn-errors.ts';
import { type ModelConnection, openClient } from './connection.ts';
import { modelError } from './model-error.ts';

export interface ModelSettings extends ModelConnection {
  readonly model: string;
  /** Longest silence of the model in milliseconds, before the first word and between two; default 120,000. Then the turn is retried. */
  readonly timeoutMs?: number;
  /** Handed on with every request, for example `{ temperature: 0 }`. */
  readonly parameters?: ModelParameters;
}

export type ModelParameters = Omit<
  Partial<ChatCompletionCreateParams>,
  'model' | 'messages' | 'stream' | 'response_format' | 'n'
>;

/** One question to the model. */
export interface Question {
  readonly messages: ChatCompletionMessageParam[];
  readonly signal: AbortSignal;
}

type Format = NonNullable<ChatCompletionCreateParams['response_format']>;

/** How an answer ended. */
interface Ending {
  readonly reason?: OpenAI.ChatCompletion.Choice['finish_reason'] | undefined;
  readonly refusal?: string | null | undefined;
}

/**
 * A chat model. Both methods throw the reason of the signal when it is aborted, `RetryableError` for what may pass, and
 * `AgentError` for what will not.
 */
export class Model {
  readonly #client: OpenAI;
  readonly #settings: ModelSettings;

  constructor(settings: ModelSettings) {
    this.#client = openClient(settings);
    this.#settings = settings;
  }

  /** The answer, piece by piece as it comes. */
  async *stream({ messages, signal }: Question): AsyncGenerator<string, void, undefined> {
    using silence = new Silence(signal, this.#timeoutMs);
    let ending: Ending = {};
    try {
      const request = { ...this.#request(messages), stream: true } as const;
      const chunks = await this.#client.chat.completions.create(request, { signal: silence.signal });
      for await (const { choices } of chunks) {
        silence.end();
        const [choice] = choices;
        if (!choice) continue;
        const { content, refusal } = choice.delta;
        ending = { reason: choice.finish_reason ?? ending.reason, refusal: (ending.refusal ?? '') + (refusal ?? '') };
        if (content) yield content;
      }
      // The client ends an aborted stream without a word.
      silence.signal.throwIfAborted();
    } catch (error) {
      throw this.#translate(error, signal, silence);
    }
    check(ending);
  }

  /** The whole answer, in a format. */
  async answer({ messages, signal }: Question, format: Format): Promise<string> {
    using silence = new Silence(signal, this.#timeoutMs);
    try {
      const request = { ...this.#request(messages), response_format: format };
      const completion = await this.#client.chat.completions.create(request, { signal: silence.signal });
      // A server that answers something else with status 200 gets no further than here.
      const choice = completion.choices?.[0];
      check({ reason: choice?.finish_reason, refusal: choice?.message.refusal });
      return choice?.message.content ?? '';
    } catch (error) {
      throw this.#translate(error, signal, silence);
    }
  }

  get #timeoutMs(): number {
    return this.#settings.timeoutMs ?? 120_000;
  }

  #request(messages: ChatCompletionMessageParam[]) {
    return { ...this.#settings.parameters, model: this.#settings.model, messages };
  }

  #translate(error: unknown, signal: AbortSignal, { isTooLong }: Silence): unknown {
    if (signal.aborted) return signal.reason;
    if (isTooLong) return new RetryableError('The model did not answer in time.');
    return modelError(error, this.#settings.apiKey);
  }
}

/** @throws when the answer is not a whole one */
function check({ reason, refusal }: Ending): void {
  if (refusal) throw new AgentError(`The model declined: ${refusal}`);
  if (reason === 'length') throw new AgentError('The answer of the model was cut off at its length limit.');
  if (reason === 'content_filter') throw new AgentError('The answer of the model was withheld by its content filter.');
  if (!reason) throw new RetryableError('The answer of the model broke off.');
}
