import { errorFields, safeText } from './error-fields.ts';

/** What an agent logs, as it may be written. */
export interface AgentLine {
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const LONGEST_TEXT = 500;
const LONGEST_STACK = 4_000;
const MOST_FIELDS = 20;
const NAME = /^[A-Za-z][\w.-]{0,39}$/;
const SECRET_NAME =
  /pass(?:word|wd|phrase)?$|secret|token|authori[sz]ation|cookie|credential|(?:api|private|access)[-_.]?key/i;
/** Of a header, a token, or a key as services make them. */
const SECRET_TEXT =
  /\b(?:bearer|basic) {1,9}[^\s"',;]{4,}|\beyJ[\w-]{8,}|\b(?:sk|pk|rk|ghp|gho|xox[a-z])[-_][\w-]{8,}/gi;
const LEFT_OUT = '[left out]';

/**
 * Text and fields of a line that an agent logs: bounded, without what looks like a secret, and without `secrets`
 * themselves. What has a name or a value that cannot be written is counted in `leftOut`.
 */
export function agentLine({ text, fields }: AgentLine, secrets: readonly string[] = []): AgentLine {
  const plain = (given: string, longest?: number): string => withoutSecrets(safeText(given, longest), secrets);
  const written: Record<string, unknown> = {};
  let leftOut = 0;
  for (const [name, given] of Object.entries(fields)) {
    if (given === undefined) continue;
    const value = typeof given === 'string' && SECRET_NAME.test(name) ? LEFT_OUT : fieldValue(given, plain);
    if (value === undefined || !NAME.test(name) || Object.keys(written).length === MOST_FIELDS) leftOut++;
    else written[name] = value;
  }
  return { text: plain(text, LONGEST_TEXT), fields: leftOut > 0 ? { ...written, leftOut } : written };
}

function fieldValue(given: unknown, plain: (text: string, longest?: number) => string): unknown {
  if (typeof given === 'string') return plain(given);
  if (typeof given === 'number' || typeof given === 'boolean' || given === null) return given;
  if (!(given instanceof Error)) return undefined;
  return JSON.parse(JSON.stringify(errorFields(given)), (_, part) =>
    typeof part === 'string' ? plain(part, LONGEST_STACK) : part,
  );
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, LEFT_OUT), text.replace(SECRET_TEXT, LEFT_OUT));
}

/** Short ones are words that stand in many a line. */
const SHORTEST_SECRET = 8;

/** The values of an environment that are secrets by their names. */
export function secretsIn(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value = '']) =>
    (SECRET_NAME.test(name) || /_KEYS?$/.test(name)) && value.length >= SHORTEST_SECRET ? [value] : [],
  );
}
