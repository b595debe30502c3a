import type { ArtifactOptions, Execute } from '@switchyard/agent';
import type { z } from 'zod';
import { type ChatOptions, chatMessages } from './chat-messages.ts';
import { completeWithTools } from './complete-with-tools.ts';
import { asArtifact, asMessage, asValue, type DeliveryKind, type StructuredAnswer } from './delivery.ts';
import { Model, type ModelSettings } from './model.ts';
import { type Tools, toolDefinitions } from './tools.ts';

/** How the answer is delivered. Default: as the message that completes the task. */
type AnswerForm<Value> =
  | {
      /** The answer is streamed into this artifact; then the task is completed. */
      readonly artifact?: ArtifactOptions;
      readonly structured?: never;
    }
  | { readonly structured: StructuredAnswer<Value>; readonly artifact?: never };

interface ToolOptions<Shapes extends Readonly<Record<string, z.ZodType>>> {
  /** Tools that the model may use before it answers. Default: none. */
  readonly tools?: Tools<Shapes>;
  /** Rounds of tool calls in a turn before the model must answer. Default: 8. */
  readonly maxToolRounds?: number;
}

export type OpenAiSettings<
  Value,
  Shapes extends Readonly<Record<string, z.ZodType>> = Readonly<Record<string, z.ZodType>>,
> = ModelSettings & ChatOptions & AnswerForm<Value> & ToolOptions<Shapes>;

/**
 * An executor that answers every turn with a model, over an OpenAI-compatible chat endpoint. The model gets the whole
 * conversation.
 *
 * A rate limit lets all requests to the model wait, over all workers (docs/pace.md). Timeouts, lost connections, server
 * errors and answers that do not match the schema are retried by the queue, honouring Retry-After; other errors fail the
 * task with a message for the client. A retried turn does not run its tools again.
 * @throws {Error} a schema cannot be expressed in the model's strict JSON Schema
 */
export function openAiExecutor<
  Value = never,
  Shapes extends Readonly<Record<string, z.ZodType>> = Readonly<Record<string, z.ZodType>>,
>(settings: OpenAiSettings<Value, Shapes>): Execute {
  const model = new Model(settings);
  const kind = kindOf(settings);
  const { maxToolRounds = 8 } = settings;
  const tools = { ...settings.tools };
  toolDefinitions(tools);
  return async (turn) => {
    await turn.working();
    const { publish, end } = kind.begin(turn);
    const { format, check } = kind;
    const messages = chatMessages(turn, settings);
    return end(await completeWithTools(turn, { model, messages, format, tools, maxToolRounds, check, publish }));
  };
}

function kindOf<Value>({ artifact, structured }: AnswerForm<Value>): DeliveryKind {
  if (artifact) return asArtifact(artifact);
  return structured ? asValue(structured) : asMessage;
}
