import type { Execute } from '@switchyard/agent';
import {
  type AnyTools,
  type ChatModel,
  type DialogueMessage,
  type ModelExecutorSettings,
  modelExecutor,
  modelExecutorChecks,
  schemaForModel,
  type ToolShapes,
} from '@switchyard/agent/models';
import { checkSettings } from '@switchyard/agent/runtime';
import { jsonSchema, type ModelMessage, type ToolSet, tool } from 'ai';
import type { AiAnswer } from './answer.ts';
import { Model, type ModelSettings, modelChecks } from './model.ts';

export type AiSettings<Value, Shapes extends ToolShapes = ToolShapes> = ModelSettings &
  ModelExecutorSettings<Value, Shapes>;

/**
 * An executor that answers every turn with a model of the Vercel AI SDK, of any provider. The model gets the whole
 * conversation.
 *
 * A rate limit lets all requests to the model wait, over all workers (docs/pace.md). Timeouts, lost connections, server
 * errors and answers that do not match the schema are retried by the queue, honouring Retry-After; other errors fail the
 * task with a message for the client. A retried turn does not run its tools again.
 *
 *     export default defineAgent({
 *       id: 'librarian',
 *       card: { name: 'Librarian', description: 'Finds books.', version: '1.0.0', skills: [] },
 *       execute: aiExecutor({ model: 'openai/gpt-5-mini', system: 'You are a librarian.' }),
 *     });
 *
 * @throws {TypeError} a setting is wrong, or a schema has no form in JSON Schema
 */
export function aiExecutor<Value = never, Shapes extends ToolShapes = ToolShapes>(
  settings: AiSettings<Value, Shapes>,
): Execute {
  checkSettings('aiExecutor', settings, { ...modelChecks, ...modelExecutorChecks });
  return modelExecutor<Value, Shapes, ModelMessage, AiAnswer>(settings, aiChat(settings));
}

function aiChat<Value, Shapes extends ToolShapes>(
  settings: AiSettings<Value, Shapes>,
): ChatModel<ModelMessage, AiAnswer> {
  const model = new Model(settings);
  const { structured, system } = settings;
  const toolSet = toolSetOf(settings.tools ?? {});
  const format = structured && formatOf(structured);
  return {
    begin: (dialogue) => dialogue.map(messageOf),
    ask: (question) => model.ask({ ...question, system, toolSet, format }),
    answerMessages: ({ messages = [] }) => [...messages],
    resultMessages: (results) => [
      {
        role: 'tool',
        content: results.map(({ call, text, isError }) => ({
          type: 'tool-result',
          toolCallId: call.id,
          toolName: call.name,
          output: { type: isError ? 'error-text' : 'text', value: text },
        })),
      },
    ],
  };
}

function messageOf({ role, text, files }: DialogueMessage): ModelMessage {
  if (role === 'assistant' || files.length === 0) return { role, content: text };
  const content = files.map(({ mediaType, filename, base64 }) => ({
    type: 'file' as const,
    data: base64,
    mediaType,
    ...(filename !== undefined && { filename }),
  }));
  return { role, content: [{ type: 'text', text }, ...content] };
}

/** Without `execute`: the executor runs the tools, as steps. */
function toolSetOf(tools: AnyTools): ToolSet {
  return Object.fromEntries(
    Object.entries(tools).map(([name, { description, parameters }]) => [
      name,
      tool({ description, inputSchema: jsonSchema(schemaForModel(parameters, `The tool ${name}`)) }),
    ]),
  );
}

/** @throws {TypeError} it has no form in JSON Schema */
export function formatOf({ name, schema }: { name: string; schema: Parameters<typeof schemaForModel>[0] }) {
  return { name, schema: schemaForModel(schema, 'The structured answer') };
}
