import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema';
import type { ContentBlockParam, MessageParam } from '@anthropic-ai/sdk/resources/messages';
import type { DataSchema, Execute } from '@switchyard/agent';
import {
  type AnyTools,
  type ChatModel,
  type DialogueFile,
  type DialogueMessage,
  type ModelExecutorSettings,
  modelExecutor,
  modelExecutorChecks,
  schemaForModel,
  type ToolShapes,
} from '@switchyard/agent/models';
import { checkSettings } from '@switchyard/agent/runtime';
import type { AnthropicAnswer } from './answer.ts';
import { Model, type ModelSettings, modelChecks } from './model.ts';

export type AnthropicSettings<Value, Shapes extends ToolShapes = ToolShapes> = ModelSettings &
  ModelExecutorSettings<Value, Shapes>;

/**
 * An executor that answers every turn with a model of Anthropic, or of a server with its Messages API. The model gets
 * the whole conversation.
 *
 * A rate limit lets all requests to the model wait, over all workers (docs/pace.md). Timeouts, lost connections, server
 * errors, overload and answers that do not match the schema are retried by the queue, honouring Retry-After; other
 * errors fail the task with a message for the client. A retried turn does not run its tools again.
 *
 *     export default defineAgent({
 *       id: 'librarian',
 *       card: { name: 'Librarian', description: 'Finds books.', version: '1.0.0', skills: [] },
 *       execute: anthropicExecutor({ model: 'claude-sonnet-4-5', apiKey: 'sk-ant-…', system: 'You are a librarian.' }),
 *     });
 *
 * @throws {TypeError} a setting is wrong, or a schema has no form in JSON Schema
 */
export function anthropicExecutor<Value = never, Shapes extends ToolShapes = ToolShapes>(
  settings: AnthropicSettings<Value, Shapes>,
): Execute {
  checkSettings('anthropicExecutor', settings, { ...modelChecks, ...modelExecutorChecks });
  return modelExecutor<Value, Shapes, MessageParam, AnthropicAnswer>(settings, anthropicChat(settings));
}

function anthropicChat<Value, Shapes extends ToolShapes>(
  settings: AnthropicSettings<Value, Shapes>,
): ChatModel<MessageParam, AnthropicAnswer> {
  const model = new Model(settings);
  const { structured, system, parameters } = settings;
  const tools = definitionsOf(settings.tools ?? {});
  const format = structured && formatOf(structured.schema);
  return {
    hasOwnTools: (parameters?.tools ?? []).length > 0,
    begin: messagesOf,
    ask: (question) => model.ask({ ...question, system, tools, format }),
    answerMessages: ({ content = [] }) => [{ role: 'assistant', content: [...content] }],
    resultMessages: (results) => [
      {
        role: 'user',
        content: results.map(({ call, text, isError }) => ({
          type: 'tool_result',
          tool_use_id: call.id,
          content: text,
          ...(isError && { is_error: true }),
        })),
      },
    ],
  };
}

/** The API refuses a conversation that does not begin with the user, and empty texts. */
function messagesOf(dialogue: readonly DialogueMessage[]): MessageParam[] {
  const first = dialogue.findIndex(({ role }) => role === 'user');
  return dialogue.slice(first).map(({ role, text, files }) => {
    const said = text.trim() ? text : '(no text)';
    // The API advises to put files first.
    return { role, content: files.length === 0 ? said : [...files.map(blockOf), { type: 'text', text: said }] };
  });
}

function blockOf({ mediaType, filename, base64: data }: DialogueFile): ContentBlockParam {
  // The API says which types it takes.
  const source = { type: 'base64', media_type: mediaType as never, data } as const;
  if (mediaType.startsWith('image/')) return { type: 'image', source };
  return { type: 'document', source, ...(filename !== undefined && { title: filename }) };
}

function definitionsOf(tools: AnyTools) {
  return Object.entries(tools).map(([name, { description, parameters }]) => ({
    name,
    description,
    input_schema: { type: 'object' as const, ...schemaForModel(parameters, `The tool ${name}`) },
  }));
}

/** @throws {TypeError} it has no form in JSON Schema */
export function formatOf(schema: DataSchema<unknown>): Readonly<Record<string, unknown>> {
  const written = { ...schemaForModel(schema, 'The structured answer'), type: 'object' as const };
  return jsonSchemaOutputFormat(written).schema;
}
