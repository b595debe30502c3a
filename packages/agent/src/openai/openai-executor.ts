import { zodResponseFormat } from 'openai/helpers/zod';
import type { z } from 'zod';
import type { Execute } from '../agent.ts';
import type { ArtifactOptions } from '../artifact-writer.ts';
import type { Outcome } from '../outcome.ts';
import type { Turn } from '../turn.ts';
import { RetryableError } from '../turn-errors.ts';
import { type ChatOptions, chatMessages } from './chat-messages.ts';
import { Model, type ModelSettings } from './model.ts';

/** An answer with a form: the model gets the schema, the agent gets the value. */
export interface StructuredAnswer<Value> {
  /** Name of the schema for the model: letters, digits, `_` and `-`. */
  readonly name: string;
  readonly schema: z.ZodType<Value>;
  /** What the answer means for the task. */
  readonly toOutcome: (value: Value, turn: Turn) => Promise<Outcome>;
}

/** What becomes of the answer. Default: the task is completed with it as its message. */
type AnswerForm<Value> =
  | {
      /** The answer is streamed into this artifact; then the task is completed. */
      readonly artifact?: ArtifactOptions;
      readonly structured?: never;
    }
  | { readonly structured: StructuredAnswer<Value>; readonly artifact?: never };

export type OpenAiSettings<Value> = ModelSettings & ChatOptions & AnswerForm<Value>;

/**
 * An executor that has every turn answered by a model with an OpenAI-compatible chat endpoint. The whole conversation goes to the model.
 *
 * Rate limits, timeouts, lost connections, server errors and answers without the agreed form are retried by the queue, honouring
 * Retry-After; what cannot be mended by trying again fails the task with a text that says so.
 * @throws {Error} when the schema cannot be expressed in the model's strict JSON Schema
 */
export function openAiExecutor<Value = never>(settings: OpenAiSettings<Value>): Execute {
  const model = new Model(settings);
  const answer = answerOf(model, settings);
  return async (turn) => {
    await turn.working();
    return answer(turn);
  };
}

function answerOf<Value>(model: Model, settings: OpenAiSettings<Value>): Execute {
  const ask = (turn: Turn) => ({ messages: chatMessages(turn, settings), signal: turn.signal });
  const { artifact, structured } = settings;
  if (artifact) return (turn) => answerInArtifact(turn, artifact, model.stream(ask(turn)));
  if (!structured) return (turn) => answerInMessage(turn, model.stream(ask(turn)));
  const format = zodResponseFormat(structured.schema, structured.name);
  return async (turn) => structured.toOutcome(read(structured.schema, await model.answer(ask(turn), format)), turn);
}

async function answerInArtifact(turn: Turn, options: ArtifactOptions, chunks: AsyncIterable<string>): Promise<Outcome> {
  const artifact = turn.artifact(inAcceptedType(turn, options));
  await artifact.pipe(chunks);
  if (!artifact.hasBegun) throw noAnswer();
  await artifact.finish();
  return turn.complete();
}

/** Markdown and the like are plain text too, for a client that takes nothing else (A2A 3.2.2). */
function inAcceptedType(turn: Turn, { mediaType, ...options }: ArtifactOptions): ArtifactOptions {
  if (mediaType === undefined) return options;
  const accepted = [mediaType, 'text/plain'].find((type) => turn.accepts(type));
  return { ...options, mediaType: accepted ?? mediaType };
}

async function answerInMessage(turn: Turn, chunks: AsyncIterable<string>): Promise<Outcome> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  if (!text) throw noAnswer();
  return turn.complete(text);
}

function noAnswer(): RetryableError {
  return new RetryableError('The model gave no answer.');
}

function read<Value>(schema: z.ZodType<Value>, text: string): Value {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new RetryableError('The answer of the model does not have the agreed form.', { cause });
  }
}
