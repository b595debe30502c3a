import { TurnMisuseError } from '../port/turn-errors.ts';

/** Longest result of one step as JSON, in UTF-16 units: each retry reads all results. */
export const longestResult = 256 * 1024;

/** @throws {TurnMisuseError} the value is not JSON, or too long */
export function writeResult(step: string, value: unknown): string {
  const json = jsonOf(step, value);
  if (json.length <= longestResult) return json;
  throw new TurnMisuseError(
    `The result of the step "${step}" has ${json.length} characters of JSON, at most ${longestResult} are kept: ` +
      'put large results into an artifact and return its id.',
  );
}

/** As `writeResult`; undefined if it is too long. */
export function writeIfShort(value: object): string | undefined {
  const json = JSON.stringify(value);
  return json.length <= longestResult ? json : undefined;
}

/** @param json '' for undefined */
export function readResult<T>(json: string): T {
  const { value } = JSON.parse(json === '' ? '{}' : `{"value":${json}}`);
  return value;
}

function jsonOf(step: string, value: unknown): string {
  try {
    const json: string | undefined = JSON.stringify(value);
    if (json !== undefined || value === undefined) return json ?? '';
  } catch (cause) {
    throw new TurnMisuseError(`The result of the step "${step}" cannot be written as JSON: ${String(cause)}`, {
      cause,
    });
  }
  throw new TurnMisuseError(`The result of the step "${step}" is a ${typeof value}, which JSON has no form for.`);
}
