import { type ErrorFields, errorFields, safeText } from './error-fields.ts';

/** A log line of an agent, without its level. */
export interface AgentLine {
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const MAX_TEXT_LENGTH = 500;
const MAX_STACK_LENGTH = 4_000;
const MAX_FIELDS = 20;
const MAX_NAME_LENGTH = 40;
const NAME = /^[A-Za-z][\w.-]{0,39}$/;
const SECRET_NAME =
  /pass(?:word|wd|phrase)?$|secret|token|authori[sz]ation|cookie|credential|(?:api|private|access)[-_.]?key/i;
/** Credentials in headers, JSON Web Tokens, and API keys in the formats of well-known services. */
const SECRET_TEXTS = [
  /\b(?:bearer|basic) +[^\s"',;]{4}[^\s"',;]*/gi,
  /\beyJ[\w-]{8}[\w-]*/gi,
  /\b(?:sk|pk|rk|ghp|gho|xox[a-z])[-_][\w-]{8}[\w-]*/gi,
];
const LEFT_OUT = '[left out]';

/**
 * The text and fields of an agent's log line, made safe to write: limited in size, without what looks like a secret,
 * and without the values of `secrets`. `leftOut` has the names of the fields whose name or value cannot be
 * written, of the first 20.
 */
export function agentLine({ text, fields }: AgentLine, secrets: readonly string[] = []): AgentLine {
  const clean = (value: string, maxLength?: number): string => withoutSecrets(safeText(value, maxLength), secrets);
  const written: Record<string, unknown> = {};
  const leftOut: string[] = [];
  for (const [name, given] of Object.entries(fields)) {
    if (given === undefined) continue;
    const value = typeof given === 'string' && SECRET_NAME.test(name) ? LEFT_OUT : fieldValue(given, clean);
    if (value === undefined || !NAME.test(name) || Object.keys(written).length === MAX_FIELDS)
      leftOut.push(clean(name, MAX_NAME_LENGTH));
    else written[name] = value;
  }
  return {
    text: clean(text, MAX_TEXT_LENGTH),
    fields: leftOut.length > 0 ? { ...written, leftOut: leftOut.slice(0, MAX_FIELDS) } : written,
  };
}

function fieldValue(given: unknown, clean: (text: string, maxLength?: number) => string): unknown {
  if (typeof given === 'string') return clean(given);
  if (typeof given === 'number' || typeof given === 'boolean' || given === null) return given;
  return given instanceof Error ? withTexts(errorFields(given), (part) => clean(part, MAX_STACK_LENGTH)) : undefined;
}

/** As `errorFields`, without the values of `secrets`, and without what looks like a secret. */
export function errorFieldsWithout(secrets: readonly string[], error: unknown): unknown {
  return withTexts(errorFields(error), (part) => withoutSecrets(part, secrets));
}

function withTexts(fields: ErrorFields | string, clean: (text: string) => string): unknown {
  return JSON.parse(JSON.stringify(fields), (_, part) => (typeof part === 'string' ? clean(part) : part));
}

/** The text without what looks like a secret, and without the values of `secrets`. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return [...SECRET_TEXTS, ...secrets].reduce<string>((rest, secret) => rest.replaceAll(secret, LEFT_OUT), text);
}

/** Shorter values may be ordinary words, which must not be removed from every line. */
const MIN_SECRET_LENGTH = 8;

/** The values of environment variables that are named like secrets. */
export function secretsIn(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value = '']) =>
    (SECRET_NAME.test(name) || /_KEYS?$/.test(name)) && value.length >= MIN_SECRET_LENGTH ? [value] : [],
  );
}
