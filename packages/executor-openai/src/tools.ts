import type { Turn } from '@switchyard/agent';
import { zodFunction } from 'openai/helpers/zod';
import type { ChatCompletionFunctionTool, ChatCompletionToolMessageParam } from 'openai/resources/chat/completions';
import { z } from 'zod';
import type { ToolCall } from './tool-call-builder.ts';

/** A tool for the model. */
export interface Tool<Parameters extends z.ZodType> {
  /** For the model: what it does, and when to use it. */
  readonly description: string;
  readonly parameters: Parameters;
  /**
   * Runs as a step of the turn: once per tool call, also in a retried turn. The model gets the result: a string
   * unchanged, anything else as JSON. Throw `ToolError` to give the model an error; any other error fails the turn.
   */
  readonly run: (args: z.output<Parameters>, turn: Turn) => unknown;
}

/** Tools by name: letters, digits, `_` and `-`. */
export type Tools<Shapes extends Readonly<Record<string, z.ZodType>>> = {
  readonly [Name in keyof Shapes]: Tool<Shapes[Name]>;
};

type AnyTools = Readonly<Record<string, Tool<z.ZodType>>>;

/** An error for the model: "There is no order 17." The model may try something else. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** @throws {Error} the parameters cannot be expressed in the model's strict JSON Schema */
export function toolDefinitions(tools: AnyTools): ChatCompletionFunctionTool[] {
  return Object.entries(tools).map(([name, { description, parameters }]) => {
    const { type, function: definition } = zodFunction({ name, description, parameters });
    return { type, function: definition };
  });
}

/** Runs the tool calls concurrently, and returns the results in the same order. */
export function runTools(
  turn: Turn,
  tools: AnyTools,
  { round, calls }: { readonly round: number; readonly calls: readonly ToolCall[] },
): Promise<ChatCompletionToolMessageParam[]> {
  const answers = calls.map(async (call, index) => ({
    role: 'tool' as const,
    tool_call_id: call.id,
    content: await runTool(turn, tools, { call, step: `tool ${round}.${index + 1} ${call.name}` }),
  }));
  return Promise.all(answers);
}

async function runTool(turn: Turn, tools: AnyTools, { call, step }: { call: ToolCall; step: string }): Promise<string> {
  const tool = Object.hasOwn(tools, call.name) ? tools[call.name] : undefined;
  if (!tool) return `Error: there is no tool "${call.name}".`;
  try {
    const args = readArguments(tool, call);
    return asText(await turn.step(step, () => tool.run(args, turn)));
  } catch (error) {
    if (error instanceof ToolError) return `Error: ${error.message}`;
    throw error;
  }
}

/** The model gets an error for wrong arguments, and may correct them. */
function readArguments(tool: Tool<z.ZodType>, call: ToolCall): unknown {
  const { success, data, error } = tool.parameters.safeParse(parsed(call.arguments || '{}'));
  if (!success) throw new ToolError(`the arguments are wrong: ${z.prettifyError(error)}`);
  return data;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new ToolError('the arguments are not JSON');
  }
}

function asText(result: unknown): string {
  if (typeof result === 'string') return result;
  return JSON.stringify(result) ?? 'Done.';
}
