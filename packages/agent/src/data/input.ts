import { inputIsMissing, inputPart, type JsonSchema, type Message, type TurnInput } from '@switchyard/protocol';
import { check, type DataSchema, writtenSchema } from './data-schema.ts';

/** Longest JSON Schema in UTF-16 units: workers announce it every few seconds, and it is in the card. */
const longest = 32 * 1024;

/**
 * The JSON Schema of the input, for gateways and the card.
 * @returns undefined: its library cannot give one, so that only workers check the input
 * @throws {TypeError} it has no form in JSON Schema, or is too long
 */
export function jsonSchemaOf(schema: DataSchema<unknown>): JsonSchema | undefined {
  const written = writtenSchema(schema, 'its input');
  if (!written) return undefined;
  const json = JSON.stringify(written);
  if (json.length > longest)
    throw new TypeError(`its input has ${json.length} characters of JSON Schema, and may have ${longest}`);
  return JSON.parse(json);
}

/** JSON Schema of the data of an event, for who gives it; undefined: there is none, and only the agent checks the data. */
export function schemaForGivers(schema: DataSchema<unknown>): string | undefined {
  try {
    const json = jsonSchemaOf(schema);
    return json && JSON.stringify(json);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The input of a task, as its agent's schema parses it, or what is wrong with it. */
export async function readInput(
  schema: DataSchema<unknown> | undefined,
  { task, message }: Pick<TurnInput, 'task' | 'message'>,
): Promise<{ readonly value: unknown } | { readonly problem: string }> {
  const first = task.history?.find(({ role }) => role === 'ROLE_USER') ?? message;
  const data = dataIn(first);
  if (!schema) return { value: data };
  if (data === undefined) return { problem: `The message that begins this task ${inputIsMissing}.` };
  const checked = await check(schema, data);
  return 'value' in checked ? checked : { problem: `The input of this task is wrong: ${checked.problem}` };
}

function dataIn(message: Pick<Message, 'parts'>): unknown {
  const at = inputPart(message);
  return at === undefined ? undefined : message.parts[at]?.data;
}
