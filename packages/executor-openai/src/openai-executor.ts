import type { Execute } from '@switchyard/agent';
import {
  type ChatModel,
  type DialogueFile,
  type DialogueMessage,
  type ModelExecutorSettings,
  modelExecutor,
  modelExecutorChecks,
} from '@switchyard/agent/models';
import { checkSettings } from '@switchyard/agent/runtime';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import type {
  ChatCompletionContentPart,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { z } from 'zod';
import type { OpenAiAnswer } from './answer.ts';
import { Model, type ModelSettings, modelChecks } from './model.ts';
import { strictly } from './strict-schema.ts';

/** Parameters of tools by the tools' names. */
export type ZodShapes = Readonly<Record<string, z.ZodType>>;

export type OpenAiSettings<Value, Shapes extends ZodShapes = ZodShapes> = ModelSettings &
  ModelExecutorSettings<Value, Shapes, z.ZodType<Value>>;

/**
 * An executor that answers every turn with a model, over an OpenAI-compatible chat endpoint. The model gets the whole
 * conversation.
 *
 * A rate limit lets all requests to the model wait, over all workers (docs/pace.md). Timeouts, lost connections, server
 * errors and answers that do not match the schema are retried by the queue, honouring Retry-After; other errors fail the
 * task with a message for the client. A retried turn does not run its tools again.
 *
 *     export default defineAgent({
 *       id: 'librarian',
 *       card: { name: 'Librarian', description: 'Finds books.', version: '1.0.0', skills: [] },
 *       execute: openAiExecutor({ model: 'gpt-5', apiKey: 'sk-…', system: 'You are a librarian.' }),
 *     });
 *
 * @throws {TypeError} a setting is wrong, or a schema cannot be expressed in the model's strict JSON Schema
 */
export function openAiExecutor<Value = never, Shapes extends ZodShapes = ZodShapes>(
  settings: OpenAiSettings<Value, Shapes>,
): Execute {
  checkSettings('openAiExecutor', settings, { ...modelChecks, ...modelExecutorChecks });
  return modelExecutor<Value, Shapes, ChatCompletionMessageParam, OpenAiAnswer>(settings, openAiChat(settings));
}

function openAiChat<Value, Shapes extends ZodShapes>(
  settings: OpenAiSettings<Value, Shapes>,
): ChatModel<ChatCompletionMessageParam, OpenAiAnswer> {
  const model = new Model(settings);
  const { structured, system } = settings;
  const tools = definitionsOf(settings.tools ?? {});
  const format =
    structured && strictly('structured.schema', () => zodResponseFormat(structured.schema, structured.name));
  return {
    begin: (dialogue) => [...systemMessages(system), ...dialogue.map(messageOf)],
    ask: (question) => (format ? model.whole({ ...question, tools, format }) : model.stream({ ...question, tools })),
    answerMessages: (answer) => [answerMessage(answer)],
    resultMessages: (results) =>
      results.map(({ call, text }) => ({ role: 'tool', tool_call_id: call.id, content: text })),
  };
}

/** A text alone stays one: not every server knows a list of parts. */
function messageOf({ role, text, files }: DialogueMessage): ChatCompletionMessageParam {
  if (role === 'assistant' || files.length === 0) return { role, content: text };
  return { role, content: [{ type: 'text', text }, ...files.map(contentOf)] };
}

/** As data within the request: most servers fetch no URLs. */
function contentOf({ mediaType, filename = 'file', base64 }: DialogueFile): ChatCompletionContentPart {
  const url = `data:${mediaType};base64,${base64}`;
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } };
  const format = audioFormats[mediaType];
  if (format) return { type: 'input_audio', input_audio: { data: base64, format } };
  return { type: 'file', file: { filename, file_data: url } };
}

const audioFormats: Readonly<Record<string, 'wav' | 'mp3'>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
};

export function systemMessages(system: string | undefined): ChatCompletionMessageParam[] {
  return system === undefined ? [] : [{ role: 'system', content: system }];
}

function definitionsOf(tools: NonNullable<OpenAiSettings<never>['tools']>): ChatCompletionFunctionTool[] {
  return Object.entries(tools).map(([name, { description, parameters }]) => {
    const { type, function: definition } = strictly(`tools.${name}.parameters`, () =>
      zodFunction({ name, description, parameters }),
    );
    return { type, function: definition };
  });
}

function answerMessage({ text, calls, ...thoughts }: OpenAiAnswer): ChatCompletionMessageParam {
  return {
    role: 'assistant',
    content: text || null,
    ...thoughts,
    tool_calls: calls.map(({ id, name, arguments: args, ...extra }) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
      ...extra,
    })),
  };
}
