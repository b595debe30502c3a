import type { JsonSchema } from '@switchyard/protocol';
import { check, type DataSchema, writtenSchema } from '../data/data-schema.ts';
import type { Turn } from '../turn/turn.ts';
import type { ToolCall } from './answer.ts';

/** A tool for the model. */
export interface Tool<Parameters extends DataSchema<unknown>> {
  /** For the model: what it does, and when to use it. */
  readonly description: string;
  readonly parameters: Parameters;
  /**
   * Runs as a step of the turn: once per tool call, also in a retried turn. The model gets the result: a string
   * unchanged, anything else as JSON. Throw `ToolError` to give the model an error; any other error fails the turn.
   */
  readonly run: (args: OutputOf<Parameters>, turn: Turn) => unknown;
}

type OutputOf<Schema> = Schema extends DataSchema<infer Output> ? Output : never;

/** Parameters of tools by the tools' names. */
export type ToolShapes = Readonly<Record<string, DataSchema<unknown>>>;

/** Tools by name: letters, digits, `_` and `-`. */
export type Tools<Shapes extends ToolShapes> = {
  readonly [Name in keyof Shapes]: Tool<Shapes[Name]>;
};

export type AnyTools = Tools<ToolShapes>;

/** What a tool returned, or why it could not run: for the model. */
export interface ToolResult {
  readonly call: ToolCall;
  readonly text: string;
  readonly isError: boolean;
}

/**
 * An error for the model, which may try something else. Throw it in a tool.
 *
 *     throw new ToolError('There is no order 17.');
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/**
 * What a model gets of a schema: of a tool's parameters, or of its answer.
 *
 *     const schema = schemaForModel(order, 'the tool order_pizza');
 *
 * @param owner named in the error
 * @throws {TypeError} it has no form in JSON Schema, or its library cannot give one
 */
export function schemaForModel(schema: DataSchema<unknown>, owner: string): JsonSchema {
  const written = writtenSchema(schema, owner);
  if (written) return Object.fromEntries(Object.entries(written).filter(([key]) => key !== '$schema'));
  throw new TypeError(
    `${owner} has no form in JSON Schema: use zod from 4.2 on, arktype, or valibot's toStandardJsonSchema`,
  );
}

/** Runs the tool calls concurrently, and returns the results in the same order. */
export function runTools(
  turn: Turn,
  tools: AnyTools,
  { round, calls }: { readonly round: number; readonly calls: readonly ToolCall[] },
): Promise<ToolResult[]> {
  return Promise.all(
    calls.map(async (call, index) => {
      try {
        const text = await runTool(turn, tools, { call, step: `tool ${round}.${index + 1} ${call.name}` });
        return { call, text, isError: false };
      } catch (error) {
        if (error instanceof ToolError) return { call, text: `Error: ${error.message}`, isError: true };
        throw error;
      }
    }),
  );
}

async function runTool(turn: Turn, tools: AnyTools, { call, step }: { call: ToolCall; step: string }): Promise<string> {
  const tool = Object.hasOwn(tools, call.name) ? tools[call.name] : undefined;
  if (!tool) throw new ToolError(`there is no tool "${call.name}".`);
  const args = await readArguments(tool, call);
  return asText(await turn.step(step, () => tool.run(args, turn)));
}

/** The model gets an error for wrong arguments, and may correct them. */
async function readArguments(tool: Tool<DataSchema<unknown>>, call: ToolCall): Promise<unknown> {
  const checked = await check(tool.parameters, parsed(call.arguments || '{}'));
  if ('problem' in checked) throw new ToolError(`the arguments are wrong: ${checked.problem}`);
  return checked.value;
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
